import { refusalToServe } from "../../support/commandLine";
import { onOneDatabase, untilTestEnds } from "../../support/databases";
import { exchange } from "../../support/rawHttp";
import { Rest, type RestAnswer } from "../../support/rest";
import type { ServerProcess } from "../../support/server";

onOneDatabase("Headers and settings for the server's address", (startServer, database) => {
  const start = untilTestEnds(startServer);
  const raw = async (
    { url, apiKey }: ServerProcess,
    path: string,
    ...lines: string[]
  ): Promise<RestAnswer> => {
    const head = [`GET ${path} HTTP/1.1`, ...lines, `Authorization: Bearer ${apiKey}`, "Service-Version: 2"];
    const answer = await exchange(url, `${head.join("\r\n")}\r\n\r\n`);
    if (!answer) throw new Error("The server closed the connection without an answer");
    return answer;
  };

  const expectBadHeader = (answer: RestAnswer, name: string) => {
    expect(answer.status, answer.text).to.equal(400);
    expect(answer.body).to.include({ error_code: "TP_1008" });
    expect(answer.body.msg).to.include(name);
  };

  it("are refused if a request has two Host headers, in any request", async () => {
    const server = await start();
    for (const path of ["/ip_policies", "/livez", "/openapi.json", "/nothing-here"])
      for (const [one, two] of [
        ["Host: here", "Host: elsewhere"],
        ["Host: here", "host: here"],
        ["HOST: here", "Host:"],
      ] as const)
        expectBadHeader(await raw(server, path, one, two), "Host");
    expect((await raw(server, "/ip_policies", "Host: here")).status).to.equal(200);
  });

  it("are refused if the Host header is not an address", async () => {
    const server = await start();
    for (const host of [
      ..."a:b:c here: here:99999 :4040 [::1 [::1]x 1.2.3.4.5:1 [1.2.3.4] $&".split(" "),
      "a b",
    ])
      expectBadHeader(await raw(server, "/ip_policies", `Host: ${host}`), "Host");
  });

  it("are refused if they are longer than 261 characters, because every address in answers repeats them", async () => {
    const server = await start({ args: ["--trust-proxy", "loopback"] });
    const label = "a".repeat(60);
    const longest = `${[label, label, label, label].join(".")}.${"b".repeat(261 - 244 - 5)}:4040`;
    expect(longest).to.have.length(261);
    const answer = await raw(server, "/ip_policies", `Host: ${longest}`);
    expect(answer.body.uri).to.equal(`http://${longest}/ip_policies`);
    for (const host of [`b${longest}`, `${"a.".repeat(4_000)}com`]) {
      expectBadHeader(await raw(server, "/ip_policies", `Host: ${host}`), "261 characters");
      expectBadHeader(
        await raw(server, "/ip_policies", "Host: here", `X-Forwarded-Host: ${host}`),
        "X-Forwarded-Host",
      );
    }
  });

  it("are refused if a trusted proxy passes on an invalid address or protocol", async () => {
    const server = await start({ args: ["--trust-proxy", "loopback"] });
    const through = (headers: Record<string, string>) => server.rest.get("/ip_policies?limit=1", headers);
    for (const host of ["$&", "$`", "a/b", "a?b", "user@here", 'a","x":"b', "here:99999", "a:b:c"])
      expectBadHeader(await through({ "x-forwarded-host": host }), "X-Forwarded-Host");
    for (const protocol of ["$&", "javascript", "ftp", 'http","x":"', "https:", "HTTP/1.1", "a b"])
      expectBadHeader(await through({ "x-forwarded-proto": protocol }), "X-Forwarded-Proto");
    const { body } = await through({
      "x-forwarded-host": "tunnels.example.com",
      "x-forwarded-proto": "https",
    });
    expect(body.uri).to.equal("https://tunnels.example.com/ip_policies");
    const ignored = await new Rest((await start()).url, server.apiKey).get("/ip_policies?limit=1", {
      "x-forwarded-proto": "$&",
    });
    expect(ignored.status, "of somebody who is not a trusted proxy they are not heeded").to.equal(200);
  });

  it("are repeated unchanged, even if they contain a replacement pattern such as $&", async () => {
    for (const [given, answered] of [
      ["https://tunnels.example.com/$&/$`/$'/$$/$1", "https://tunnels.example.com/$&/$`/$'/$$/$1"],
      ['https://tunnels.example.com/a"b\\c', "https://tunnels.example.com/a%22b/c"],
    ] as const) {
      const { rest } = await start({ args: ["--public-url", given] });
      const { body } = await rest.post("/ip_policies", {});
      const address = new URL(answered).href;
      expect(body.uri).to.equal(`${address}/ip_policies/${body.id}`);
      const list = (await rest.get("/ip_policies")).body;
      expect([list.uri, list.ip_policies[0].uri]).to.deep.equal([`${address}/ip_policies`, body.uri]);
    }
  });

  it("must not be a public address without a host, with a password, or of another protocol: the server does not start", async () => {
    for (const wrong of [
      "nonsense",
      "ftp://here",
      "https://me:secret@here",
      "https://here/?a=b",
      "https://here/#a",
      "javascript:alert(1)",
    ]) {
      const message = await refusalToServe(await database.create(), { args: ["--public-url", wrong] });
      expect(message, wrong)
        .to.include("--public-url must be")
        .and.not.to.match(/\n\s+at /);
    }
  });
});
