import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { expectRefused, invalid, serverOfThisFile, unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { execute, onOneDatabase, untilTestEnds } from "../support/databases";
import { newFolder } from "../support/folder";
import { refusedBeside } from "../support/refusal";
import { Rest } from "../support/rest";
import { command, type Ended, endOf } from "../support/server";
import { offerSignIns, signInArgs, Visitor } from "../support/signIn";
import { StandInTokenIssuer } from "../support/tokenIssuer";

const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"; // RFC 7636 appendix B
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

onOneDatabase("Logging in with a command line", (startServer) => {
  let issuer: StandInTokenIssuer;
  let home: string;
  before("start an identity provider", async () => {
    issuer = await StandInTokenIssuer.start();
    offerSignIns(issuer);
    home = newFolder();
  });

  const server = serverOfThisFile(() =>
    startServer({ args: [...signInArgs(issuer), "--trust-proxy", "loopback"] }),
  );

  const started = untilTestEnds(startServer);
  async function signedIn(more: object = {}): Promise<Visitor> {
    const one = new Visitor(server.url);
    expect((await one.signIn(issuer, unique("user"), more)).status).to.equal(303);
    return one;
  }
  const kept = () => join(home, ".config", "tunnelplane", "credentials.json");
  const start = (...args: string[]) =>
    command("/nowhere", args, {
      ...{ HOME: home, XDG_CONFIG_HOME: undefined, BROWSER: "true" },
      ...{ TUNNELPLANE_API_KEY: undefined, TUNNELPLANE_BASE_URL: undefined },
    });
  const run = (...args: string[]): Promise<Ended> => endOf(start(...args));
  async function shown(stream: Readable, pattern: RegExp): Promise<RegExpExecArray> {
    let text = "";
    for (;;) {
      const found = pattern.exec(text);
      if (found) return found;
      text += String((await once(stream, "data"))[0]);
    }
  }

  async function submit(one: Visitor, page: string, more: Readonly<Record<string, string>> = {}) {
    const fields = [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]);
    return one.send("/login", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...Object.fromEntries(fields), ...more }).toString(),
    });
  }
  const pageFor = async (one: Visitor, path = `/login?challenge=${CHALLENGE}&state=abc&port=4999`) =>
    (await one.send(path)).text();
  async function codeOf(one: Visitor): Promise<string> {
    const answer = await submit(one, await pageFor(one));
    const address = new URL(answer.headers.get("location") ?? "");
    expect(address.origin).to.equal("http://127.0.0.1:4999");
    expect(address.searchParams.get("state")).to.equal("abc");
    return address.searchParams.get("code") ?? "";
  }
  const redeem = (body: object) => new Visitor(server.url).api("POST", "/login/key", body);

  it("goes through the browser of the computer, and keeps a key that commands take", async () => {
    const one = await signedIn({ groups: ["team"], department: "network" });
    const command = start("login", "--url", server.url, "--show-claims");
    const ended = endOf(command);
    const [, path = ""] = await shown(command.stderr as Readable, /Open http:\/\/[^/]+(\/login\S+)\n/);
    const page = await pageFor(one, path);
    expect(page).to.contain("tunnelplane login");
    const back = (await submit(one, page)).headers.get("location") ?? "";
    const wrong = new URL(back);
    wrong.searchParams.set("state", "another");
    const { allowed: led } = await refusedBeside({
      refused: () => fetch(wrong),
      as: 404,
      allowed: () => fetch(back),
      refusedFirst: true,
    });
    expect(await led.text()).to.contain("The command line is in");
    const { code, out } = await ended;
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.include({ department: "network" });
    expect(JSON.parse(out)).not.to.have.any.keys("nonce", "iss", "aud");
    expect(statSync(kept()).mode & 0o777).to.equal(0o600);
    const entry = JSON.parse(readFileSync(kept(), "utf8"))[server.url];
    expect(Date.parse(entry.expires_at) - Date.now()).to.be.within(11.9 * 3_600_000, 12 * 3_600_000);
    const caller = (await new Rest(server.url, entry.key).get("/caller")).body;
    expect(caller.role).to.equal(null);
    await server.created("/memberships", {
      user_id: caller.owner_id,
      role: "member",
      project_id: DEFAULT_PROJECT.id,
    });
    expect(await run("list", "tls-edges", "--url", server.url)).to.include({ code: 0 });
    const rest = new Rest(server.url, entry.key);
    const child = new Rest(server.url, (await rest.post("/api_keys", {})).body.token);
    expect((await child.get("/caller")).status).to.equal(200);
    // It is a key, whatever it came from: `api` binds it, and `dashboard` does not.
    const policy = await server.created("/ip_policies", {});
    const away = { enforced: true, ip_policy_ids: [policy.id] };
    for (const [type, status] of [
      ["dashboard", 200],
      ["api", 403],
    ] as const) {
      const restriction = await server.created("/ip_restrictions", { type, ...away });
      expect((await rest.get("/tls_certificates")).status, type).to.equal(status);
      expect((await one.api("GET", "/tls_certificates")).status, type).to.equal(status === 200 ? 403 : 200);
      await server.rest.delete(restriction.uri);
    }
    const elsewhere = await run("list", "tls-edges", "--url", server.url.replace("127.0.0.1", "localhost"));
    expect(elsewhere.code).to.equal(4);
    expect(elsewhere.err).to.contain("there is no API key");
    const { sessions } = await server.read("/sessions");
    expect(sessions[0]).to.include({ id: caller.key_id, kind: "command_line", user_id: caller.owner_id });
    expect(await run("logout", "--url", server.url)).to.include({ code: 0 });
    expectRefused(await rest.get("/caller"), { status: 401, code: "TP_1101" });
    expectRefused(await child.get("/caller"), { status: 401, code: "TP_1102", mentions: ["the session"] });
    expect(await run("logout", "--url", server.url)).to.include({ code: 4 });
  });

  it("goes with a code that somebody enters on the server's page, where there is no browser", async () => {
    const one = await signedIn();
    const child = start("login", "--url", server.url, "--no-browser");
    const ended = endOf(child);
    const [, address = "", code = ""] = await shown(child.stderr as Readable, /Open (\S+) .* code (\S+)/);
    expect(address).to.equal(`${server.url}/login`);
    const page = await pageFor(one, "/login");
    expect((await submit(one, page, { user_code: "BBBB-BBBB" })).status).to.equal(400);
    const answer = await submit(one, page, { user_code: code.toLowerCase() });
    expect(answer.status).to.equal(200);
    expect((await submit(one, page, { user_code: code })).status).to.equal(400); // it is used up
    expect((await ended).code).to.equal(0);
    const { key } = JSON.parse(readFileSync(kept(), "utf8"))[server.url];
    const { user } = await one.session();
    expect((await new Rest(server.url, key).get("/caller")).body.owner_id).to.equal(user.id);
    await run("logout", "--url", server.url);
  });

  it("says so where nobody can sign in", async () => {
    const without = await started();
    const { code, err } = await run("login", "--url", without.url, "--no-browser");
    expect(code).to.equal(1);
    expect(err).to.contain("--oidc-issuer");
  });

  it("asks who it is first, and leads back to the page", async () => {
    const path = `/login?challenge=${CHALLENGE}&state=abc&port=4999`;
    const answer = await new Visitor(server.url).send(path);
    expect(answer.status).to.equal(303);
    const to = new URL(answer.headers.get("location") ?? "");
    expect([to.pathname, to.searchParams.get("return_to")]).to.deep.equal(["/sign_in", path]);
    expect((await new Visitor(server.url).send(to.pathname + to.search)).status).to.equal(303);
  });

  it("needs the form of the session: another site, or another user's page, lets no one in", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const page = await pageFor(one);
    await refusedBeside({
      refused: [() => submit(other, page), () => submit(one, page, { csrf_token: "" })],
      as: 403,
      allowed: () => submit(one, page),
      refusedFirst: true,
    });
    expect((await submit(new Visitor(server.url), page)).status).to.equal(401);
  });

  it("lets no one in from where a restriction keeps the session out of the console", async () => {
    const one = await signedIn();
    const page = await pageFor(one);
    const at = (address: string) => () => {
      const there = new Visitor(server.url, { "x-forwarded-for": address });
      for (const [name, value] of one.cookies) there.cookies.set(name, value);
      return submit(there, page);
    };
    const { id: ip_policy_id } = await server.created("/ip_policies", {});
    await server.created("/ip_policy_rules", { ip_policy_id, cidr: "10.0.0.0/8", action: "allow" });
    const only = { type: "dashboard", enforced: true, ip_policy_ids: [ip_policy_id] };
    const { uri } = await server.created("/ip_restrictions", only);
    await refusedBeside({ refused: at("203.0.113.7"), as: 403, allowed: at("10.1.2.3") });
    await server.rest.delete(uri);
  });

  it("brings codes to this computer alone, and shows nothing that somebody else wrote", async () => {
    const one = await signedIn();
    for (const path of [
      `/login?challenge=${CHALLENGE}&state=abc&port=80`,
      `/login?challenge=${CHALLENGE}&state=abc&port=4999@evil.example`,
      `/login?challenge=${CHALLENGE}&state=%3Cscript%3E&port=4999`,
      "/login?challenge=short&state=abc&port=4999",
      `/login?challenge=${CHALLENGE}&port=4999`,
    ]) {
      const answer = await one.send(path);
      expect(answer.status, path).to.equal(400);
      expect(await answer.text()).not.to.contain("<script>");
    }
    const policy = (await one.send("/login")).headers.get("content-security-policy");
    expect(policy).to.contain("frame-ancestors 'none'").and.to.contain("form-action 'self';");
  });

  it("gives a key for a code once, and to who has the verifier alone", async () => {
    const one = await signedIn();
    const code = await codeOf(one);
    const once = () => redeem({ code, code_verifier: VERIFIER });
    const { allowed: granted } = await refusedBeside({ refused: once, as: invalid("code"), allowed: once });
    expect(granted.body.key, granted.text).to.match(/^tpk_/);
    for (const verifier of [undefined, "x".repeat(43), CHALLENGE]) {
      const stolen = await codeOf(one);
      expectRefused(await redeem({ code: stolen, code_verifier: verifier }), invalid("code"));
      expectRefused(await redeem({ code: stolen, code_verifier: VERIFIER }), invalid("code"));
    }
    expectRefused(await redeem({ code: "guessed" }), invalid("code"));
    const late = await codeOf(one);
    await execute(server.data, "update login set expires_at = '2026-01-01T00:00:00.000Z'");
    expectRefused(await redeem({ code: late, code_verifier: VERIFIER }), invalid("code"));
  });

  it("gives nothing to a command line that nobody let in, nor in the name of a user who is deactivated", async () => {
    const begun = (await new Visitor(server.url).api("POST", "/login/device")).body;
    expect(begun.user_code).to.match(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    const waiting = { key: null, expires_at: null, user: null, claims: null };
    expect((await redeem({ code: begun.device_code })).body).to.deep.equal(waiting);
    expectRefused(await redeem({ code: begun.user_code }), invalid("code"));
    const one = await signedIn();
    await submit(one, await pageFor(one, "/login"), { user_code: begun.user_code });
    const { user } = await one.session();
    await server.rest.patch(`/users/${user.id}`, { active: false });
    const forbidden = { status: 403, code: "TP_1200" };
    await expectRefusedBut(
      () => redeem({ code: begun.device_code }),
      forbidden,
      async () => {
        await server.rest.patch(`/users/${user.id}`, { active: true });
        return redeem({ code: begun.device_code });
      },
    );
  });

  it("is in no log and no table: neither codes nor keys", async () => {
    const one = await signedIn();
    const code = await codeOf(one);
    const { key } = (await redeem({ code, code_verifier: VERIFIER })).body;
    const begun = (await one.api("POST", "/login/device", undefined, await one.csrf())).body;
    const tables = await Promise.all(
      ["session", "login", "audit_event"].map((table) => server.query(`select * from ${table}`)),
    );
    for (const secret of [code, key, begun.device_code])
      for (const text of [server.log, JSON.stringify(tables)]) expect(text).not.to.contain(secret);
  });

  it("has places for addresses of which none waits, and a bound for each, however many others wait", async () => {
    const ask = (address: string) =>
      new Visitor(server.url, { "x-forwarded-for": address }).api("POST", "/login/device");
    await execute(
      server.data,
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 750) insert into login (hash, claims, expires_at) select 'other ' || i, '{}', '2126-01-01T00:00:00.000Z' from n",
    );
    const full = { status: 503, code: "TP_1802" };
    await expectRefusedBut(
      async () => {
        expect((await ask("198.51.100.7")).status).to.equal(200);
        return ask("198.51.100.7");
      },
      full,
      () => ask("198.51.100.8"),
    );
    for (let more = 1; more < 100; more++) await ask("198.51.100.8");
    expectRefused(await ask("198.51.100.8"), { status: 429, code: "TP_1403" });
  });
});
