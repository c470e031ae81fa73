import { once } from "node:events";
import type { TunnelSession } from "@tunnelplane/sdk";
import { Client } from "ssh2";
import { ended, type Running, runningForEachTest } from "./running";

const HOST = "app.example.com";
const SERVED = `${HOST}:443`;

describe("Sessions of agents of a real gateway", () => {
  const running = runningForEachTest();
  const all = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    for await (const item of list) found.push(item);
    return found;
  };
  const begin = async (one: Running) => {
    one.runWithAgents();
    const edge = await one.api.tlsEdges.create({ hostports: [SERVED] });
    await one.gateway.logged("edge applied");
    const credential = await one.credential();
    return { edge, credential, agent: one.agent(credential.key, SERVED) };
  };
  const sessions = (one: Running) => all(one.api.tunnelSessions.list());
  const only = async (one: Running): Promise<TunnelSession> => {
    let found: readonly TunnelSession[] = [];
    await one.until(async () => {
      found = await sessions(one);
      return found.length === 1;
    });
    return found[0] as TunnelSession;
  };

  it("show what stock ssh says of itself, where it comes from, and what it serves", async () => {
    const one = running.now;
    const { edge, agent } = await begin(one);
    const session = await only(one);
    expect(session).to.deep.include({ ip: "127.0.0.1", os: "", transport: "ssh/2" });
    expect(session.agent_version).to.match(/^SSH-2\.0-OpenSSH_\d/);
    await one.until(async () => (await all(one.api.endpoints.list())).length === 1);
    const [endpoint] = await all(one.api.endpoints.list());
    const [tunnel] = await all(one.api.tunnels.list());
    expect(endpoint).to.deep.include({ hostport: SERVED, public_url: `tls://${SERVED}`, proto: "tls" });
    expect(endpoint?.edge.id).to.equal(edge.id);
    expect(endpoint?.tunnel?.id).to.equal(tunnel?.id);
    expect(tunnel?.tunnel_session.id).to.equal(session.id);
    expect(await one.api.tunnelSessions.get(session.id)).to.deep.equal(session);
    agent.kill();
    await ended(agent);
    await one.until(async () => (await sessions(one)).length === 0);
  });

  it("end when they are stopped, and their agent is refused with the reason; others of the credential go on", async () => {
    const one = running.now;
    const { credential, agent } = await begin(one);
    const session = await only(one);
    const idle = new Client().on("error", () => undefined);
    const { privateKey } = credential.key;
    idle.connect({ host: "127.0.0.1", port: one.sshPort, username: "any", privateKey });
    await once(idle, "ready");
    const other = one.agent(credential.key, SERVED);
    await one.until(async () => (await sessions(one)).length === 2);
    await one.api.tunnelSessions.stop(session.id);
    await ended(agent);
    const [back] = await new Promise<[Error | undefined]>((resolve) =>
      idle.forwardIn(HOST, 443, (error) => resolve([error])),
    );
    expect(back, "one that had logged in, and had bound nothing").to.be.an("error");
    idle.end();
    const refused = one.agent(credential.key, SERVED);
    expect(await ended(refused)).to.equal(255);
    expect(other.exitCode).to.equal(null);
    await one.becomes(200, HOST);
    expect((await sessions(one)).map(({ id }) => id)).to.not.include(session.id);
    expect(one.gateway.log).to.contain("its session was stopped");
  });

  it("end when they are restarted, and may come back at once", async () => {
    const one = running.now;
    const { credential, agent } = await begin(one);
    const session = await only(one);
    await one.becomes(200, HOST);
    await one.api.tunnelSessions.restart(session.id);
    await ended(agent);
    one.agent(credential.key, SERVED);
    await one.becomes(200, HOST);
    await one.until(async () => {
      const [now] = await sessions(one);
      return now !== undefined && now.id !== session.id;
    });
  });

  it("are over when their gateway stops", async () => {
    const one = running.now;
    await begin(one);
    const session = await only(one);
    await one.gateway.stop();
    expect(await sessions(one)).to.deep.equal([]);
    const [stopped] = await one.api.events.newest(1);
    expect(stopped?.object).to.deep.include({ id: session.id, reason: "left" });
  });
});
