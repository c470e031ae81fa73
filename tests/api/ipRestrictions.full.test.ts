import { SetInTest } from "../changesets/support";
import { apiOnEveryDatabase, expectRefused, hostport, unique } from "../support/api/expect";
import { sitesOf } from "../support/api/sites";

apiOnEveryDatabase("IP restrictions", (server) => {
  const PATH = "/ip_restrictions";
  /** An admin who comes through a proxy, so that it is not let in as one on this machine is. */
  const PROXY = { "x-forwarded-for": "127.0.0.1" };
  const KEPT_OUT = { status: 403, code: "TP_1200", mentions: ["IP restriction", "127.0.0.1"] } as const;
  const { only } = sitesOf(server);
  const policy = async (...cidrs: string[]): Promise<string> => (await only(...cidrs)).policy;
  const restrict = async (type: string, ...policies: string[]) =>
    server.created(PATH, { type, enforced: true, ip_policy_ids: policies });
  const keyOf = async (role: string) => (await server.member({ role })).rest;

  afterEach(async () => {
    for (const { uri } of (await server.rest.get(PATH)).body.ip_restrictions) await server.rest.delete(uri);
  });

  it("of type api keep all keys out that they do not admit, but for gateways and for an admin on this machine", async () => {
    const [member, gateway, metrics] = [
      await keyOf("member"),
      await keyOf("gateway"),
      await keyOf("metrics"),
    ];
    await restrict("api", await policy("10.0.0.0/8"));
    expectRefused(await member.get("/edges/tls"), KEPT_OUT);
    expectRefused(await metrics.get("/metrics"), KEPT_OUT);
    expectRefused(await server.rest.get("/edges/tls", PROXY), KEPT_OUT);
    expect((await gateway.get("/edges/tls")).status).to.equal(200);
    expect((await server.rest.get("/edges/tls")).status).to.equal(200);
    expect((await fetch(`${server.url}/livez`)).status).to.equal(200);
    const other = await restrict("api", await policy("127.0.0.0/8"));
    expect((await member.get("/edges/tls")).status, "several admit whom any of them admits").to.equal(200);
    expect((await metrics.get("/metrics")).status).to.equal(200);
    await server.rest.patch(other.uri, { enforced: false });
    expectRefused(await member.get("/edges/tls"), KEPT_OUT);
  });

  it("cannot keep the one out who makes them, changes their rules or applies a set, unless forced", async () => {
    const [far, near] = [await policy("10.0.0.0/8"), await policy("127.0.0.0/8")];
    const LOCKED = { status: 409, code: "TP_1500", mentions: ["127.0.0.1", "force=true"] } as const;
    const body = { type: "api", enforced: true, ip_policy_ids: [far] };
    expectRefused(await server.rest.post(PATH, body, PROXY), LOCKED);
    expectRefused(await server.rest.post(`${PATH}?dry_run=true`, body, PROXY), LOCKED);
    const open = await server.rest.post(PATH, { ...body, ip_policy_ids: [near] }, PROXY);
    expect(open.status, open.text).to.equal(201);
    expectRefused(await server.rest.patch(open.body.uri, { ip_policy_ids: [far] }, PROXY), LOCKED);
    const [rule] = (await server.rest.get(`/ip_policy_rules?limit=100`)).body.ip_policy_rules.filter(
      ({ ip_policy }: { ip_policy: { id: string } }) => ip_policy.id === near,
    );
    expectRefused(await server.rest.delete(rule.uri, PROXY), LOCKED);
    expectRefused(await server.rest.patch(rule.uri, { cidr: "127.0.0.2/32" }, PROXY), LOCKED);
    const set = new SetInTest(server.rest, unique("set"));
    const deny = { ip_policy_id: near, cidr: "127.0.0.1/32", action: "deny" };
    expectRefused(await set.send([{ kind: "ip_policy_rule", key: "no", fields: deny }], {}, PROXY), LOCKED);
    expect((await server.rest.delete(`${rule.uri}?force=true`, PROXY)).status).to.equal(204);
    expectRefused(await server.rest.get(PATH, PROXY), KEPT_OUT);
  });

  it("let only admins of the account change the policies that they use", async () => {
    const member = await keyOf("member");
    const [used, free] = [await policy("127.0.0.0/8"), await policy()];
    await restrict("endpoints", used);
    const rule = (ip_policy_id: string) => ({ ip_policy_id, cidr: "192.0.2.0/24", action: "allow" });
    expectRefused(await member.post("/ip_policy_rules", rule(used)), {
      status: 403,
      code: "TP_1200",
      mentions: ["only admins of the account"],
    });
    expect((await member.post("/ip_policy_rules", rule(free))).status).to.equal(201);
  });

  it("of type dashboard keep people out of the console alone", async () => {
    await restrict("dashboard", await policy("10.0.0.0/8"));
    for (const page of ["console", "sign_in"])
      expect((await fetch(`${server.url}/${page}`, { redirect: "manual" })).status, page).to.equal(403);
    expect((await fetch(`${server.url}/docs`)).status).to.equal(200);
    expect((await server.rest.get(PATH)).status).to.equal(200);
  });

  it("need a policy while they are enforced, and refuse nobody while they are not", async () => {
    const nobody = await policy();
    expectRefused(await server.rest.post(PATH, { type: "api", enforced: true, ip_policy_ids: [] }), {
      status: 400,
      code: "TP_1001",
      mentions: ["ip_policy_ids"],
    });
    await server.created(PATH, { type: "api", enforced: false, ip_policy_ids: [nobody] });
    expect((await server.rest.get(PATH, PROXY)).status).to.equal(200);
    expect((await server.rest.get("/metrics")).text)
      .to.contain('tunnelplane_ip_restrictions{type="api",enforced="false"} 1')
      .and.to.contain('tunnelplane_ip_restrictions{type="api",enforced="true"} 0');
  });

  it("of type endpoints are in exposure, in decisions and in what dry runs find", async () => {
    const [address, backend] = [hostport(), await server.created("/backends/http_response", {})];
    const edge = await server.created("/edges/https", { hostports: [address] });
    await server.created(`/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: "/",
      backend: { backend_id: backend.id },
    });
    const office = await policy("10.0.0.0/8");
    const ask = async (from: string) =>
      (await server.rest.post("/exposure/decisions", { requests: [{ address, from }] })).body.decisions[0]
        .outcome;
    expect(await ask("192.0.2.1")).to.equal("answered");
    const dry = await server.rest.post(`${PATH}?dry_run=true&findings=true`, {
      type: "endpoints",
      enforced: true,
      ip_policy_ids: [office],
    });
    expect(dry.body.findings.map(({ rule }: { rule: string }) => rule)).to.include("network-narrowed");
    const restriction = await restrict("endpoints", office);
    expect([await ask("192.0.2.1"), await ask("10.1.2.3")]).to.deep.equal(["refused", "answered"]);
    const { exposure } = (await server.rest.get(`/exposure?address=${address}`)).body;
    expect(exposure[0].networks).to.deep.equal({ v4: ["10.0.0.0/8"], v6: [] });
    const opened = await server.rest.delete(`${restriction.uri}?dry_run=true&findings=true`);
    expect(opened.body.findings.map(({ rule }: { rule: string }) => rule)).to.include("network-opened");
  });

  it("of type endpoints break no guarantee, and are not removed while one needs them", async () => {
    const address = hostport();
    const edge = await server.created("/edges/tls", { hostports: [address] });
    const restriction = await restrict("endpoints", await policy("10.0.0.0/8"));
    const guarantee = await server.created("/guarantees", {
      expect: "refused",
      addresses: [address],
      except_networks: ["10.0.0.0/8"],
    });
    const refused = await server.rest.delete(restriction.uri);
    expect(refused.status, refused.text).to.equal(409);
    await server.rest.delete(guarantee.uri);
    expect((await server.rest.delete(restriction.uri)).status).to.equal(204);
    await server.rest.delete(edge.uri);
  });
});
