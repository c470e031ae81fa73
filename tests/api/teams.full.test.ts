import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import {
  apiOnEveryDatabase,
  expectRefused,
  hostport,
  inUse,
  missingReference,
  notFound,
  taken,
  unique,
} from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { execute } from "../support/databases";
import { Rest, type RestAnswer } from "../support/rest";

const FORBIDDEN = { status: 403, code: "TP_1200" };
type Object = RestAnswer["body"];

apiOnEveryDatabase("Projects and memberships", (server) => {
  const newProject = (): Promise<Object> => server.created("/projects", { name: unique("team") });
  const created = async (answer: Promise<RestAnswer>): Promise<Object> => {
    const { status, text, body } = await answer;
    expect(status, text).to.equal(201);
    return body;
  };

  const botIn = async (project: Object, role = "member") => {
    const admin = server.rest.inside(project.name);
    const bot = await created(admin.post("/bot_users", { name: unique("bot"), role: "member" }));
    if (role !== "member")
      await server.created("/memberships", { project_id: project.id, role, bot_user_id: bot.id });
    const key = await created(admin.post("/api_keys", { owner_id: bot.id }));
    return { bot, key, rest: new Rest(server.url, key.token) };
  };

  it("default is there from the start: it stays, keeps its name, and may be changed apart from that", async () => {
    const { projects } = await server.read("/projects");
    expect(projects.at(-1)).to.deep.include({ ...DEFAULT_PROJECT, shared: false, description: "" });
    const path = `/projects/${DEFAULT_PROJECT.id}`;
    await expectRefusedBut(
      [() => server.rest.delete(path), () => server.rest.patch(path, { name: "other" })],
      inUse("default"),
      () => server.rest.patch(path, { shared: false }),
    );
    const make = (name: string) => () => server.rest.post("/projects", { name });
    await expectRefusedBut(make("default"), taken("name"), make(unique("team")));
    for (const description of ["ours", "ours again"]) {
      const changed = await server.rest.patch(path, { description });
      expect(changed.status, changed.text).to.equal(200);
      expect((await server.read(path)).description).to.equal(description);
      expect(
        (await server.read("/projects")).projects.filter(({ id }: Object) => id === DEFAULT_PROJECT.id),
      ).to.have.length(1);
    }
    await server.rest.patch(path, { description: "" });
  });

  it("a project that holds objects cannot be deleted, and is gone once it is empty", async () => {
    const project = await newProject();
    const admin = server.rest.inside(project.name);
    const policy = await created(admin.post("/ip_policies", {}));
    const remove = () => server.rest.delete(`/projects/${project.id}`);
    await expectRefusedBut(remove, inUse(policy.id), async () => {
      expect((await admin.delete(`/ip_policies/${policy.id}`)).status).to.equal(204);
      return remove();
    });
    expectRefused(await admin.get("/ip_policies"), notFound);
  });

  it("a membership names one subject that exists, and a role that holds there", async () => {
    const { id } = await newProject();
    const { bot } = await server.member();
    const send = (body: object) => server.rest.post("/memberships", body);
    const body = { project_id: id, role: "member", bot_user_id: bot.id };
    await server.created("/memberships", body);
    await expectRefusedBut(
      () => send(body),
      taken("role"),
      () => send({ ...body, role: "viewer", expires_at: "2126-01-31T08:00:00Z" }),
    );
    await server.created("/memberships", {
      project_id: DEFAULT_PROJECT.id,
      role: "viewer",
      group: unique("g"),
    });
  });

  it("memberships add, the strongest role holds, and what ended counts no more", async () => {
    const [first, second] = [await newProject(), await newProject()];
    const { rest, bot } = await botIn(first);
    const roleIn = async (project: Object) =>
      (await rest.inside(project.name).get("/caller")).body.role ?? "none";
    expect(await roleIn(second)).to.equal("none");
    const grant = { project_id: second.id, bot_user_id: bot.id };
    await server.created("/memberships", { ...grant, role: "viewer" });
    expect(await roleIn(second)).to.equal("viewer");
    const admin = await server.created("/memberships", {
      ...grant,
      role: "admin",
      expires_at: "2126-01-31T08:00:00Z",
    });
    expect(await roleIn(second)).to.equal("admin");
    expect(await roleIn(first)).to.equal("member");
    const { projects } = (await rest.get("/caller")).body;
    expect(projects).to.have.deep.members([
      { id: first.id, name: first.name, role: "member" },
      { id: second.id, name: second.name, role: "admin" },
    ]);
    await expectRefusedBut(
      () => rest.get("/ip_policies"),
      { status: 400, code: "TP_1008", mentions: [first.name, second.name] },
      () => rest.inside(first.name).get("/ip_policies"),
    );
    await server.rest.patch(admin.uri, { role: "member" });
    expect(await roleIn(second)).to.equal("member");
    await server.rest.delete(admin.uri);
    expect(await roleIn(second)).to.equal("viewer");
    await server.created("/memberships", { project_id: null, role: "member", bot_user_id: bot.id });
    expect(await roleIn(second)).to.equal("member");
    expect(await roleIn(await newProject())).to.equal("member");
  });

  it("a key for one project works there alone, and makes keys for no other", async () => {
    const [own, other] = [await newProject(), await newProject()];
    const key = await server.created("/api_keys", { project_id: own.id });
    const rest = new Rest(server.url, key.token);
    expect((await rest.get("/caller")).body).to.deep.include({
      role: "admin",
      account_role: null,
      projects: [{ id: own.id, name: own.name, role: "admin" }],
    });
    await expectRefusedBut(
      () => rest.inside(other.name).get("/ip_policies"),
      notFound,
      () => rest.inside(own.name).get("/ip_policies"),
    );
    expect((await created(rest.post("/api_keys", {}))).project_id).to.equal(own.id);
    expectRefused(await rest.post("/api_keys", { project_id: other.id }), missingReference("project_id"));
    expectRefused(await rest.post("/projects", { name: unique("team") }), FORBIDDEN);
    expectRefused(await rest.patch(key.uri, { project_id: null }), { status: 400, code: "TP_1003" });
  });

  it("an admin of a project has all of it and nothing of the account", async () => {
    const [own, other] = [await newProject(), await newProject()];
    const { rest } = await botIn(own, "admin");
    await created(
      rest.post("/guarantees", { expect: "refused", addresses: [`${unique("h")}.example.com:443/x`] }),
    );
    const bot = await created(rest.post("/bot_users", { name: "ci" }));
    await created(rest.post("/api_keys", { owner_id: bot.id }));
    await created(rest.post("/memberships", { project_id: own.id, role: "admin", bot_user_id: bot.id }));
    await created(rest.post("/memberships", { project_id: own.id, role: "viewer", group: unique("g") }));
    const claims = { sub: "repo:acme/infra:ref:refs/heads/main" };
    const identity = { issuer: "https://id.example.com", audiences: ["tunnels"], claims };
    await created(rest.post("/workload_identities", { ...identity, bot_user_id: bot.id }));
    for (const role of ["admin", "gateway", "metrics"])
      await expectRefusedBut(
        () => rest.post("/bot_users", { name: "up", role }),
        { ...FORBIDDEN, field: "role" },
        () => server.rest.post("/bot_users?dry_run=true", { name: "up", role }),
      );
    expectRefused(await rest.post("/memberships", { role: "admin", bot_user_id: bot.id }), {
      ...FORBIDDEN,
      field: "project_id",
    });
    expectRefused(await rest.get("/metrics"), FORBIDDEN);
    // A bot that has a role elsewhere too could be used to get there.
    await server.created("/memberships", { project_id: other.id, role: "viewer", bot_user_id: bot.id });
    for (const [path, body] of [
      ["/api_keys", { owner_id: bot.id }],
      ["/workload_identities", { ...identity, bot_user_id: bot.id }],
      ["/memberships", { project_id: own.id, role: "member", bot_user_id: bot.id }],
    ] as const)
      expectRefused(await rest.post(path, body), FORBIDDEN);
    expectRefused(await rest.patch(`/bot_users/${bot.id}`, { active: false }), FORBIDDEN);
  });

  it("an admin of a project gets no further with a change set, planned or applied", async () => {
    const own = await newProject();
    const { rest } = await botIn(own, "admin");
    const bot = { kind: "bot_user", key: "ci", fields: { name: "ci" } };
    const grant = (fields: object) => ({
      kind: "membership",
      key: "ci",
      fields: { role: "admin", bot_user_id: { $key: "bot_user/ci" }, ...fields },
    });
    const apply = (query: string, ...objects: object[]) =>
      rest.post(`/changesets${query}`, { set: unique("set"), objects });
    for (const query of ["?dry_run=true", ""]) {
      const gateway = { ...bot, fields: { name: "ci", role: "gateway" } };
      expectRefused(await apply(query, gateway), { ...FORBIDDEN, field: "role" });
      const key = { kind: "api_key", key: "ci", fields: { owner_id: { $key: "bot_user/ci" } } };
      await expectRefusedBut(
        () => apply(query, bot, grant({})),
        { ...FORBIDDEN, field: "project_id" },
        () => apply(query, bot, grant({ project_id: own.id }), key),
      );
    }
  });

  it("a shared project lends what it holds: others refer to it, its members alone change it, and it stays shared meanwhile", async () => {
    const [lender, own] = [
      await server.created("/projects", { name: unique("team"), shared: true }),
      await newProject(),
    ];
    const lending = server.rest.inside(lender.name);
    const { rest } = await botIn(own);
    const policy = await created(lending.post("/ip_policies", {}));
    await created(
      lending.post("/ip_policy_rules", { ip_policy_id: policy.id, cidr: "192.0.2.0/24", action: "allow" }),
    );
    expect((await rest.get(`/ip_policies/${policy.id}`)).body).to.deep.equal(policy);
    await expectRefusedBut(
      () => rest.patch(`/ip_policies/${policy.id}`, { description: "mine" }),
      FORBIDDEN,
      () => lending.patch(`/ip_policies/${policy.id}`, { description: "ours" }),
    );
    const rule = { ip_policy_id: policy.id, cidr: "198.51.100.0/24", action: "allow" };
    const lentEdge = await created(lending.post("/edges/https", { hostports: [hostport()] }));
    const route = { edge_id: lentEdge.id, match_type: "path_prefix", match: "/" };
    const applying = (kind: string, fields: object, more = {}) =>
      rest.post("/changesets", { set: unique("set"), objects: [{ kind, key: "a", fields, ...more }] });
    for (const [answer, field] of [
      [await rest.post("/ip_policy_rules", rule), "ip_policy_id"],
      [await rest.post("/ip_policy_rules?dry_run=true", rule), "ip_policy_id"],
      [await applying("ip_policy_rule", rule), "ip_policy_id"],
      [await applying("https_edge_route", route), "edge_id"],
      [await applying("ip_policy", { description: "mine" }, { id: policy.id }), "id"],
    ] as const) {
      expect([answer.status, answer.body.details.field], answer.text).to.deep.equal([403, field]);
      expect(answer.body.msg).to.contain("belongs to a shared project");
    }
    const name = `${unique("h")}.example.com:443`;
    const restriction = { ip_restriction: { ip_policy_ids: [policy.id] } };
    const edge = await created(rest.post("/edges/tls", { hostports: [name], ...restriction }));
    const set = { set: unique("set"), objects: [{ kind: "tls_edge", key: "a", fields: restriction }] };
    const applied = await rest.post("/changesets", set);
    expect(applied.status, applied.text).to.equal(200);
    const exposure = await rest.get(`/exposure?address=${encodeURIComponent(name)}`);
    expect(exposure.text).to.contain("192.0.2.0/24");
    const decide = async (from: string) =>
      (await rest.post("/exposure/decisions", { requests: [{ address: name, from }] })).body.decisions[0]
        .outcome;
    expect(await decide("198.51.100.7")).to.equal("closed");
    expect(await decide("192.0.2.7")).to.equal("unserved");
    const used = await lending.delete(`/ip_policies/${policy.id}`);
    expectRefused(used, inUse("another project"));
    expect(used.text).not.to.contain(edge.id);
    const path = `/projects/${lender.id}`;
    const lent = { ...inUse("another project"), field: "shared" };
    expectRefused(await server.rest.patch(path, { shared: false }), lent);
    for (const { id } of (await rest.get("/edges/tls")).body.tls_edges)
      expect((await rest.delete(`/edges/tls/${id}`)).status).to.equal(204);
    expect((await server.rest.patch(path, { shared: false })).status).to.equal(200);
    expectRefused(await rest.get(`/ip_policies/${policy.id}`), notFound);
    expectRefused(
      await rest.post("/edges/tls", { hostports: [name], ...restriction }),
      missingReference("ip_restriction.ip_policy_ids[0]"),
    );
  });

  it("a secret of a shared object is null for those who have no role there", async () => {
    const lender = await server.created("/projects", { name: unique("team"), shared: true });
    const lending = server.rest.inside(lender.name);
    const { rest } = await botIn(await newProject());
    const edge = await created(
      lending.post("/edges/https", { hostports: [`${unique("h")}.example.com:443`] }),
    );
    const routes = `/edges/https/${edge.id}/routes`;
    const oidc = { issuer: "https://id.example.com", client_id: "site", client_secret: "hush" };
    const { id } = await created(lending.post(routes, { match_type: "path_prefix", match: "/", oidc }));
    for (const path of [
      ...[`${routes}/${id}`, `${routes}/${id}/oidc`, `${routes}?shared=true`],
      ...[`/edges/https/${edge.id}`, "/edges/https?shared=true"],
    ]) {
      const [seen, own] = [await rest.get(path), await lending.get(path)];
      expect(seen.status, seen.text).to.equal(200);
      expect(own.text, path).to.contain('"client_secret":"hush"');
      expect(seen.text, path).to.equal(own.text.replaceAll('"hush"', "null"));
    }
    expect((await rest.get(`${routes}/${id}`)).headers.get("etag")).not.to.equal(
      (await lending.get(`${routes}/${id}`)).headers.get("etag"),
    );
  });

  it("there are at most 1,000 projects and 10,000 memberships", async () => {
    const { bot } = await server.member();
    for (const [kind, most, path, body] of [
      ["project", 1000, "/projects", { name: unique("team") }],
      ["membership", 10_000, "/memberships", { role: "viewer", bot_user_id: bot.id }],
    ] as const) {
      await execute(
        server.data,
        `insert into resource (id, kind, owner_id, version, document, project_id)
          with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most})
          select 'filling_' || i, '${kind}', 'nobody', 1, '{}', 'nowhere' from n`,
      );
      const full = { status: 409, code: "TP_1501" };
      await expectRefusedBut(
        () => server.rest.post(path, body),
        full,
        async () => {
          await execute(server.data, "delete from resource where project_id = 'nowhere'");
          return server.rest.post(path, body);
        },
      );
    }
  });

  it("the last admin of the account cannot be removed, narrowed or given an end", async () => {
    const { bot, key } = await server.member();
    const membership = await server.created("/memberships", { role: "admin", bot_user_id: bot.id });
    const rest = new Rest(server.url, key.token);
    await execute(server.data, "update principal set role = 'viewer'");
    try {
      await expectRefusedBut(
        [
          () => rest.delete(membership.uri),
          () => rest.patch(membership.uri, { role: "member" }),
          () => rest.patch(membership.uri, { expires_at: "2126-01-31T08:00:00Z" }),
        ],
        inUse("last admin"),
        () => rest.patch(membership.uri, { description: "still" }),
      );
      const other = await created(rest.post("/bot_users", { name: "other", role: "admin" }));
      expect((await rest.delete(`/bot_users/${other.id}`)).status).to.equal(204);
    } finally {
      await execute(server.data, "update principal set role = 'admin'");
    }
    expect((await rest.delete(membership.uri)).status).to.equal(204);
  });
});
