import { unique } from "../../support/api/expect";
import { rowsIn, settled } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import { ServerProcess } from "../../support/server";
import { answerWith, CLIENT_ID, claimsOf, offerSignIns, signInArgs, Visitor } from "../../support/signIn";
import { StandInTokenIssuer, secondsFromNow } from "../../support/tokenIssuer";

const COOKIE = "tunnelplane-sign-in";
const CODE = { code: "a-code" };
const NO_ALGORITHM = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");

describe("Signing in", () => {
  let issuer: StandInTokenIssuer;
  let server: ServerProcess;
  before("start an identity provider and a server", async () => {
    issuer = await StandInTokenIssuer.start();
    offerSignIns(issuer);
    server = await ServerProcess.start({ args: signInArgs(issuer) });
  });

  const visitor = () => new Visitor(server.url);
  /** Begins a sign-in, for which the identity provider will hand out a token. */
  const begun = async (one: Visitor, claims = {}, forge = (token: string) => token) => {
    const { state, nonce } = await one.begin();
    answerWith(issuer, forge(issuer.token(claimsOf(unique("user"), nonce, claims))));
    return { state, nonce };
  };

  /** Signs in as it should be, and somebody else is not: page, log and audit log have one number. */
  async function expectNotSignedIn(
    one: Visitor,
    attack: () => Promise<Response>,
    about: RegExp,
  ): Promise<void> {
    const proper = visitor();
    const {
      refused: [answer],
    } = await refusedBeside({
      refused: attack,
      as: ({ status }: Response) => expect(status).to.equal(403),
      allowed: async () => proper.comeBack({ ...CODE, state: (await begun(proper)).state }),
    });
    expect((await proper.session()).user).to.be.an("object");
    const { headers } = answer as Response;
    const page = await (answer as Response).text();
    expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).to.contain("default-src 'none'");
    const number = headers.get("x-request-id") ?? "";
    expect(page).to.contain("You are not signed in").and.to.contain(number).and.not.to.contain("<script>");
    await server.logged(number);
    expect((await one.session()).user).to.equal(null);
    const { audit_events: rows } = (await server.rest.get("/audit_events")).body;
    const row = rows.find(({ operation_id }: { operation_id: string }) => operation_id === number);
    expect(row).to.include({ action: "sign_in_refused", principal_id: "nobody", key_id: null });
    expect(row.changed.join(" ")).to.match(about);
  }

  type Attack = (one: Visitor) => Promise<Record<string, string>>;
  const withClaims =
    (claims: object): Attack =>
    async (one) => ({ ...CODE, state: (await begun(one, claims)).state });
  const forged =
    (forge: (head: string, claims: string, signature: string) => string): Attack =>
    async (one) => {
      const split = (token: string) => token.split(".") as [string, string, string];
      return { ...CODE, state: (await begun(one, {}, (token) => forge(...split(token)))).state };
    };

  /** What an attacker brings back in the place of an answer of the identity provider (RFC 9700). */
  const ATTACKS: Readonly<Record<string, readonly [about: RegExp, attack: Attack]>> = {
    "another state": [/state/, (one) => one.begin().then(() => ({ ...CODE, state: "another" }))],
    "no state": [/state/, (one) => one.begin().then(() => CODE)],
    "no code": [/./, async (one) => ({ state: (await one.begin()).state })],
    "the answer to another browser": [
      /cookie/,
      async () => ({ ...CODE, state: (await begun(visitor())).state }),
    ],
    "an attempt that this server did not seal": [
      /cookie/,
      async (one) => {
        const { state, nonce } = await begun(one);
        const redirectUri = `${server.url}/sign_in/callback`;
        const more = { redirectUri, returnTo: "//evil.example", until: Date.now() + 1e6 };
        one.cookies.set(COOKIE, JSON.stringify({ state, nonce, verifier: "x".repeat(43), ...more }));
        return { ...CODE, state };
      },
    ],
    "an attempt whose seal was changed": [
      /cookie/,
      async (one) => {
        const { state } = await one.begin();
        one.cookies.set(COOKIE, `${one.cookies.get(COOKIE)?.slice(0, -4)}AAAA`);
        return { ...CODE, state };
      },
    ],
    "the answer of another issuer": [
      /iss/,
      async (one) => ({ ...CODE, state: (await begun(one)).state, iss: "https://other.example.com" }),
    ],
    "an error": [
      /access_denied/,
      async (one) => ({
        error: "access_denied",
        error_description: "<script>alert(1)</script>",
        state: (await one.begin()).state,
      }),
    ],
    "a code that the identity provider does not know": [
      /./,
      async (one) => {
        const { state } = await one.begin();
        issuer.instead.set("/token", JSON.stringify({ error: "invalid_grant" }));
        return { code: "guessed", state };
      },
    ],
    "a token with another nonce": [/nonce/, withClaims({ nonce: "another" })],
    "a token without a nonce": [/nonce/, withClaims({ nonce: undefined })],
    "a token for another client": [/aud/, withClaims({ aud: "another" })],
    "a token for several clients, that another asked for": [
      /azp/,
      withClaims({ aud: [CLIENT_ID, "x"], azp: "x" }),
    ],
    "a token of another issuer": [/iss/, withClaims({ iss: "https://other.example.com" })],
    "a token that ended": [/exp/, withClaims({ exp: secondsFromNow(-300) })],
    "a token without an end": [/exp/, withClaims({ exp: undefined })],
    "a token without a subject": [/sub/, withClaims({ sub: undefined })],
    "a token that nobody signed": [/./, forged((head, claims) => `${head}.${claims}.`)],
    "a token whose claims were changed": [
      /./,
      forged((head, claims, signature) => {
        const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "root" };
        return `${head}.${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${signature}`;
      }),
    ],
    "a token with the algorithm `none`": [/./, forged((_, claims) => `${NO_ALGORITHM}.${claims}.`)],
  };

  for (const [name, [about, attack]] of Object.entries(ATTACKS))
    it(`is refused to somebody who brings ${name}`, async () => {
      const one = visitor();
      await expectNotSignedIn(one, async () => one.comeBack(await attack(one)), about);
    });

  it("is refused to somebody who brings what was used already; no log or table shows a token or a code", async () => {
    const one = visitor();
    const { state, nonce } = await one.begin();
    const kept = one.cookies.get(COOKIE) ?? "";
    const token = issuer.token(claimsOf(unique("user"), nonce));
    answerWith(issuer, token);
    const brought = { code: "the-code-of-this-test", state };
    expect((await one.comeBack(brought)).status).to.equal(303);
    expect(one.cookies.has(COOKIE)).to.equal(false);
    const thief = visitor();
    thief.cookies.set(COOKIE, kept);
    await expectNotSignedIn(thief, () => thief.comeBack(brought), /replayed/);
    await settled(server.data);
    const tables = await Promise.all(
      ["session", "principal", "audit_event"].map((table) => rowsIn(server.data, `select * from ${table}`)),
    );
    for (const secret of [token.split(".")[2] ?? "", brought.code, state, nonce, "of-nobody's-business"])
      for (const text of [server.log, JSON.stringify(tables)]) expect(text).not.to.contain(secret);
  });
});
