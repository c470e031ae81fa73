import { expect } from "chai";
import { unique } from "../../support/api/expect";
import { rowsIn, settled } from "../../support/databases";
import { Rest } from "../../support/rest";
import { ServerProcess } from "../../support/server";
import { answerWith, CLIENT_ID, claimsOf, offerSignIns, signInArgs, Visitor } from "../../support/signIn";
import { StandInTokenIssuer, secondsFromNow } from "../../support/tokenIssuer";

describe("Signing in", () => {
  let issuer: StandInTokenIssuer;
  before("start an identity provider", async () => {
    issuer = await StandInTokenIssuer.start();
    offerSignIns(issuer);
  });
  let server: ServerProcess;
  before("start a server", async () => {
    server = await ServerProcess.start({ args: signInArgs(issuer) });
  });
  after("stop both", async () => {
    await server.stop();
    issuer.stop();
  });

  const visitor = () => new Visitor(server.url);

  /** Checks that somebody is not signed in, and that page, log and audit log have the same number. */
  async function expectNotSignedIn(one: Visitor, answer: Response, about: RegExp): Promise<void> {
    const page = await answer.text();
    expect(answer.status, page).to.equal(403);
    expect(answer.headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).to.contain("default-src 'none'");
    expect(page).to.contain("You are not signed in");
    const number = answer.headers.get("x-request-id") ?? "";
    expect(page).to.contain(number);
    await server.logged(number);
    expect((await one.session()).user).to.equal(null);
    const rows: { action: string; operation_id: string; changed: string[] }[] = (
      await new Rest(server.url, server.apiKey).get("/audit_events")
    ).body.audit_events;
    const row = rows.find(({ operation_id }) => operation_id === number);
    expect(row).to.include({ action: "sign_in_refused", principal_id: "nobody", key_id: null });
    expect(row?.changed.join(" ")).to.match(about);
  }

  /** What an attacker brings back in the place of an answer of the identity provider (RFC 9700). */
  const ATTACKS: Readonly<
    Record<string, { readonly about: RegExp; attack(one: Visitor): Promise<Response> }>
  > = {
    "another state": {
      about: /state/,
      async attack(one) {
        await one.begin();
        return one.comeBack({ code: "a-code", state: "another" });
      },
    },
    "no state": {
      about: /state/,
      async attack(one) {
        await one.begin();
        return one.comeBack({ code: "a-code" });
      },
    },
    "no code": {
      about: /./,
      async attack(one) {
        const { state } = await one.begin();
        return one.comeBack({ state });
      },
    },
    "the answer to another browser": {
      about: /cookie/,
      async attack(one) {
        const { state, nonce } = await visitor().begin();
        answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
        return one.comeBack({ code: "a-code", state });
      },
    },
    "the answer to another sign-in of this browser": {
      about: /state/,
      async attack(one) {
        const { state, nonce } = await one.begin();
        answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
        await one.begin();
        return one.comeBack({ code: "a-code", state });
      },
    },
    "an attempt that this server did not seal": {
      about: /cookie/,
      async attack(one) {
        const { state, nonce } = await one.begin();
        answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
        const made = {
          state,
          nonce,
          verifier: "x".repeat(43),
          redirectUri: `${server.url}/sign_in/callback`,
          returnTo: "//evil.example",
          until: Date.now() + 1e6,
        };
        one.cookies.set("tunnelplane-sign-in", JSON.stringify(made));
        return one.comeBack({ code: "a-code", state });
      },
    },
    "an attempt whose seal was changed": {
      about: /cookie/,
      async attack(one) {
        const { state } = await one.begin();
        const sealed = one.cookies.get("tunnelplane-sign-in") ?? "";
        one.cookies.set("tunnelplane-sign-in", `${sealed.slice(0, -4)}AAAA`);
        return one.comeBack({ code: "a-code", state });
      },
    },
    "the answer of another issuer": {
      about: /iss/,
      async attack(one) {
        const { state, nonce } = await one.begin();
        answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
        return one.comeBack({ code: "a-code", state, iss: "https://other.example.com" });
      },
    },
    "an error": {
      about: /access_denied/,
      async attack(one) {
        const { state } = await one.begin();
        return one.comeBack({
          error: "access_denied",
          error_description: "<script>alert(1)</script>",
          state,
        });
      },
    },
    ...Object.fromEntries(
      (
        [
          ["a token with another nonce", { nonce: "another" }, /nonce/],
          ["a token without a nonce", { nonce: undefined }, /nonce/],
          ["a token for another client", { aud: "another" }, /aud/],
          ["a token for several clients, that another asked for", { aud: [CLIENT_ID, "x"], azp: "x" }, /azp/],
          ["a token of another issuer", { iss: "https://other.example.com" }, /iss/],
          ["a token that ended", { exp: secondsFromNow(-300) }, /exp/],
          ["a token without an end", { exp: undefined }, /exp/],
          ["a token without a subject", { sub: undefined }, /sub/],
        ] as const
      ).map(([name, claims, about]) => [
        name,
        {
          about,
          async attack(one: Visitor) {
            const { state, nonce } = await one.begin();
            answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce, claims)));
            return one.comeBack({ code: "a-code", state });
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      (
        [
          ["a token that nobody signed", (token) => `${token.split(".").slice(0, 2).join(".")}.`],
          [
            "a token whose claims were changed",
            (token) => {
              const [head, claims = "", signature] = token.split(".");
              const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "root" };
              const body = Buffer.from(JSON.stringify(changed)).toString("base64url");
              return `${head}.${body}.${signature}`;
            },
          ],
          [
            "a token with the algorithm `none`",
            (token) => {
              const head = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
              return `${head}.${token.split(".")[1]}.`;
            },
          ],
        ] as [string, (token: string) => string][]
      ).map(([name, forge]) => [
        name,
        {
          about: /./,
          async attack(one: Visitor) {
            const { state, nonce } = await one.begin();
            answerWith(issuer, forge(issuer.token(claimsOf(unique("user"), nonce))));
            return one.comeBack({ code: "a-code", state });
          },
        },
      ]),
    ),
    "a code that the identity provider does not know": {
      about: /invalid_grant|./,
      async attack(one) {
        const { state } = await one.begin();
        issuer.instead.set("/token", JSON.stringify({ error: "invalid_grant" }));
        return one.comeBack({ code: "guessed", state });
      },
    },
  };

  for (const [name, { about, attack }] of Object.entries(ATTACKS))
    it(`is refused to somebody who brings ${name}`, async () => {
      const one = visitor();
      const answer = await attack(one);
      const page = await answer.clone().text();
      expect(page).not.to.contain("<script>");
      await expectNotSignedIn(one, answer, about);
    });

  it("is refused to somebody who brings what was used already", async () => {
    const one = visitor();
    const { state, nonce } = await one.begin();
    const kept = one.cookies.get("tunnelplane-sign-in") ?? "";
    answerWith(issuer, issuer.token(claimsOf(unique("user"), nonce)));
    expect((await one.comeBack({ code: "a-code", state })).status).to.equal(303);
    expect(one.cookies.has("tunnelplane-sign-in")).to.equal(false);
    const thief = visitor();
    thief.cookies.set("tunnelplane-sign-in", kept);
    await expectNotSignedIn(thief, await thief.comeBack({ code: "a-code", state }), /replayed/);
  });

  it("shows no token of the identity provider in any log or table", async () => {
    const one = visitor();
    const { state, nonce } = await one.begin();
    const token = issuer.token(claimsOf(unique("user"), nonce));
    answerWith(issuer, token);
    await one.comeBack({ code: "the-code-of-this-test", state });
    await settled(server.data);
    const tables = await Promise.all(
      ["session", "principal", "audit_event"].map((table) => rowsIn(server.data, `select * from ${table}`)),
    );
    for (const secret of [
      token.split(".")[2] ?? "",
      "the-code-of-this-test",
      state,
      nonce,
      "of-nobody's-business",
    ])
      for (const text of [server.log, JSON.stringify(tables)]) expect(text).not.to.contain(secret);
  });
});
