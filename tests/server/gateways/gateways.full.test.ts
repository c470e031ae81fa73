import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import {
  apiOnEveryDatabase,
  badQuery,
  expectRefused,
  hostport,
  invalid,
  notFound,
  unique,
  unknownField,
} from "../../support/api/expect";
import { sshKey } from "../../support/api/fixtures";
import { expectRefusedBut } from "../../support/api/refusedBut";
import { execute } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import { command, endOf, run } from "../../support/server";

const forbidden = { status: 403, code: "TP_1200" };
const STATUS = { version: "0.1.0", envoy_version: "1.40.0", sequence: 7, edges: [], agents: [] };

apiOnEveryDatabase("The gateways of an account", (server) => {
  const owner = async (role: string) => {
    const { bot, key, rest } = await server.member({ role });
    return { id: bot.id as string, key: key.token as string, rest };
  };
  const ask = async (proof: object, ...bind: string[]) => {
    const { rest } = await owner("gateway");
    const { status, body, text } = await rest.post("/bind_authorizations", { ...proof, bind });
    expect(status, text).to.equal(200);
    return body;
  };

  it("learn whether a token or a key may bind all that is asked for, whose it is, and why not", async () => {
    const member = await owner("member");
    const { body: tunnel } = await member.rest.post("/credentials", {
      acl: ["bind:*.example.com", "bind:env=*", "bind:host.net:443"],
    });
    const { token } = tunnel;
    const credential = { id: tunnel.id, uri: tunnel.uri };
    const project_ids = [DEFAULT_PROJECT.id];
    const about = { credential, owner_id: member.id, project_ids, acl: tunnel.acl, expires_at: null };
    expect(await ask({ token })).to.deep.equal({ ...about, allowed: true, reason: "" });
    for (const bind of [
      ...["bind:a.b.example.com:443", "bind:A.Example.com:1", "bind:*.x.example.com:443"],
      ...["bind:env=prod", "bind:host.net:443"],
    ])
      expect((await ask({ token }, bind)).allowed, bind).to.equal(true);
    for (const bind of [
      ...["bind:example.com:443", "bind:host.net:444", "bind:*.net:443", "bind:other=prod"],
      "bind:other=a b",
    ]) {
      const { allowed, reason } = await ask({ token }, "bind:env=prod", bind);
      expect(allowed, bind).to.equal(false);
      expect(reason).to.contain(tunnel.id).and.to.contain(bind);
    }
    const key = sshKey();
    const { body: ssh } = await member.rest.post("/ssh_credentials", { public_key: key.openssh });
    expect(
      await ask({ public_key: key.openssh.split(" ").slice(0, 2).join(" ") }, "bind:any.thing:1"),
    ).to.deep.equal({
      ...{ allowed: true, credential: { id: ssh.id, uri: ssh.uri }, owner_id: member.id, project_ids },
      ...{ acl: [], expires_at: null, reason: "" },
    });
    await member.rest.delete(tunnel.uri);
    const { key: adminsKey } = await owner("admin");
    for (const proof of [
      { token },
      { token: "tpt_wrong" },
      { token: adminsKey },
      { public_key: sshKey().openssh },
    ])
      expect(await ask(proof)).to.deep.include({
        allowed: false,
        credential: null,
        owner_id: null,
        project_ids: [],
      });
  });

  it("refuse to authorize what is neither a token nor a key, and callers that are neither a gateway nor an admin", async () => {
    const { rest } = await owner("gateway");
    const key = sshKey().openssh;
    for (const body of [{}, { token: "a", public_key: key }, { bind: ["bind:a:1"] }])
      expectRefused(await rest.post("/bind_authorizations", body), invalid());
    expectRefused(await rest.post("/bind_authorizations", { public_key: "no key" }), invalid("public_key"));
    expectRefused(await rest.post("/bind_authorizations", { token: "a", bind: "bind:a:1" }), invalid("bind"));
    expectRefused(await rest.post("/bind_authorizations", { token: "a", binds: [] }), unknownField("binds"));
    for (const wrong of [
      ...["", "*", "bind:", "a.net:1", "bind:a.net", "bind:a.net:0", "bind:a..net:1", "bind:a="],
      ...["bind:a=b=c", "bind:a=\n"],
    ])
      expectRefused(await rest.post("/bind_authorizations", { token: "a", bind: ["bind:a=b", wrong] }), {
        ...invalid("bind[1]"),
        mentions: ['expected "bind:<host>:<port>", or "bind:<key>=<value>" for each label'],
      });
    const many = (count: number) => Array.from({ length: count }, (_, index) => `bind:n=${index}`);
    expectRefused(await rest.post("/bind_authorizations", { token: "a", bind: many(1001) }), invalid("bind"));
    expect((await rest.post("/bind_authorizations", { token: "a", bind: many(1000) })).status).to.equal(200);
    const member = await owner("member");
    await expectRefusedBut(
      [
        () => member.rest.post("/bind_authorizations", { token: "a" }),
        () => member.rest.put("/gateways/one/status", STATUS),
      ],
      forbidden,
      () => server.rest.post("/bind_authorizations", { token: "a" }),
    );
  });

  it("do not slow down valid tokens, however many wrong ones they ask for", async () => {
    const { token } = await server.created("/credentials", {});
    const { rest } = await owner("gateway");
    for (let count = 0; count < 50; count++)
      await rest.post("/bind_authorizations", { token: `tpt_wrong-${count}` });
    expect((await rest.post("/bind_authorizations", { token })).body.allowed).to.equal(true);
  });

  it("show everybody what they serve; of agents, members see their own and a count of the others", async () => {
    const [gateway, member, other] = [await owner("gateway"), await owner("member"), await owner("member")];
    const [own, foreign] = [
      (await member.rest.post("/credentials", {})).body.id,
      (await other.rest.post("/credentials", {})).body.id,
    ];
    const edges = [
      {
        id: (await server.created("/edges/tls", { hostports: [hostport()] })).id,
        state: "applied",
        reason: "",
      },
      {
        id: (await server.created("/edges/tls", { hostports: [hostport()] })).id,
        state: "rejected",
        reason: "no certificate",
      },
    ];
    const agentOf = (credential: string) => ({
      ...{ credential, bind: ["bind:a.example.com:443"], address: "192.0.2.1" },
      since: "2026-01-31T08:00:00Z",
    });
    const agents = [agentOf(own), agentOf(foreign), agentOf(foreign)];
    const name = unique("gw-");
    const put = await gateway.rest.put(`/gateways/${name}/status`, { ...STATUS, edges, agents });
    expect([put.status, put.text]).to.deep.equal([204, ""]);
    const { gateways } = await server.read("/gateways");
    const listed = gateways.find((one: { name: string }) => one.name === name);
    expect(listed).to.deep.equal({
      ...{ name, uri: `${server.url}/gateways/${name}`, last_seen: listed.last_seen, version: "0.1.0" },
      ...{ envoy_version: "1.40.0", sequence: 7, applied: 1, rejected: 1 },
    });
    expect(Date.now() - Date.parse(listed.last_seen)).to.be.within(-1000, 60_000);
    expect(await server.read(`/gateways/${name}`)).to.deep.equal({
      ...listed,
      edges,
      agents,
      other_agents: 0,
    });
    const { sequence: _, ...withoutSequence } = listed;
    expect((await member.rest.get(`/gateways/${name}`)).body).to.deep.equal({
      ...withoutSequence,
      edges,
      agents: [agents[0]],
      other_agents: 2,
    });
    expect((await gateway.rest.get(`/gateways/${name}`)).body).to.deep.equal({
      ...listed,
      edges,
      agents: [],
      other_agents: 3,
    });
    await gateway.rest.put(`/gateways/${name}/status`, { ...STATUS, sequence: 8 });
    expect(await server.read(`/gateways/${name}`)).to.include({
      sequence: 8,
      applied: 0,
      rejected: 0,
      other_agents: 0,
    });
  });

  it("are listed by name, page by page", async () => {
    for (const name of ["page-c", "page-a", "page-b"])
      await server.rest.put(`/gateways/${name}/status`, STATUS);
    const names: string[] = [];
    for (let next: string | null = "/gateways?limit=1&after_name=page"; next; ) {
      const page = await server.read(next);
      names.push(...page.gateways.map(({ name }: { name: string }) => name));
      next = page.next_page_uri;
    }
    expect(names.slice(0, 3)).to.deep.equal(["page-a", "page-b", "page-c"]);
    await expectRefusedBut(
      () => server.rest.get("/gateways?after_name=/"),
      badQuery,
      () => server.rest.get("/gateways?after_name=page"),
    );
  });

  it("report ten thousand edges in one piece, and nothing malformed", async () => {
    const edges = Array.from({ length: 10_000 }, (_, index) => ({
      id: `edgtls_${index}`,
      state: "applied",
      reason: "",
    }));
    expect((await server.rest.put("/gateways/large/status", { ...STATUS, edges })).status).to.equal(204);
    expect((await server.read("/gateways/large")).applied).to.equal(10_000);
    const put = (status: object, name = "large") => server.rest.put(`/gateways/${name}/status`, status);
    expectRefused(
      await put({ ...STATUS, edges: [{ id: "edgtls_1", state: "open" }] }),
      invalid("edges[0].state"),
    );
    expectRefused(await put({ ...STATUS, sequence: -1 }), invalid("sequence"));
    expectRefused(
      await put({ ...STATUS, agents: [{ credential: "cr_1", bind: [], address: "a", since: "today" }] }),
      invalid("agents[0].since"),
    );
    expectRefused(await put({ ...STATUS, more: 1 }), unknownField("more"));
    await expectRefusedBut(
      () => put(STATUS, "a%20name"),
      invalid("name"),
      () => put(STATUS, "a-name"),
    );
    expect((await server.read("/gateways/large")).applied).to.equal(10_000);
  });

  it("leave the list when they were not seen for 7 days", async () => {
    await server.rest.put("/gateways/silent/status", STATUS);
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
    const seen = async (ago: number) => {
      await execute(server.data, `update gateway set last_seen = '${days(ago)}' where name = 'silent'`);
      return server.rest.get("/gateways/silent");
    };
    await refusedBeside({ refused: () => seen(7.1), as: notFound, allowed: () => seen(6.9) });
    expect(
      (await server.read("/gateways")).gateways.map(({ name }: { name: string }) => name),
    ).not.to.include("silent");
  });

  it("are shown and removed by the command line: all, one with its edges and agents, one edge at all of them", async () => {
    const edge = { id: "edgtls_shown", state: "rejected", reason: "no certificate for it" };
    const agent = {
      ...{ credential: "cr_shown", bind: ["bind:a.example.com:443"], address: "192.0.2.1" },
      since: "2026-01-31T08:00:00Z",
    };
    await server.rest.put("/gateways/shown/status", { ...STATUS, edges: [edge], agents: [agent] });
    const cli = async (...args: string[]) =>
      endOf(
        command(server.data, ["gateways", ...args, "--url", server.url], {
          TUNNELPLANE_API_KEY: server.apiKey,
        }),
      );
    expect((await cli()).out).to.match(
      /^shown seen \S+ version 0\.1\.0 envoy 1\.40\.0 sequence 7 applied 0 rejected 1$/m,
    );
    expect((await cli("shown")).out)
      .to.contain("edge edgtls_shown rejected: no certificate for it")
      .and.to.contain(
        "agent cr_shown from 192.0.2.1 since 2026-01-31T08:00:00Z serves bind:a.example.com:443",
      );
    expect((await cli("--edge", edge.id)).out).to.contain("shown rejected: no certificate for it");
    const { code, err } = await cli("nobody");
    expect([code, err.trim().split("\n").length]).to.deep.equal([3, 1]); // the server refused it
    expect(err).to.contain('There is no gateway "nobody"');
    expect((await cli("delete", "shown")).out).to.equal("Removed the gateway shown from the list.\n");
    expect((await cli("delete", "shown")).err).to.contain('There is no gateway "shown"');
  });

  it("are removed from the list by an admin, which the audit log records; nobody else may remove one, and nothing else is removed", async () => {
    for (const name of ["gone", "stays"]) await server.rest.put(`/gateways/${name}/status`, STATUS);
    const [member, gateway] = [await owner("member"), await owner("gateway")];
    expect((await server.rest.delete("/gateways/gone?dry_run=true")).status).to.equal(204);
    await expectRefusedBut(
      [member, gateway].map(
        ({ rest }) =>
          () =>
            rest.delete("/gateways/gone"),
      ),
      forbidden,
      () => server.rest.delete("/gateways/gone"),
    );
    for (const refused of [
      await server.rest.get("/gateways/gone"),
      await server.rest.delete("/gateways/gone"),
    ])
      expectRefused(refused, notFound);
    expect((await server.read("/gateways/stays")).name).to.equal("stays");
    const { audit_events: rows } = await server.read("/audit_events?limit=1");
    expect(rows[0]).to.include({ action: "gateway_deleted", object_id: "gone", event_id: null });
    const { code, out } = await run(server.data, "audit", "verify");
    expect(code, out).to.equal(0);
  });

  it("say which ports they listen for; once all do, what is declared for another port is closed", async () => {
    await execute(server.data, "delete from gateway");
    const hostports = [`${unique("ports")}.example.org:8443`];
    const { id } = await server.created("/edges/tls", { hostports: [`${unique("ports")}.example.org:443`] });
    const verdict = async () => {
      const asked = await server.rest.patch(`/edges/tls/${id}?dry_run=true&findings=true`, { hostports });
      return asked.body.findings.map(({ rule }: { rule: string }) => rule).sort();
    };
    await server.rest.put("/gateways/old/status", STATUS);
    expect(await verdict()).to.deep.equal(["address-removed", "opened-unprotected"]);
    await server.rest.put("/gateways/new/status", { ...STATUS, ports: [443, 80] });
    expect((await server.read("/gateways/new")).ports).to.deep.equal([443, 80]);
    expect(await verdict(), "the other one may listen for any port").to.include("opened-unprotected");
    await server.rest.put("/gateways/old/status", { ...STATUS, ports: [443] });
    expect(await verdict()).to.deep.equal(["address-added", "address-removed"]);
    const request = { address: hostports[0], from: "198.51.100.7" };
    await server.rest.patch(`/edges/tls/${id}`, { hostports });
    const decided = await server.rest.post("/exposure/decisions", { requests: [request] });
    expect(decided.body.decisions[0]).to.include({ outcome: "closed" });
    expect(decided.body.decisions[0].sentence).to.contain("No gateway listens for port 8443");
    await execute(server.data, "delete from gateway");
  });

  it("are at most a thousand; one that leaves the list makes room", async () => {
    const rows = Array.from(
      { length: 1000 },
      (_, index) => `('crowd-${index}', '${new Date().toISOString()}', '', '', 0, 0, 0, '[]', '[]', null)`,
    );
    await execute(server.data, "delete from gateway");
    await execute(server.data, `insert into gateway values ${rows.join(", ")}`);
    await expectRefusedBut(
      () => server.rest.put("/gateways/more/status", STATUS),
      { status: 409, code: "TP_1501" },
      () => server.rest.put("/gateways/crowd-1/status", STATUS),
    );
    expect((await server.rest.delete("/gateways/crowd-2")).status).to.equal(204);
    expect((await server.rest.put("/gateways/more/status", STATUS)).status).to.equal(204);
    await execute(server.data, "delete from gateway");
  });
});
