import { apiOnEveryDatabase, badQuery, expectRefused, type Json, unique } from "../support/api/expect";
import { execute } from "../support/databases";
import { Rest } from "../support/rest";

apiOnEveryDatabase("The audit log, filtered,", (server) => {
  async function rowsOf(query = "", rest: Rest = server.rest): Promise<Json[]> {
    const rows: Json[] = [];
    for (let next = `/audit_events?limit=3${query}`; next; ) {
      const { status, body, text } = await rest.get(next);
      expect(status, text).to.equal(200);
      rows.push(...body.audit_events);
      next = body.next_page_uri;
    }
    return rows;
  }
  const actionsOf = (rows: readonly Json[]) => rows.map(({ action }) => action);
  let policy: string;
  let rule: string;
  let bot: Json;
  before("make some rows", async () => {
    const { rest } = server;
    policy = (await rest.post("/ip_policies", { description: "ours" })).body.id;
    rule = (
      await rest.post("/ip_policy_rules", { ip_policy_id: policy, cidr: "192.0.2.0/24", action: "allow" })
    ).body.id;
    await rest.patch(`/ip_policies/${policy}`, { description: "theirs" });
    await rest.post("/backends/static", { address: "a.example.com:80" });
    await rest.post("/backends/http_response", {});
    bot = (await rest.post("/bot_users", { name: unique("builder") })).body;
    const { token } = (await rest.post("/api_keys", { owner_id: bot.id })).body;
    const other = new Rest(server.url, token);
    await other.post("/ip_policies", {});
    await rest.delete(`/ip_policy_rules/${rule}`);
  });

  it("has the rows of one user or bot, by its id or its name", async () => {
    for (const principal of [bot.id, bot.name]) {
      const rows = await rowsOf(`&principal=${principal}`);
      expect(actionsOf(rows)).to.deep.equal(["ip_policy_created"]);
      expect(rows[0]?.principal_id).to.equal(bot.id);
    }
    for (const none of ["nobody", String(bot.name).replace("b", "_"), String(bot.name).toUpperCase(), "%25"])
      expect(await rowsOf(`&principal=${none}`), none).to.deep.equal([]);
    expect((await rowsOf("&principal=admin")).length).to.be.greaterThan(5);
  });

  it("names who made each change where that is asked for, users and bots alike", async () => {
    const rows = await rowsOf("&names=true");
    expect(new Set(rows.map((row) => row.principal_name))).to.include.members(["admin", bot.name]);
    expect((await rowsOf())[0]).not.to.have.property("principal_name");
  });

  it("has the rows of one object", async () => {
    expect(actionsOf(await rowsOf(`&object_id=${policy}`))).to.deep.equal([
      "ip_policy_updated",
      "ip_policy_created",
    ]);
  });

  it("has the rows of one kind of object, also where kinds share the names of their actions", async () => {
    expect(actionsOf(await rowsOf("&kind=ip_policy_rule"))).to.deep.equal([
      "ip_policy_rule_deleted",
      "ip_policy_rule_created",
    ]);
    expect(new Set(actionsOf(await rowsOf("&kind=ip_policy")))).to.deep.equal(
      new Set(["ip_policy_created", "ip_policy_updated"]),
    );
    const rows = await rowsOf("&kind=static_backend");
    expect(rows.map(({ object_id: id }) => String(id).split("_")[0])).to.deep.equal(["bkdsc"]);
  });

  it("has the rows of one action, or of one change of all kinds", async () => {
    expect((await rowsOf("&action=ip_policy_updated")).map(({ object_id: id }) => id)).to.deep.equal([
      policy,
    ]);
    const created = actionsOf(await rowsOf("&action=created"));
    expect(created).to.include.members(["ip_policy_created", "backend_created", "bot_user_created"]);
    expect(created.every((action) => String(action).endsWith("_created"))).to.equal(true);
    expect(actionsOf(await rowsOf("&action=deleted&kind=ip_policy_rule"))).to.deep.equal([
      "ip_policy_rule_deleted",
    ]);
    expect(await rowsOf("&action=deleted&kind=ip_policy")).to.deep.equal([]);
  });

  it("has the rows of a time, its first and last moment included", async () => {
    const all = await rowsOf();
    const [from, to] = [String(all.at(-3)?.created_at), String(all.at(2)?.created_at)];
    const within = all.filter(({ created_at: at }) => String(at) >= from && String(at) <= to);
    expect(await rowsOf(`&from=${from}&to=${to}`)).to.deep.equal(within);
    // The same moments, as the clocks of India show them.
    const inIndia = (text: string) =>
      encodeURIComponent(`${new Date(Date.parse(text) + 330 * 60_000).toISOString().slice(0, -1)}+05:30`);
    expect(await rowsOf(`&from=${inIndia(from)}&to=${inIndia(to)}`)).to.deep.equal(within);
    expect(await rowsOf("&to=2001-01-01T00:00:00Z")).to.deep.equal([]);
    expect(await rowsOf("&from=2999-01-01T00:00:00Z")).to.deep.equal([]);
  });

  it("refuses what is no kind, no action and no time, and a time that ends before it begins", async () => {
    for (const [field, query] of [
      ["kind", "kind=edge"],
      ["action", "action=ip-policy"],
      ["action", `action=${"a".repeat(65)}`],
      ["from", "from=yesterday"],
      ["to", "to=2026-13-01T00:00:00Z"],
      ["from", "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"],
    ])
      expectRefused(await server.rest.get(`/audit_events?${query}`), { ...badQuery, field });
  });

  it("shows admins of a project no more than the rows of their project", async () => {
    const { rest } = server;
    const name = unique("shop");
    const inShop = { "tunnelplane-project": name };
    const { id: project } = (await rest.post("/projects", { name })).body;
    const admin = (await rest.post("/bot_users", { name: unique("keeper") }, inShop)).body;
    await rest.post("/memberships", { project_id: project, role: "admin", bot_user_id: admin.id });
    const { token } = (await rest.post("/api_keys", { owner_id: admin.id, project_id: project })).body;
    const made = (await rest.post("/ip_policies", {}, inShop)).body;
    const own = new Rest(server.url, token);
    for (const filter of [
      "&principal=admin",
      "&action=created",
      "&kind=ip_policy",
      "&from=2001-01-01T00:00:00Z",
    ]) {
      const rows = await rowsOf(filter, own);
      expect(rows.map(({ object_id: id }) => id)).to.include(made.id);
      expect(new Set(rows.map((row) => row.project))).to.deep.equal(new Set([name]));
    }
    expect(await rowsOf(`&object_id=${policy}`, own)).to.deep.equal([]);
  });

  it("looks at 100,000 rows for a page, which says where to go on, and finds rows of an old time at once", async () => {
    const [newest] = await rowsOf();
    const last = Number(String(newest?.id).slice(3));
    const FILLED = 110_000;
    await execute(
      server.data,
      `insert into audit_event (sequence, created_at, operation_id, principal_id, action, changed, previous_hash, hash, lane, project_id)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${FILLED})
       select ${last} + i, '2999-01-01T00:00:00.000Z', 'op_filled', 'filler', 'data_key_rotated', '[]', '', '', 'filled:' || i, null from n;
       update audit_head set sequence = ${last + FILLED}`,
    );
    const first = (await server.rest.get(`/audit_events?object_id=${policy}`)).body;
    expect(first.audit_events).to.deep.equal([]);
    expect(first.next_page_uri).to.contain(`before_id=au_${last + FILLED + 1 - 100_000}`);
    expect(actionsOf(await rowsOf(`&object_id=${policy}`))).to.deep.equal([
      "ip_policy_updated",
      "ip_policy_created",
    ]);
    const old = (await server.rest.get("/audit_events?to=2998-01-01T00:00:00Z&limit=1")).body;
    expect(old.audit_events).to.deep.equal([newest]);
    const future = (await server.rest.get("/audit_events?from=2998-01-01T00:00:00Z&limit=1")).body;
    expect(future.audit_events[0].operation_id).to.equal("op_filled");
  });
});
