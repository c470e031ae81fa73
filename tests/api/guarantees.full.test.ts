import { PROJECT_HEADER } from "@tunnelplane/sdk/contract";
import { apiOnEveryDatabase, expectRefused, type Json, unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { sitesOf } from "../support/api/sites";
import { tracesIn } from "../support/databases";
import type { RestAnswer } from "../support/rest";

const broken = { status: 409, code: "TP_1504" };

apiOnEveryDatabase("Guarantees", (server) => {
  const { site, only } = sitesOf(server);
  const guarantee = (fields: Json) => server.created("/guarantees", fields);
  const closed = (...addresses: string[]) =>
    guarantee({ expect: "refused", addresses, except_networks: ["10.0.0.0/8"] });
  const stateOf = async (id: string) => {
    const { state, covered, example, reason } = await server.read(`/guarantees/${id}`);
    return { state, covered, example, reason };
  };

  /** A host whose `/admin` only the office reaches, and the guarantee that says so. */
  async function adminPages(mode = "enforce") {
    const host = `${unique("app")}.example.org`;
    const office = await only("10.0.0.0/8");
    const { ip_restriction } = office;
    const made = await site([`${host}:443`], { match: "/" }, { match: "/admin", ip_restriction });
    const [open, admin] = made.routes;
    const described = `only the office reaches the admin pages of ${host}`;
    const held = await guarantee({
      ...{ description: described, expect: "refused", addresses: [`${host}:443/admin`] },
      ...{ except_networks: ["10.0.0.0/8"], mode },
    });
    const routes = `/edges/https/${made.edge.id}/routes`;
    return { ...office, ...made, host, open, admin, guarantee: held, routes, described };
  }

  /** Shows that a change is refused by a guarantee, and one that keeps it is not. */
  const breaks = (
    change: () => Promise<RestAnswer>,
    kept: () => Promise<RestAnswer>,
    ...mentions: string[]
  ) => expectRefusedBut(change, { ...broken, mentions }, kept);

  /** Checks that a change is refused by a guarantee, dry or not, with a request from elsewhere. */
  async function refused(
    { guarantee, described, host }: Awaited<ReturnType<typeof adminPages>>,
    change: (query: string) => Promise<RestAnswer>,
    path = "/admin",
  ): Promise<void> {
    const traces = await tracesIn(server);
    for (const query of ["?dry_run=true", ""]) {
      const answer = await breaks(
        () => change(query),
        () => server.rest.patch(`/guarantees/${guarantee.id}?dry_run=true`, { mode: "report" }),
        ...[guarantee.id, described],
      );
      expect(answer.body.guarantees).to.have.length(1);
      const [{ id, description, example }] = answer.body.guarantees;
      expect([id, description]).to.deep.equal([guarantee.id, described]);
      expect(example.request.address).to.equal(`${host}:443`);
      expect(example.request.path.startsWith(path)).to.equal(true);
      expect(example.after.outcome).to.equal("answered");
    }
    expect(await tracesIn(server)).to.deep.equal(traces);
    expect((await stateOf(guarantee.id)).state).to.equal("holds");
  }

  it("refuse each single change that would break one, dry or not: of a rule, a policy's use, a module, a route", async () => {
    const pages = await adminPages();
    expect(pages.guarantee).to.include({ state: "holds", covered: 1, example: null });
    const { rest } = server;
    const { routes, admin, policy, rule } = pages;
    const [path, off] = [`${routes}/${admin.id}`, { ...pages.ip_restriction, enabled: false }];
    const everybody = { ip_policy_id: policy, cidr: "198.51.100.0/24", action: "allow" };
    await refused(pages, (query) => rest.post(`/ip_policy_rules${query}`, everybody));
    await refused(pages, (query) => rest.patch(`/ip_policy_rules/${rule}${query}`, { cidr: "0.0.0.0/1" }));
    await refused(pages, (query) => rest.delete(`${path}/ip_restriction${query}`));
    await refused(pages, (query) => rest.put(`${path}/ip_restriction${query}`, off));
    await refused(pages, (query) => rest.patch(`${path}${query}`, { ip_restriction: off }));
    await refused(pages, (query) => rest.patch(`${path}${query}`, { match: "/administration" }));
    await refused(pages, (query) => rest.delete(`${path}${query}`));
    const open = { match: "/admin/help", match_type: "path_prefix", backend: { backend_id: pages.backend } };
    await refused(pages, (query) => rest.post(`${routes}${query}`, open), "/admin/help");
    expect((await rest.patch(`${path}?dry_run=true`, { description: "pages" })).status).to.equal(200);
  });

  it("also hold what must be answered: the path of health checks cannot be closed", async () => {
    const host = `${unique("app")}.example.org`;
    const { routes, edge } = await site([`${host}:443`], { match: "/" });
    const monitor = await guarantee({
      ...{ description: "the monitor is answered", expect: "answered" },
      ...{ addresses: [`${host}:443/health`], methods: ["GET"], networks: ["192.0.2.10/32"] },
    });
    expect(monitor.state).to.equal("holds");
    const { ip_restriction } = await only("10.0.0.0/8");
    const path = `/edges/https/${edge.id}/routes/${routes[0].id}`;
    expectRefused(await server.rest.delete(`/edges/https/${edge.id}`), broken);
    const wider = await only("192.0.2.0/24");
    await breaks(
      () => server.rest.patch(path, { ip_restriction }),
      () => server.rest.patch(path, { ip_restriction: wider.ip_restriction }),
      ...["the monitor is answered", "192.0.2.10"],
    );
  });

  it("are listed with their states where a list is asked for them, at most 20 a page, as each is answered", async () => {
    const host = `${unique("app")}.example.org`;
    await site([`${host}:443`], { match: "/" });
    const made = [];
    const fields = { expect: "refused", mode: "report", metadata: host };
    for (let index = 0; index < 22; index++)
      made.push(await guarantee({ ...fields, addresses: [`${host}:443/${index}`] }));
    const query = `metadata=${host}`;
    const plain = (await server.rest.get(`/guarantees?${query}`)).body.guarantees;
    expect(plain.map(({ state, covered }: Json) => [state, covered])).to.deep.equal(
      made.map(() => [null, null]),
    );
    const first = (await server.rest.get(`/guarantees?${query}&state=true`)).body;
    expect(first.guarantees).to.have.length(20);
    const second = (await server.rest.get(first.next_page_uri)).body;
    const shown = [...first.guarantees, ...second.guarantees];
    expect(shown).to.deep.equal(made.toReversed());
    expect(shown.every(({ state, example }: Json) => state === "broken" && example !== null)).to.equal(true);
    const { guarantees } = (await server.rest.get(`/guarantees?${query}&state=true&limit=1`)).body;
    expect(guarantees).to.deep.equal(made.slice(-1));
    await expectRefusedBut(
      () => server.rest.get("/guarantees?state=yes"),
      { status: 400, code: "TP_1007", mentions: ["state must be true or false"] },
      () => server.rest.get("/guarantees?state=false"),
    );
  });

  it("never answer 304, because their state changes although their ETag stays the same", async () => {
    const { guarantee, admin, routes } = await adminPages("report");
    const path = `/guarantees/${guarantee.id}`;
    const etag = await server.etag(path);
    expect((await server.rest.delete(`${routes}/${admin.id}`)).status).to.equal(204);
    const answer = await server.rest.get(path, { "if-none-match": etag });
    expect(answer.status).to.equal(200);
    expect(answer.body.state).to.equal("broken");
    expect(answer.headers.get("etag")).to.equal(etag);
    const changed = await server.rest.request("PATCH", path, { description: "seen" }, { "if-match": etag });
    expect(changed.status, changed.text).to.equal(200);
  });

  it("that are broken when they are made refuse from the moment they hold, and never a repair", async () => {
    const host = `${unique("app")}.example.org`;
    const { edge, routes } = await site([`${host}:443`], { match: "/" }, { match: "/admin" });
    const made = await closed(`${host}:443/admin`);
    expect(made).to.include({ state: "broken", covered: 1 });
    expect(made.example.request.path).to.match(/^\/admin/);
    const { ip_restriction } = await only("10.0.0.0/8");
    const path = (index: number) => `/edges/https/${edge.id}/routes/${routes[index].id}`;
    const repaired = await server.rest.patch(path(1), { ip_restriction });
    expect(repaired.status, repaired.text).to.equal(200);
    expect((await stateOf(made.id)).state).to.equal("holds");
    await breaks(
      () => server.rest.delete(path(1)),
      () => server.rest.patch(path(0), { metadata: "also while it is broken" }),
    );
  });

  it("refuse one that contradicts another, with the request; once it is narrowed, both are stored", async () => {
    const host = `${unique("both")}.example.org`;
    const first = await guarantee({
      ...{ description: "closed", expect: "refused", addresses: [`*.${host}:443`] },
      networks: ["203.0.113.0/24"],
    });
    const opposite = { expect: "answered", addresses: [`app.${host}:443/health`], methods: ["GET"] };
    const answer = await expectRefusedBut(
      () => server.rest.post("/guarantees", opposite),
      { status: 409, code: "TP_1505", mentions: [first.id, "closed", "203.0.113."] },
      () => server.rest.post("/guarantees", { ...opposite, except_networks: ["203.0.113.0/24"] }),
    );
    const [{ id, description, request }] = answer.body.guarantees;
    expect([id, description]).to.deep.equal([first.id, "closed"]);
    expect(request).to.include({ address: `app.${host}:443`, method: "GET" });
    expect(request.from).to.match(/^203\.0\.113\./);
    const reported = await server.rest.post("/guarantees", { ...opposite, mode: "report" });
    expect(reported.status, reported.text).to.equal(201);
    expectRefused(await server.rest.patch(`/guarantees/${reported.body.id}`, { mode: "enforce" }), {
      status: 409,
      code: "TP_1505",
    });
    expect(await server.read(`/guarantees/${reported.body.id}`)).to.include({ mode: "report" });
  });

  it("that cannot be proved are stored with the reason, and a change after which one cannot is refused", async () => {
    const host = `${unique("app")}.example.org`;
    const { edge, routes } = await site([`${host}:443`], { match: "/" }, { match: "/admin" });
    const admin = { expect: "answered", addresses: [`${host}:443/admin`] };
    const held = await guarantee(admin);
    const expressions = ['req.headers["x-a"].matches("a.{14}b")'];
    const deny = { inbound: [{ name: "", expressions, actions: [{ type: "deny", config: {} }] }] };
    const change = () => server.rest.put(`/edges/https/${edge.id}/routes/${routes[1].id}/policies`, deny);
    const refusal = await breaks(
      change,
      () => server.rest.patch(`/edges/https/${edge.id}/routes/${routes[1].id}`, { description: "x" }),
      ...[held.id, "could not be proved any more", "`x-a`"],
    );
    expect(refusal.body.guarantees[0].reason).to.contain("5000 states");
    expect((await server.rest.delete(`/guarantees/${held.id}`)).status).to.equal(204);
    expect((await change()).status).to.equal(200);
    const object = { kind: "guarantee", key: "admin", fields: admin };
    const { body } = await server.rest.post("/changesets", { set: unique("set"), objects: [object] });
    const bySet = await server.rest.get(`/guarantees/${body.operations[0].id}`);
    const wider = await guarantee({ ...admin, addresses: [`${host}:443`] });
    for (const { state, reason } of [await guarantee(admin), bySet.body, wider])
      expect({ state, names: /5000 states/.test(reason) }).to.deep.equal({ state: "unproved", names: true });
    // None of them held, so none refuses the next change.
    expect((await change()).status).to.equal(200);
  });

  it("also refuse the changes of members, and name a request without what the member may not see", async () => {
    const pages = await adminPages();
    const { rest } = await server.member();
    const rule = { ip_policy_id: pages.policy, cidr: "198.51.100.0/24", action: "allow" };
    const answer = await breaks(
      () => rest.post("/ip_policy_rules", rule),
      () => rest.post("/ip_policy_rules", { ...rule, action: "deny" }),
      pages.guarantee.id,
    );
    expect(answer.body.guarantees[0].example.request.from).to.match(/^198\.51\.100\./);
  });

  it("in report mode refuse nothing and show the request that breaks them; deleted, they are gone", async () => {
    const { guarantee, rule, host } = await adminPages();
    const path = `/guarantees/${guarantee.id}`;
    const open = () => server.rest.patch(`/ip_policy_rules/${rule}`, { cidr: "0.0.0.0/0" });
    await breaks(open, async () => {
      expect((await server.rest.patch(path, { mode: "report" })).status).to.equal(200);
      return open();
    });
    const { example, ...shown } = await stateOf(guarantee.id);
    expect(shown).to.deep.include({ state: "broken", covered: 1 });
    expect(example.request).to.include({ address: `${host}:443` });
    expect(example.decision).to.include({ outcome: "answered", status: 204 });
    const asked = await server.rest.post("/exposure/decisions", { requests: [example.request] });
    expect(asked.body.decisions[0]).to.include({ outcome: "answered", status: 204 });
    expect((await server.rest.delete(path)).status).to.equal(204);
    const places = `select address_key from guarantee_address where guarantee_id = '${guarantee.id}'`;
    expect(await server.query(places)).to.deep.equal([]);
  });

  it("are all stored where many are made at once, and still contradict one another", async () => {
    const host = `${unique("many")}.example.org:443`;
    const body = (expect: string, n: number) => ({ expect, addresses: [`${host}/${n}/`] });
    const many = Array.from({ length: 32 }, (_, n) => body(n % 2 ? "refused" : "answered", n));
    const made = await Promise.all(many.map((each) => server.rest.post("/guarantees", each)));
    expect(made.map(({ status }) => status)).to.deep.equal(many.map(() => 201));
    const others = many.map(({ expect }, n) => body(expect === "refused" ? "answered" : "refused", n));
    const contradict = (each: Json) =>
      expectRefusedBut(
        () => server.rest.post("/guarantees", each),
        { status: 409, code: "TP_1505" },
        () => server.rest.post("/guarantees", { ...each, mode: "report" }),
      );
    await Promise.all(others.map(contradict));
  });

  it("of other projects refuse a change of a shared policy that would break them, and say no more than that", async () => {
    const made = async (shared: boolean) => {
      const { id, name } = await server.created("/projects", { name: unique("team"), shared });
      const headers = { [PROJECT_HEADER]: name };
      const create = async (path: string, body: Json) => {
        const { status, body: answer, text } = await server.rest.post(path, body, headers);
        expect(status, text).to.equal(201);
        return answer;
      };
      return { id, name, headers, create };
    };
    const [lender, team] = [await made(true), await made(false)];
    const policy = await lender.create("/ip_policies", {});
    const rule = await lender.create("/ip_policy_rules", {
      ip_policy_id: policy.id,
      cidr: "10.0.0.0/8",
      action: "allow",
    });
    const host = `${unique("lent")}.example.org`;
    const backend = await team.create("/backends/tunnel_group", { labels: { app: unique() } });
    await team.create("/edges/tls", {
      hostports: [`${host}:443`],
      backend: { backend_id: backend.id },
      ip_restriction: { ip_policy_ids: [policy.id] },
    });
    const declared = await team.create("/guarantees", {
      expect: "refused",
      addresses: [`${host}:443`],
      except_networks: ["10.0.0.0/8"],
    });
    const change = (cidr: string) =>
      server.rest.patch(`/ip_policy_rules/${rule.id}`, { cidr }, lender.headers);
    const bot = await lender.create("/bot_users", { name: "network" });
    const member = server.rest.as((await lender.create("/api_keys", { owner_id: bot.id })).token);
    const rulePath = `/ip_policy_rules/${rule.id}`;
    for (const query of ["", "?force=true"]) {
      const answer = await expectRefusedBut(
        () => member.patch(rulePath + query, { cidr: "0.0.0.0/1" }),
        { ...broken, mentions: ["A guarantee of another project"] },
        () => member.patch(rulePath + query, { cidr: "10.0.0.0/9" }),
      );
      for (const theirs of [declared.id, host, team.id]) expect(answer.text).not.to.contain(theirs);
    }
    // An admin of the account learns which one, and may set it aside.
    const known = await change("0.0.0.0/1");
    expectRefused(known, { ...broken, mentions: [declared.id, team.name, "force=true"] });
    expect((await change("10.0.0.0/9")).status).to.equal(200);
    const path = `/guarantees/${declared.id}`;
    expect((await server.rest.get(path, team.headers)).body.state).to.equal("holds");
    const asked = `${rulePath}?force=true&dry_run=true&findings=true`;
    const dry = await server.rest.patch(asked, { cidr: "0.0.0.0/1" }, lender.headers);
    const [finding] = dry.body.findings;
    expect(finding).to.include({ rule: "guarantee-broken", severity: "high", id: declared.id });
    expect(finding.sentence).to.match(
      new RegExp(`of the project \`${team.name}\` is set aside: that requests to`),
    );
    // The team has no credential that may bind the backend; with one, somebody answers.
    expect(finding.example.after.outcome).to.equal("unserved");
    await team.create("/credentials", { acl: [] });
    const again = await server.rest.patch(asked, { cidr: "0.0.0.0/1" }, lender.headers);
    expect(again.body.findings[0].example.after.outcome).to.equal("answered");
    const forced = await server.rest.patch(`${rulePath}?force=true`, { cidr: "0.0.0.0/1" }, lender.headers);
    expect(forced.status, forced.text).to.equal(200);
    const { audit_events: rows } = await server.read("/audit_events?limit=5");
    const aside = rows.find(({ action }: Json) => action === "guarantee_set_aside");
    expect(aside).to.deep.include({ object_id: declared.id, project: team.name });
    const { state, example } = (await server.rest.get(path, team.headers)).body;
    expect([state, example.decision.outcome]).to.deep.equal(["broken", "answered"]);
  });
});
