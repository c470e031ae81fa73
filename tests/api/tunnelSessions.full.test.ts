import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@tunnelplane/sdk/contract";
import {
  apiOnEveryDatabase,
  badQuery,
  expectRefused,
  hostport,
  type Json,
  notFound,
  tcpHostport,
  unique,
  unknownField,
} from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { execute } from "../support/databases";
import { Rest } from "../support/rest";
import { command, endOf, MOVABLE_CLOCK, run } from "../support/server";

const SINCE = "2026-01-01T00:00:00Z";
const IP = "192.0.2.1";

apiOnEveryDatabase("What gateways see of agents", (server, start) => {
  interface Seen {
    readonly session: string;
    readonly credential: string;
    readonly bind: readonly string[];
    readonly binds?: readonly (readonly string[])[];
    readonly address?: string;
  }
  const agent = (credential: Json, ...bind: string[]): Seen => ({
    session: newId("ts"),
    credential: String(credential.id),
    bind,
  });
  const report = async (
    name: string,
    agents: readonly Seen[],
    edges: readonly Json[] = [],
  ): Promise<void> => {
    const { status, text } = await server.rest.put(`/gateways/${name}/status`, {
      sequence: 1,
      edges: edges.map(({ id }) => ({ id, state: "applied" })),
      agents: agents.map((one) => ({ address: IP, since: SINCE, client: "SSH-2.0-OpenSSH_9.9", ...one })),
    });
    expect(status, text).to.equal(204);
  };
  const idsIn = async (path: string, rest: Rest = server.rest): Promise<string[]> => {
    const answer = await rest.get(`${path}?limit=100`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body[path.slice(1)].map(({ id }: Json) => id);
  };
  const eventsOf = async (session: string): Promise<Json[]> =>
    (await server.read(`/events?object_id=${session}`)).events;
  const askedFrom = async (token: unknown, address: string, ...bind: string[]): Promise<Json> =>
    (await server.rest.post("/bind_authorizations", { token, bind, address })).body;

  it("is a session for each agent, a tunnel for each bind, and an endpoint for each hostport, however many gateways serve it", async () => {
    const [named, plain] = [hostport(), tcpHostport()];
    const edge = await server.created("/edges/https", { hostports: [named] });
    const tcp = await server.created("/edges/tcp", { hostports: [plain] });
    const app = unique("app");
    const group = await server.created("/backends/tunnel_group", { labels: { app } });
    const credential = await server.created("/credentials", {});
    const labels = [`bind:app=${app}`, "bind:colour=blue"];
    const one = { ...agent(credential, `bind:${named}`, ...labels), binds: [[`bind:${named}`], labels] };
    const [a, b] = [unique("gateway"), unique("gateway")];
    await report(a, [one], [edge, tcp]);
    await report(b, [], [edge]);
    const session = await server.read(`/tunnel_sessions/${one.session}`);
    expect(session).to.deep.equal({
      ...{ id: one.session, uri: `${server.url}/tunnel_sessions/${one.session}` },
      started_at: "2026-01-01T00:00:00.000Z",
      ...{ credential: { id: credential.id, uri: credential.uri }, ip: IP },
      ...{ agent_version: "SSH-2.0-OpenSSH_9.9", os: "", region: "", transport: "ssh/2", metadata: "" },
    });
    const own = (list: Json[]) => list.filter((row) => (row.tunnel_session as Json)?.id === one.session);
    const tunnels = own((await server.read("/tunnels")).tunnels);
    const endpoints: Json[] = (await server.read("/endpoints")).endpoints.filter(
      ({ edge: { id } }: { edge: Json }) => [edge.id, tcp.id].includes(id),
    );
    expect(endpoints).to.have.length(2);
    const endpoint = endpoints.find(({ hostport: served }) => served === named);
    const bound = tunnels.find(({ public_url: url }) => url !== "");
    expect(endpoint).to.deep.include({
      ...{ host: named.slice(0, -4), port: 443, proto: "https", scheme: "https", type: "edge", region: "" },
      public_url: `https://${named.slice(0, -4)}`,
      edge: { id: edge.id, uri: edge.uri },
      domain: null,
      tcp_addr: null,
      tunnel: { id: bound?.id, uri: bound?.uri },
      tunnel_session: { id: one.session, uri: session.uri },
    });
    expect(endpoints.find(({ hostport: served }) => served === plain)).to.deep.include({
      ...{ proto: "tcp", public_url: `tcp://${plain}`, tunnel: null, tunnel_session: null },
    });
    expect(tunnels).to.have.length(2);
    expect(bound).to.deep.include({
      ...{ proto: "https", labels: {}, backends: [], forwards_to: "", metadata: "" },
      endpoint: { id: endpoint?.id, uri: endpoint?.uri },
    });
    expect(tunnels.find(({ public_url: url }) => url === "")).to.deep.include({
      ...{ proto: "", endpoint: null, labels: { app, colour: "blue" } },
      backends: [{ id: group.id, uri: group.uri }],
    });
    for (const { uri } of [...tunnels, ...endpoints])
      expect((await server.rest.get(String(uri))).body.uri).to.equal(uri);
    await report(a, [one], [tcp]);
    expect(await idsIn("/endpoints"), "another gateway serves it").to.include(endpoint?.id);
    await report(b, []);
    expect(await idsIn("/endpoints")).not.to.include(endpoint?.id);
    await report(b, [], [edge]);
    await server.rest.delete(edge.uri);
    expect(await idsIn("/endpoints"), "its edge is gone").not.to.include(endpoint?.id);
  });

  it("follows a hostport that moves to another edge, and keeps the id of a tunnel whose bind stays", async () => {
    const served = hostport();
    const [first, second] = [
      await server.created("/edges/tls", { hostports: [served] }),
      await server.created("/edges/tls", {}),
    ];
    const name = unique("gateway");
    const one = agent(await server.created("/credentials", {}), `bind:${served}`);
    await report(name, [one], [first, second]);
    const at = async () =>
      (await server.read("/endpoints")).endpoints.find((each: Json) => each.hostport === served);
    const before = await at();
    const [tunnel] = (await server.read("/tunnels")).tunnels;
    await server.rest.patch(first.uri, { hostports: [] });
    await server.rest.patch(second.uri, { hostports: [served] });
    await server.rest.put(`/gateways/${name}/status`, {
      sequence: (await server.read("/audit_head")).sequence,
      edges: [first, second].map(({ id }) => ({ id, state: "applied" })),
      agents: [{ ...one, bind: [...one.bind, "bind:more.example.com:443"], address: IP, since: SINCE }],
    });
    expect(await at()).to.deep.include({ edge: { id: second.id, uri: second.uri } });
    expect(before.edge.id).to.equal(first.id);
    const after = (await server.read("/tunnels")).tunnels.filter(
      ({ tunnel_session: { id } }: { tunnel_session: Json }) => id === one.session,
    );
    expect(after).to.have.length(2);
    expect(after.map(({ id }: Json) => id)).to.include(tunnel.id);
  });

  it("is an event when a session starts and when it is over, with the reason, and the audit log stays whole", async () => {
    const name = unique("gateway");
    const [one, two] = [
      await server.created("/credentials", {}),
      await server.created("/ssh_credentials", { public_key: sshKey().openssh }),
    ].map((credential) => agent(credential, "bind:a.example.com:443")) as [Seen, Seen];
    await report(name, [one, two]);
    await report(name, [one, two]);
    await report(name, [two]);
    expect((await server.rest.post(`/tunnel_sessions/${two.session}/restart`, {})).status).to.equal(204);
    const types = (list: Json[]) => list.map(({ event_type }) => event_type);
    const BOTH = ["tunnel_session_stopped.v0", "tunnel_session_started.v0"];
    for (const [{ session }, reason] of [
      [one, "left"],
      [two, "restarted"],
    ] as const) {
      const events = await eventsOf(session);
      expect(types(events)).to.deep.equal(BOTH);
      expect(events[0]?.object).to.deep.include({ id: session, ip: IP, reason });
      const [row] = (await server.read(`/audit_events?object_id=${session}`)).audit_events;
      expect(row).to.deep.include({ action: "tunnel_session_stopped", object_id: session });
    }
    const verified = await run(server.data, "audit", "verify");
    expect(verified.code, verified.err).to.equal(0);
  });

  it("can be stopped: the session is gone at once, and its credential is kept out from its address, and only from there, for a minute", async () => {
    const credential = await server.created("/credentials", {});
    const [one, other] = [
      agent(credential, "bind:a.example.com:443"),
      agent(credential, "bind:b.example.com:443"),
    ];
    const name = unique("gateway");
    await report(name, [one, other]);
    const dry = await server.rest.post(`/tunnel_sessions/${one.session}/stop?dry_run=true`, {});
    expect(dry.status).to.equal(204);
    expect(await idsIn("/tunnel_sessions")).to.include(one.session);
    expect((await server.rest.post(`/tunnel_sessions/${one.session}/stop`, {})).status).to.equal(204);
    expectRefused(await server.rest.get(`/tunnel_sessions/${one.session}`), notFound);
    expectRefused(await server.rest.post(`/tunnel_sessions/${one.session}/stop`, {}), notFound);
    await report(name, [one, other]);
    expect(await idsIn("/tunnel_sessions"), "a report that was in flight").to.not.include(one.session);
    expect(await idsIn("/tunnel_sessions")).to.include(other.session);
    const refused = await askedFrom(credential.token, IP);
    expect(refused).to.deep.include({ allowed: false });
    expect(refused.credential).to.deep.equal({ id: credential.id, uri: credential.uri });
    expect(refused.reason)
      .to.contain(one.session)
      .and.match(/in (5\d|60) s/);
    expect(await askedFrom(credential.token, "192.0.2.2")).to.deep.include({ allowed: true });
    const { body } = await server.rest.post("/bind_authorizations", { token: credential.token, bind: [] });
    expect(body, "a review of one that is there").to.deep.include({ allowed: true });
    const bind = await askedFrom(credential.token, IP, "bind:c.example.com:443");
    expect(bind.allowed, "one that had bound nothing").to.equal(false);
    expect(bind.reason).to.contain(one.session);
    await execute(server.data, "update ended_session set kept_out_until = kept_out_until - 60000");
    expect(await askedFrom(credential.token, IP)).to.deep.include({ allowed: true });
    const third = agent(credential, "bind:c.example.com:443");
    await report(name, [third]);
    expect((await server.rest.post(`/tunnel_sessions/${third.session}/restart`)).status).to.equal(204);
    expect(await askedFrom(credential.token, IP)).to.deep.include({ allowed: true });
  });

  it("is shown to members where it is of their own credentials, which they may also stop, and to nobody in another project", async () => {
    const mine = await server.member();
    const own = agent((await mine.rest.post("/credentials", {})).body, "bind:a.example.com:443");
    const foreign = agent(await server.created("/credentials", {}), "bind:b.example.com:443");
    await report(unique("gateway"), [own, foreign]);
    expect(await idsIn("/tunnel_sessions", mine.rest)).to.deep.equal([own.session]);
    expect(await idsIn("/tunnels", mine.rest)).to.have.length(1);
    const path = (one: Seen) => `/tunnel_sessions/${one.session}`;
    expectRefused(await mine.rest.get(path(foreign)), notFound);
    expectRefused(await mine.rest.post(`${path(foreign)}/stop`, {}), notFound);
    const shop = { "tunnelplane-project": unique("shop") };
    await server.created("/projects", { name: shop["tunnelplane-project"] });
    expectRefused(await server.rest.get(path(own), shop), notFound);
    expect((await server.rest.get("/endpoints", shop)).body.endpoints).to.deep.equal([]);
    const { rest: viewer } = await server.member({ role: "viewer" });
    expect(await idsIn("/tunnel_sessions", viewer)).to.include(foreign.session);
    expectRefused(await viewer.post(`${path(own)}/stop`, {}), { status: 403, code: "TP_1200" });
    expect((await mine.rest.post(`${path(own)}/stop`, {})).status).to.equal(204);
  });

  it("cannot be updated, made or changed, and says why", async () => {
    const one = agent(await server.created("/credentials", {}), "bind:a.example.com:443");
    await report(unique("gateway"), [one]);
    const path = `/tunnel_sessions/${one.session}`;
    expectRefused(await server.rest.post(`${path}/update`, {}), {
      ...{ status: 501, code: "TP_1803", mentions: ["update OpenSSH"] },
    });
    expectRefused(await server.rest.post(`${path}/stop`, { force: true }), unknownField("force"));
    expectRefused(await server.rest.get("/tunnels?before_id=ts_1"), badQuery);
    for (const list of ["/endpoints", "/tunnels", "/tunnel_sessions"])
      expectRefused(await server.rest.post(list, {}), { status: 405, code: "TP_1400" });
    expectRefused(await server.rest.delete(path), { status: 405, code: "TP_1400" });
    const reported = await server.rest.put(`/gateways/${unique("g")}/status`, {
      agents: [{ ...one, session: "ts_1", address: IP, since: SINCE }],
    });
    expectRefused(reported, { status: 400, code: "TP_1001", field: "agents[0].session" });
  });

  it("is listed and stopped by the command line", async () => {
    const one = agent(await server.created("/credentials", {}), "bind:a.example.com:443");
    await report(unique("gateway"), [one]);
    const through = (...words: string[]) =>
      endOf(
        command(server.data, ["sessions", ...words, "--url", server.url], {
          TUNNELPLANE_API_KEY: server.apiKey,
        }),
      );
    const listed = await through();
    expect(listed.out).to.contain(`${one.session} of ${one.credential} from ${IP}`);
    const json = JSON.parse((await through("--output", "json")).out);
    expect(json.map(({ id }: Json) => id)).to.include(one.session);
    expect((await through("stop", one.session)).out).to.equal(`Stopped the session ${one.session}.\n`);
    const again = await through("restart", one.session);
    expect(again.code).to.not.equal(0);
    expect(again.err).to.contain("There is no tunnel session");
  });

  it("is over where its gateway has not reported for 90 s, as an event with the reason", async () => {
    const other = await start({ env: MOVABLE_CLOCK });
    const rest = new Rest(other.url, other.apiKey);
    const credential = (await rest.post("/credentials", {})).body;
    const one = agent(credential, "bind:a.example.com:443");
    const body = { agents: [{ ...one, address: IP, since: SINCE }] };
    expect((await rest.put("/gateways/away/status", body)).status).to.equal(204);
    expect((await rest.get(`/tunnel_sessions/${one.session}`)).status).to.equal(200);
    other.passAnHour();
    while ((await rest.get(`/tunnel_sessions/${one.session}`)).status !== 404) await sleep(100);
    const { body: page } = await rest.get(`/events?object_id=${one.session}`);
    expect(page.events[0]).to.deep.include({ event_type: "tunnel_session_stopped.v0" });
    expect(page.events[0].object.reason).to.equal("gateway_silent");
  });
});
