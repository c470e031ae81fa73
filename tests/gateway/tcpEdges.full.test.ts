import { connect, createServer, type Server, type Socket } from "node:net";
import { readAnswer } from "../../gateway/dist/trial/http1";
import { freePort } from "../support/ports";
import { ended, type Running, runningForEachTest } from "./running";
import { tls } from "./traffic";

async function tcpPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 30_000) return port;
  }
}

/** The status that a program behind a port answers, without TLS; 0 where the connection ends without one. */
async function status(port: number): Promise<number> {
  const socket = connect({ host: "127.0.0.1", port }).on("error", () => undefined);
  return (await readAnswer(socket, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).status;
}

const heard = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    socket.on("data", (data) => {
      text += String(data);
      socket.destroy();
    });
    socket.on("error", () => undefined).on("close", () => resolve(text));
  });

const listening = (server: Server, port = 0): Promise<number> =>
  new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );

describe("TCP edges on a real gateway", () => {
  const running = runningForEachTest();
  const start = (...args: string[]) => running.now.runWithAgents("--tcp-listen", "127.0.0.1", ...args);
  const becomes = (one: Running, wanted: number, port: number) =>
    one.until(async () => (await status(port)) === wanted);

  it("pass a port to the agents of stock ssh -R, and lose it when these leave", async () => {
    const one = running.now;
    const port = await tcpPort();
    start();
    const edge = await one.api.tcpEdges.create({ hostports: [`db.example.com:${port}`] });
    expect(await one.reported(edge.id, ({ state }) => state === "applied")).to.include({ reason: "" });
    const { key } = await one.credential([`bind:db.example.com:${port}`]);
    const agent = one.agent(key, `db.example.com:${port}`);
    await becomes(one, 200, port);
    agent.kill();
    await ended(agent);
    await becomes(one, 0, port);
    await one.api.tcpEdges.delete(edge.id);
    await one.until(() => heard(connect({ host: "127.0.0.1", port })).then((text) => text === ""));
  });

  it("say nothing to callers that a network or a policy keeps out, though the backend speaks first; nor do TLS edges", async () => {
    const one = running.now;
    const server = createServer((socket) => socket.on("error", () => undefined).write("220 ready\n"));
    const [port, sni] = [await tcpPort(), "db.example.com"];
    start("--allow-upstreams", "127.0.0.0/8");
    const plain = await one.api.staticBackends.create({ address: `127.0.0.1:${await listening(server)}` });
    const [backend, overTls] = [{ backend_id: plain.id }, { hostports: [`${sni}:443`] }];
    const edge = await one.api.tcpEdges.create({ hostports: [`${sni}:${port}`], backend });
    const tlsEdge = await one.api.tlsEdges.create({ ...overTls, backend });
    const update = async (fields: object) => {
      await one.api.tcpEdges.update(edge.id, fields);
      await one.api.tlsEdges.update(tlsEdge.id, fields);
    };
    /** Both edges say this to a caller who says nothing. */
    const say = async (text: string) => {
      await one.until(async () => (await heard(connect({ host: "127.0.0.1", port }))) === text);
      const begun = () => tls(one.httpsPort, { sni }).then(heard, () => "");
      await one.until(async () => (await begun()) === text);
    };
    await say("220 ready\n");
    const office = await one.api.ipPolicies.create({});
    await update({ ip_restriction: { ip_policy_ids: [office.id] } });
    await say("");
    await one.api.ipPolicyRules.create({ ip_policy_id: office.id, cidr: "127.0.0.0/8", action: "allow" });
    await say("220 ready\n");
    const expressions = ['conn.client_ip.inCidrRange("127.0.0.0/30")'];
    await update({ policies: { inbound: [{ expressions, actions: [{ type: "deny", config: {} }] }] } });
    await say("");
    server.close();
  });

  it("are rejected where they cannot be served, with the reason, and others go on", async () => {
    const one = running.now;
    const other = createServer();
    const [taken, free] = [await listening(other, await tcpPort()), await tcpPort()];
    start();
    const [lost, served] = [
      await one.api.tcpEdges.create({ hostports: [`db.example.com:${taken}`] }),
      await one.api.tcpEdges.create({ hostports: [`db.example.com:${free}`] }),
    ];
    const [reason] = await one.reasons([lost.id]);
    expect(reason).to.contain(`cannot listen on port ${taken}`);
    expect(one.gateway.log).to.contain("another process listens there");
    await one.reported(served.id, ({ state }) => state === "applied");
    // Its port is asked for again while it is lacking.
    await new Promise((resolve) => other.close(resolve));
    await one.reported(lost.id, ({ state }) => state === "applied");
  });

  it("are rejected by a gateway that serves none, which says how to", async () => {
    const one = running.now;
    one.runWithAgents();
    const edge = await one.api.tcpEdges.create({ hostports: [`db.example.com:${await tcpPort()}`] });
    const [reason] = await one.reasons([edge.id]);
    expect(reason).to.contain("--tcp-listen ADDRESS");
  });

  it("cannot go to themselves, which would never end", async () => {
    const one = running.now;
    const port = await tcpPort();
    start();
    const backend = await one.api.staticBackends.create({ address: `127.0.0.1:${port}` });
    const edge = await one.api.tcpEdges.create({
      hostports: [`db.example.com:${port}`],
      backend: { backend_id: backend.id },
    });
    const [reason] = await one.reasons([edge.id]);
    expect(reason).to.contain("--tcp-listen");
  });
});
