import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import {
  expectRefused,
  hostport,
  inUse,
  invalid,
  notFound,
  serverOfThisFile,
  stale,
  unique,
} from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { execute, onEveryDatabase, untilTestEnds } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import { Rest } from "../support/rest";
import { answerWith, CLIENT_ID, claimsOf, offerSignIns, signInArgs, Visitor } from "../support/signIn";
import { StandInTokenIssuer } from "../support/tokenIssuer";

const forbidden = { status: 403, code: "TP_1200" };
const unknown = { status: 401, code: "TP_1101" };

onEveryDatabase("Signing in", (startServer) => {
  let issuer: StandInTokenIssuer;
  before("start an identity provider", async () => {
    issuer = await StandInTokenIssuer.start();
    offerSignIns(issuer);
  });

  const server = serverOfThisFile(() => startServer({ args: signInArgs(issuer) }));
  const started = untilTestEnds(startServer);
  const visitor = () => new Visitor(server.url);
  async function signedIn(more: object = {}, subject = unique("user")) {
    const one = visitor();
    const answer = await one.signIn(issuer, subject, more);
    expect(answer.status, await answer.text()).to.equal(303);
    const { user } = await one.session();
    return { one, subject, user, answer };
  }
  const audited = async (action: string) =>
    (await server.read("/audit_events")).audit_events.filter(
      (row: { action: string }) => row.action === action,
    );

  it("leads to the identity provider with PKCE, state and nonce, and back to the page that asked", async () => {
    const one = visitor();
    const { address, state, nonce } = await one.begin("/console#/audit");
    expect(address.origin).to.equal(issuer.url);
    const asked = Object.fromEntries(address.searchParams);
    expect(asked).to.include({
      ...{ client_id: CLIENT_ID, response_type: "code", code_challenge_method: "S256" },
      ...{ redirect_uri: `${server.url}/sign_in/callback`, scope: "openid profile email" },
    });
    expect(asked.code_challenge).to.match(/^[\w-]{43}$/);
    answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
    const answer = await one.comeBack({ code: "a-code", state });
    expect(answer.status).to.equal(303);
    expect(answer.headers.get("location")).to.equal(`${server.url}/console#/audit`);
  });

  it("ends in each of several tabs, in whatever order, once each", async () => {
    const one = visitor();
    const tabs = [
      await one.begin("/console#/a"),
      await one.begin("/console#/b"),
      await one.begin("/console#/c"),
    ];
    for (const index of [1, 0, 2]) {
      const { state, nonce } = tabs[index] as (typeof tabs)[number];
      answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
      const answer = await one.comeBack({ code: "a-code", state });
      expect(answer.headers.get("location"), await answer.text()).to.equal(
        `${server.url}/console#/${"abc"[index]}`,
      );
    }
    await refusedBeside({
      refused: async () => (await one.comeBack({ code: "a-code", state: tabs[0]?.state ?? "" })).status,
      as: 403,
      allowed: async () => (await one.signIn(issuer, unique("user"))).status,
    });
  });

  it("leads to no other server: `return_to` is a path of this one", async () => {
    for (const path of [
      ...["https://evil.example", "//evil.example", "/\\evil.example", "/console@evil.example"],
      ...["console", "/consoles", "/console?\n", "/sign_out"],
    ])
      expect((await visitor().send(`/sign_in?return_to=${encodeURIComponent(path)}`)).status, path).to.equal(
        400,
      );
  });

  it("makes the user at the first time, and knows it again, by issuer and subject, with a new name and groups", async () => {
    const { user, subject } = await signedIn({ groups: ["/infra", { name: "dev" }, 7, "infra"] });
    expect(user).to.deep.include({ name: `${subject}@example.com`, email: `${subject}@example.com` });
    const first = await server.read(`/users/${user.id}`);
    expect(first).to.deep.include({ issuer: issuer.url, subject, active: true, groups: ["infra", "dev"] });
    const { user: again } = await signedIn({ email: "new@example.com", groups: ["ops"] }, subject);
    expect(again).to.deep.include({ id: user.id, name: "new@example.com" });
    expect(await server.read(`/users/${user.id}`)).to.deep.include({ groups: ["ops"] });
    expect(
      (await audited("user_created")).filter((row: { object_id: string }) => row.object_id === user.id),
    ).to.have.length(1);
    expect((await server.read("/users")).users.map(({ id }: { id: string }) => id)).to.include(user.id);
  });

  it("keeps its session in a cookie that no script reads, for 8 hours, and in the database as a hash alone", async () => {
    const { one, answer } = await signedIn();
    const line = answer.headers.getSetCookie().find((text) => text.startsWith("tunnelplane-session="));
    expect(line).to.match(/; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax$/);
    const value = one.cookies.get("tunnelplane-session") ?? "";
    expect(value).to.match(/^tps_[\w-]{43}$/);
    const { expires_at } = await one.session();
    expect(Date.parse(expires_at) - Date.now()).to.be.within(7.9 * 3_600_000, 8 * 3_600_000);
    for (const table of ["session", "principal", "audit_event"])
      expect(JSON.stringify(await server.query(`select * from ${table}`))).not.to.contain(value);
    expect(server.log).not.to.contain(value);
  });

  it("over TLS, has cookies with `__Host-` and Secure; there, no other name counts", async () => {
    const behind = await started({
      args: [...signInArgs(issuer), "--public-url", "https://tunnels.example.com"],
    });
    const one = new Visitor(behind.url);
    const { address, state, nonce } = await one.begin();
    expect(address.searchParams.get("redirect_uri")).to.equal("https://tunnels.example.com/sign_in/callback");
    answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
    const answer = await one.comeBack({ code: "a-code", state });
    expect(answer.headers.get("location")).to.equal("https://tunnels.example.com/console");
    const names = [...one.cookies.keys()];
    expect(names).to.deep.equal(["__Host-tunnelplane-session"]);
    expect(answer.headers.getSetCookie().join()).to.contain("; Secure");
    expect((await one.session()).user).not.to.equal(null);
    const value = one.cookies.get("__Host-tunnelplane-session") ?? "";
    one.cookies.clear();
    one.cookies.set("tunnelplane-session", value);
    expect((await one.session()).user).to.equal(null);
  });

  it("is refused over plain HTTP from other machines", async () => {
    const behind = await started({
      args: [...signInArgs(issuer), "--public-url", "http://tunnels.example.com"],
    });
    const { refused } = await refusedBeside({
      refused: () => new Visitor(behind.url).send("/sign_in"),
      as: 403,
      allowed: () => visitor().send("/sign_in"),
    });
    expect(await refused[0]?.text()).to.contain("https://");
  });

  it("gives no rights: a new user sees who it is, and is refused everything else", async () => {
    const { one, user } = await signedIn();
    const caller = (await one.api("GET", "/caller")).body;
    expect(caller).to.deep.include({ owner_id: user.id, role: null, account_role: null, projects: [] });
    expect(caller.key_id).to.match(/^ses_/);
    for (const path of [
      ...["/edges/https", "/bot_users", "/events", "/audit_events", "/users", "/sessions", "/exposure"],
      ...["/api_keys", "/gateways", "/changesets"],
    ])
      await expectRefusedBut(
        () => one.api("GET", path),
        { ...forbidden, mentions: ["no role"] },
        () => server.rest.get(path),
      );
    expectRefused(await one.api("POST", "/api_keys", {}, await one.csrf()), forbidden);
    expectRefused(await one.api("POST", "/changesets?dry_run=true", {}, await one.csrf()), forbidden);
  });

  it("with a role of the account, may do what the role may; changes need the token of the session", async () => {
    const { one, user } = await signedIn();
    const membership = await server.created("/memberships", {
      user_id: user.id,
      role: "admin",
      project_id: null,
    });
    expect((await one.api("GET", "/bot_users")).status).to.equal(200);
    const other = visitor();
    await other.signIn(issuer, unique("user"));
    for (const headers of [
      {},
      { "x-csrf-token": "" },
      { "x-csrf-token": "x".repeat(43) },
      await other.csrf(),
    ])
      await expectRefusedBut(
        () => one.api("POST", "/bot_users", { name: unique("bot") }, headers),
        { ...forbidden, mentions: ["X-CSRF-Token"] },
        async () => one.api("POST", "/bot_users", { name: unique("bot") }, await one.csrf()),
      );
    const [row] = await audited("bot_user_created");
    expect(row).to.include({ principal_id: user.id });
    const { principal } = await server.read(`/events/${row.event_id}`);
    expect(principal.credential.uri).to.equal(`${server.url}/sessions/${row.key_id}`);
    expect((await server.read(`/sessions/${row.key_id}`)).user_id).to.equal(user.id);
    await server.rest.delete(`/memberships/${membership.id}`);
  });

  it("gives the roles of the user's groups, as long as the last sign-in names them", async () => {
    const made = await server.created("/memberships", {
      group: "writers",
      role: "member",
      project_id: DEFAULT_PROJECT.id,
    });
    const { one, subject } = await signedIn({ groups: ["/writers"] });
    expect((await one.api("GET", "/caller")).body).to.deep.include({ role: "member", account_role: null });
    expect((await one.api("GET", "/edges/https")).status).to.equal(200);
    await expectRefusedBut(
      () => one.api("GET", "/users"),
      forbidden,
      async () => one.api("POST", "/edges/https", { hostports: [hostport()] }, await one.csrf()),
    );
    await one.signIn(issuer, subject, { groups: ["readers"] });
    expectRefused(await one.api("GET", "/edges/https"), forbidden);
    await server.rest.delete(`/memberships/${made.id}`);
  });

  it("gives a session that is not an API key, and takes no key for a session", async () => {
    const { one } = await signedIn();
    const value = one.cookies.get("tunnelplane-session") ?? "";
    await expectRefusedBut(
      () => new Rest(server.url, value).get("/caller"),
      unknown,
      () => one.api("GET", "/caller"),
    );
    const thief = visitor();
    thief.cookies.set("tunnelplane-session", server.apiKey);
    expectRefused(await thief.api("GET", "/caller"), unknown);
    expect((await thief.session()).user).to.equal(null);
  });

  it("ends with signing out, for which the cookie alone is not enough", async () => {
    const { one } = await signedIn();
    const value = one.cookies.get("tunnelplane-session") ?? "";
    await expectRefusedBut(
      () => one.api("POST", "/sign_out"),
      forbidden,
      async () => one.api("POST", "/sign_out", undefined, await one.csrf()),
    );
    expect(one.cookies.size).to.equal(0);
    one.cookies.set("tunnelplane-session", value);
    expectRefused(await one.api("GET", "/caller"), unknown);
    expect(await audited("signed_out")).not.to.deep.equal([]);
    expectRefused(await server.rest.post("/sign_out"), { ...forbidden, mentions: ["API key"] });
  });

  it("ends when an admin ends the session, at once", async () => {
    const { one, user } = await signedIn();
    const { key_id } = (await one.api("GET", "/caller")).body;
    const listed = (await server.read("/sessions")).sessions.find(({ id }: { id: string }) => id === key_id);
    expect(listed).to.include({
      user_id: user.id,
      user_name: user.name,
      kind: "console",
      client: "127.0.0.1",
    });
    const path = `/sessions/${key_id}`;
    expectRefused(await server.rest.delete(path, { "if-match": '"other"' }), stale);
    expect((await server.rest.delete(`${path}?dry_run=true`)).status).to.equal(204);
    const ended = async () => {
      expect((await server.rest.delete(path, { "if-match": await server.etag(path) })).status).to.equal(204);
      return one.api("GET", "/caller");
    };
    await refusedBeside({ refused: ended, as: unknown, allowed: () => one.api("GET", "/caller") });
    expectRefused(await server.rest.delete(path), notFound);
  });

  it("ends after its time, and says so", async () => {
    const { one } = await signedIn();
    const { key_id } = (await one.api("GET", "/caller")).body;
    await execute(
      server.data,
      `update session set expires_at = '2026-01-01T00:00:00.000Z' where id = '${key_id}'`,
    );
    await server.rest.post("/workload_identities", {}); // the server forgets what it knows of callers
    const { one: another } = await signedIn();
    await expectRefusedBut(
      () => one.api("GET", "/caller"),
      { status: 401, code: "TP_1102", mentions: ["sign in again"] },
      () => another.api("GET", "/caller"),
    );
    expect((await one.session()).user).to.equal(null);
    expectRefused(await server.rest.get(`/sessions/${key_id}`), notFound);
  });

  it("of one user lasts a hundred times at once; then the oldest ends", async () => {
    const { one, user } = await signedIn();
    const values = Array.from(
      { length: 99 },
      (_, n) =>
        `('h${n}${user.id}', 'ses_${String(n).padStart(27, "z")}', '${user.id}', 'console', '2026-01-01', '2099-01-01', '', '{}')`,
    );
    await execute(
      server.data,
      `insert into session (hash, id, user_id, kind, created_at, expires_at, client, claims) values ${values.join()}`,
    );
    const { subject } = await server.read(`/users/${user.id}`);
    await signedIn({}, subject);
    expect((await one.session()).user).to.equal(null);
    expect(await server.query(`select id from session where user_id = '${user.id}'`)).to.have.length(100);
    await execute(server.data, `delete from session where user_id = '${user.id}'`);
  });

  it("and again, in the same browser, ends the session before", async () => {
    const { one, subject } = await signedIn();
    const former = one.cookies.get("tunnelplane-session") ?? "";
    await one.signIn(issuer, subject);
    expect((await one.session()).user).not.to.equal(null);
    const thief = visitor();
    thief.cookies.set("tunnelplane-session", former);
    expect((await thief.session()).user).to.equal(null);
  });

  it("is over for a user who is deactivated, with its sessions and its keys, until it is active again", async () => {
    const { one, user, subject } = await signedIn();
    const key = await server.created("/api_keys", { owner_id: user.id });
    const rest = new Rest(server.url, key.token);
    expect((await rest.get("/caller")).status).to.equal(200);
    const path = `/users/${user.id}`;
    expectRefused(await server.rest.patch(path, { active: false }, { "if-match": '"other"' }), stale);
    expectRefused(await server.rest.patch(path, { active: "no" }), invalid("active"));
    const changed = await server.rest.patch(path, { active: false });
    expect(changed.body).to.include({ active: false });
    expectRefused(await rest.get("/caller"), { ...forbidden, mentions: ["not active"] });
    expectRefused(await one.api("GET", "/caller"), unknown);
    const again = visitor();
    const refused = await again.signIn(issuer, subject);
    expect(refused.status).to.equal(403);
    expect(await refused.text()).to.contain("You are not signed in");
    const [row] = await audited("sign_in_refused");
    expect(row).to.deep.include({ object_id: user.id, changed: ["inactive"] });
    await server.rest.patch(path, { active: true });
    await expectRefusedBut(
      () => one.api("GET", "/caller"),
      unknown,
      () => rest.get("/caller"),
    );
    expect((await again.signIn(issuer, subject)).status).to.equal(303);
  });

  it("leaves the last permanent admin of the account in place", async () => {
    const { owner_id } = await server.read("/caller");
    const { one, user } = await signedIn();
    await server.created("/memberships", {
      ...{ user_id: user.id, role: "admin", project_id: null },
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const deactivate = async (id: string) =>
      one.api("PATCH", `/users/${id}`, { active: false }, await one.csrf());
    const { user: other } = await signedIn();
    await expectRefusedBut(
      () => deactivate(owner_id),
      inUse("last admin"),
      () => deactivate(other.id),
    );
  });

  it("is refused where the identity provider does not say who somebody is", async () => {
    const as = (subject: string, more?: object) => () => visitor().signIn(issuer, subject, more);
    const both = { aud: [CLIENT_ID, "another"] };
    const refused = [as(""), as("x".repeat(256)), as("x", both), as("x", { ...both, azp: "another" })];
    await refusedBeside({ refused, as: 403, allowed: as("x", { ...both, azp: CLIENT_ID }) });
  });

  it("lets nobody deactivate themselves", async () => {
    const { owner_id } = await server.read("/caller");
    const { user } = await signedIn();
    const deactivate = (id: string) => () => server.rest.patch(`/users/${id}`, { active: false });
    await expectRefusedBut(deactivate(owner_id), invalid("active", "you"), deactivate(user.id));
    expectRefused(await server.rest.patch("/users/usr_unknown", { active: false }), notFound);
  });

  it("is only for users of a required group, where the server requires one", async () => {
    const strict = await started({
      args: [
        ...signInArgs(issuer),
        "--oidc-require-groups",
        "infra,/ops",
        "--oidc-groups-claim",
        "realm.roles",
        "--oidc-username-claim",
        "name",
      ],
    });
    const enter = async (claims: object) => {
      const one = new Visitor(strict.url);
      const answer = await one.signIn(issuer, unique("user"), claims);
      return { status: answer.status, page: await answer.text() };
    };
    for (const role of ["ops", "/infra"])
      await refusedBeside({
        refused: () => enter({ name: "Eve", realm: { roles: ["guests"] } }),
        as: 403,
        allowed: () => enter({ name: "Ann", realm: { roles: [role] } }),
      });
    expect((await enter({ name: "Eve" })).page).to.contain("--oidc-groups-claim");
    const { page } = await enter({ realm: { roles: ["ops"] } });
    expect(page).to.contain("--oidc-username-claim").and.to.contain("email, realm");
    expect(page).not.to.contain("@example.com");
  });
});
