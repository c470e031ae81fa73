import { connect, type Socket } from "node:net";
import { onOneDatabase } from "../support/databases";
import type { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

onOneDatabase("A client that is slow or sends invalid HTTP", (start) => {
  let server: ServerProcess;
  let rest: Rest;
  before(async () => {
    server = await start({ args: ["--request-timeout", "1", "--keep-alive-timeout", "1"] });
    rest = server.rest;
  });

  /** Sends the text and nothing more; resolves with what came back when the server closes the connection. */
  function untilClosed(text: string): Promise<string> {
    const { hostname, port } = new URL(server.url);
    return new Promise((resolve, reject) => {
      let answered = "";
      const socket: Socket = connect(Number(port), hostname, () => socket.write(text));
      socket.setEncoding("utf8");
      socket.on("data", (chunk) => {
        answered += chunk;
      });
      socket.on("close", () => resolve(answered));
      socket.on("error", reject);
    });
  }

  const head = (method: string, path: string, ...lines: string[]) =>
    [
      `${method} ${path} HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${server.apiKey}`,
      "service-version: 2",
      ...lines,
    ].join("\r\n");

  /** The refusal that an answer on the wire carries, in the form that all have. */
  function refusalIn(answer: string): { status: number; code: string } {
    const [lines = "", text = ""] = answer.split("\r\n\r\n");
    const body = JSON.parse(text);
    expect(lines).to.match(/content-type: application\/json/i);
    expect(body).to.have.all.keys("error_code", "status_code", "msg", "details");
    expect(lines).to.contain(body.details.operation_id);
    expect(Number(lines.split(" ")[1])).to.equal(body.status_code);
    return { status: body.status_code, code: body.error_code };
  }

  const late = { status: 408, code: "TP_1404" };

  it("is disconnected if it never sends a request, while others are served", async () => {
    const silent = Array.from({ length: 50 }, () => untilClosed(""));
    expect((await rest.post("/ip_policies", {})).status).to.equal(201);
    for (const answer of await Promise.all(silent)) if (answer) expect(refusalIn(answer)).to.deep.equal(late);
  });

  it("is disconnected if its headers never end, while others are served", async () => {
    const slow = Array.from({ length: 50 }, () => untilClosed(head("GET", "/ip_policies", "x-more: to co")));
    expect((await rest.post("/ip_policies", {})).status).to.equal(201);
    for (const answer of await Promise.all(slow)) expect(refusalIn(answer)).to.deep.equal(late);
  });

  it("is disconnected if its body never ends, and nothing of it is kept", async () => {
    const before = (await rest.get("/ip_policies")).body.ip_policies;
    const text = `${head("POST", "/ip_policies", "content-type: application/json", "content-length: 100")}\r\n\r\n{"description": "half`;
    const slow = Array.from({ length: 50 }, () => untilClosed(text));
    expect((await rest.get("/ip_policies")).body.ip_policies).to.deep.equal(before);
    for (const answer of await Promise.all(slow)) expect(refusalIn(answer)).to.deep.equal(late);
    expect((await rest.get("/ip_policies")).body.ip_policies).to.deep.equal(before);
  });

  it("is disconnected if it keeps an idle connection", async () => {
    const answer = await untilClosed(`${head("GET", "/ip_policies", "connection: keep-alive")}\r\n\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 200 /);
  });
});
