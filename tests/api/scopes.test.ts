import { apiOnOneDatabase, expectRefused, hostport, unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { sitesOf } from "../support/api/sites";
import { Rest } from "../support/rest";

const lacks = (...mentions: string[]) => ({ status: 403, code: "TP_1200", mentions });
const more = (field: string, ...mentions: string[]) => ({ ...lacks(...mentions), field });

apiOnOneDatabase("The scopes of an API key", (server) => {
  const keyWith = async (scopes: readonly string[]) => {
    const key = await server.created("/api_keys", { scopes });
    return { key, rest: new Rest(server.url, key.token) };
  };

  it("stand in the answers about the key and about its caller; a key that names none has all", async () => {
    const { key, rest } = await keyWith(["read", "tls_edge:write"]);
    expect(key.scopes).to.deep.equal(["read", "tls_edge:write"]);
    expect((await rest.get("/caller")).body.scopes).to.deep.equal(key.scopes);
    expect((await server.created("/api_keys", {})).scopes).to.deep.equal([]);
    expect((await server.read("/caller")).scopes).to.deep.equal([]);
  });

  it("narrow a role to kinds, and a refusal names the missing scope", async () => {
    const { rest } = await keyWith(["tls_edge:write"]);
    const { status, body } = await rest.post("/edges/tls", { hostports: [hostport()] });
    expect(status).to.equal(201);
    expect((await rest.delete(body.uri)).status).to.equal(204);
    const both = (await keyWith(["read", "tls_edge:write"])).rest;
    await expectRefusedBut(
      () => rest.get("/ip_policies"),
      lacks('"ip_policy:read" or "read"', '"tls_edge:write"'),
      () => both.get("/ip_policies"),
    );
    expectRefused(await rest.post("/ip_policies?dry_run=true", {}), lacks('"ip_policy:write" or "plan"'));
    expectRefused(await rest.post("/ip_policies", {}), lacks('"ip_policy:write" or "write"'));
    expectRefused(await rest.get("/exposure"), lacks('"read"'));
    const findings = "/edges/tls?dry_run=true&findings=true";
    expectRefused(await rest.post(findings, { hostports: [hostport()] }), lacks('"read"'));
    expect((await both.post(findings, { hostports: [hostport()] })).status).to.equal(201);
  });

  it("keep from a key the examples of guarantees, which name what it may not see", async () => {
    const { edge, routes, backend } = await sitesOf(server).site([hostport()], { match: "/" });
    const wanted = { addresses: edge.hostports, expect: "refused", mode: "report" };
    const { id } = await server.created("/guarantees", wanted);
    await server.created("/guarantees", { addresses: edge.hostports, expect: "answered" });
    const some = ["guarantee:write", "https_edge_route:write"];
    const [narrow, wide] = [(await keyWith(some)).rest, (await keyWith(["read", ...some])).rest];
    for (const [ask, status] of [
      [(rest: Rest) => rest.get(`/guarantees/${id}`), 200],
      [(rest: Rest) => rest.get("/guarantees?state=true&limit=2"), 200],
      [(rest: Rest) => rest.post("/guarantees?dry_run=true", wanted), 201],
      [(rest: Rest) => rest.delete(routes[0].uri), 409],
    ] as const) {
      const [seen, hidden] = [await ask(wide), await ask(narrow)];
      expect(seen.text).to.contain(backend);
      expect(hidden.status, hidden.text).to.equal(status);
      expect(hidden.text).not.to.contain(backend);
    }
  });

  it("are needed for everything that a request deletes, and for each object of a change set", async () => {
    const { rest } = await keyWith(["https_edge:write", "ip_policy:write"]);
    const edge = await server.created("/edges/https", { hostports: [hostport()] });
    await server.created(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match: "/" });
    await expectRefusedBut(
      () => rest.delete(edge.uri),
      lacks('"https_edge_route:write"'),
      () => server.rest.delete(edge.uri),
    );
    const apply = (kind: string, query = "") =>
      rest.post(`/changesets${query}`, {
        set: unique("set"),
        objects: [
          { kind: "ip_policy", key: "a" },
          { kind, key: "b", fields: kind === "tls_edge" ? { hostports: [hostport()] } : {} },
        ],
      });
    expect((await apply("ip_policy")).status).to.equal(200);
    for (const query of ["", "?dry_run=true"])
      expect((await apply("tls_edge", query)).body).to.deep.include({
        error_code: "TP_1200",
        faults: [
          {
            key: "tls_edge/b",
            field: "",
            error_code: "TP_1200",
            msg: 'This API key may not see TLS edges: it lacks the scope "tls_edge:read" or "read", and has "https_edge:write" and "ip_policy:write"',
          },
        ],
      });
    const reader = (await keyWith(["read", "ip_policy:write"])).rest;
    const set = { set: unique("set"), objects: [{ kind: "tunnel_credential", key: "b" }] };
    expectRefused(await reader.post("/changesets", set), lacks('"tunnel_credential:write" or "write"'));
  });

  it("of a new key are at most those of the key that makes it; left out, the same", async () => {
    const own = ["plan", "api_key:write", "tls_edge:write"];
    const { rest } = await keyWith(own);
    expect((await rest.post("/api_keys", {})).body.scopes).to.deep.equal(own);
    const fewer = ["read", "tls_edge:read", "tls_edge:write", "ip_policy:read"];
    expect((await rest.post("/api_keys", { scopes: fewer })).body.scopes).to.deep.equal(fewer);
    for (const [scopes, missing] of [
      [["write"], "holds write"],
      [["read", "ip_policy:write"], "holds ip_policy:write"],
      [[], "holds all"],
    ] as const)
      await expectRefusedBut(
        ["", "?dry_run=true"].map((query) => () => rest.post(`/api_keys${query}`, { scopes })),
        more("scopes", missing),
        () => server.rest.post("/api_keys", { scopes }),
      );
    const set = { set: unique("set"), objects: [{ kind: "api_key", key: "k", fields: { scopes: [] } }] };
    expectRefused(await rest.post("/changesets", set), more("scopes", "holds all"));
  });

  it("are only narrowed by an update, which counts at once", async () => {
    const { key, rest } = await keyWith(["plan", "ip_policy:write"]);
    expect((await rest.post("/ip_policies", {})).status).to.equal(201);
    for (const scopes of [[], ["write"], ["plan", "tls_edge:write"]])
      expectRefused(await server.rest.patch(key.uri, { scopes }), more("scopes", "only takes scopes away"));
    const narrowed = await server.rest.patch(key.uri, { scopes: ["ip_policy:read"] });
    expect(narrowed.body.scopes).to.deep.equal(["ip_policy:read"]);
    await expectRefusedBut(
      () => rest.post("/ip_policies", {}),
      lacks('"ip_policy:write"'),
      () => rest.get("/ip_policies"),
    );
    expect((await server.rest.patch(key.uri, { description: "x" })).body.scopes).to.deep.equal([
      "ip_policy:read",
    ]);
  });

  it("let a key neither make a bot that may do more, nor give one more", async () => {
    const { rest } = await keyWith(["plan", "bot_user:write"]);
    expect((await rest.post("/bot_users", { name: "x", role: "viewer" })).status).to.equal(201);
    expect((await rest.post("/bot_users", { name: "x", role: "metrics" })).status).to.equal(201);
    for (const role of ["admin", "member", "gateway"])
      expectRefused(
        await rest.post("/bot_users", { name: "x", role }),
        more("role", "lacks the scope", "write"),
      );
    const admin = await server.created("/bot_users", { name: "x", role: "admin", active: false });
    await expectRefusedBut(
      () => server.unchangedBy(admin.uri, () => rest.patch(admin.uri, { active: true })),
      more("role", "is admin"),
      () => server.rest.patch(admin.uri, { active: true }),
    );
  });

  it("let a key give with a membership no more than they hold", async () => {
    const project = await server.created("/projects", { name: unique("team") });
    const { bot } = await server.member();
    const { token } = await server.created("/api_keys", { scopes: ["membership:write", "bot_user:read"] });
    const grant = { project_id: project.id, role: "member", bot_user_id: bot.id };
    await expectRefusedBut(
      () => new Rest(server.url, token).post("/memberships", grant),
      more("role", "scope"),
      () => server.rest.post("/memberships", grant),
    );
  });

  it("are not gained by repeating the idempotent request of another key of the same owner", async () => {
    const { rest } = await keyWith(["api_key:write"]);
    const headers = { "idempotency-key": unique("key") };
    expect((await server.rest.post("/api_keys", {}, headers)).status).to.equal(201);
    const repeated = await rest.post("/api_keys", {}, headers);
    expect(repeated.status, repeated.text).to.equal(422);
    expect(repeated.text).not.to.contain("tpk_");
  });

  it("leave alone the hour of a key's last use, which answers and lists show and nobody can set", async () => {
    const hour = () => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    const before = hour();
    const { key, rest } = await keyWith(["read"]);
    expect([key.last_used_at, (await server.read(key.uri)).last_used_at]).to.deep.equal([null, null]);
    const head = await server.read("/audit_head");
    await rest.get("/ip_policies");
    const shown = (await server.read(key.uri)).last_used_at;
    expect(shown).to.be.oneOf([before, hour()]);
    const listed = (await server.read("/api_keys")).keys.find(({ id }: { id: string }) => id === key.id);
    expect(listed.last_used_at).to.equal(shown);
    expect(await server.read("/audit_head")).to.deep.equal(head);
    const etag = await server.etag(key.uri);
    expect((await server.rest.get(key.uri, { "if-none-match": etag })).status, "it may change").to.equal(200);
    expect((await server.rest.patch(key.uri, { last_used_at: null })).status).to.equal(400);
    await server.rest.delete(key.uri);
  });
});
