import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { certificate } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { Browser } from "./browser";
import { runningForAllTests } from "./running";
import { StandInIssuer } from "./standInIssuer";

const HOST = "work.example.com";
const SITE = `https://${HOST}/page`;

describe("Sessions of users who signed in", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  let issuer: StandInIssuer;
  let ids: { edge: string; route: string };
  before("serve a site where users sign in", async () => {
    const one = running.now;
    issuer = await StandInIssuer.start(own);
    const { edge, route } = await one.site(HOST, { oidc: oidc() });
    ids = { edge: edge.id, route: route.id };
    issuer.client = { ...issuer.client, redirectUri: `https://${HOST}/.tunnelplane/callback/${route.id}` };
    const trust = join(one.folder, "trust.pem");
    writeFileSync(trust, own.pem);
    one.run("--dev-ca", "--trust", trust);
    await one.becomes(302, HOST);
  });
  const oidc = (limits: object = {}) => ({
    ...{ issuer: issuer.url, client_id: issuer.client.id, client_secret: issuer.client.secret },
    scopes: ["openid"],
    ...limits,
  });
  const signedIn = async (): Promise<Browser> => {
    const browser = new Browser(running.now, own.pem);
    const back = await browser.visit((await browser.visit(SITE)).location);
    const after = await browser.visit(back.location);
    expect([after.status, after.location], after.body).to.deep.equal([302, SITE]);
    return browser;
  };
  const status = async (browser: Browser) => (await browser.visit(SITE)).status;
  /** Serves other limits; sessions of before are over. */
  const limit = async (limits: object) => {
    const before = await signedIn();
    await running.now.api.httpsEdgeRoutes(ids.edge).update(ids.route, { oidc: oidc(limits) });
    await running.now.until(async () => (await status(before)) === 302);
  };

  it("go on after the provider's token ends, which is no part of them, however large it is or whatever is said of its end", async () => {
    for (const tokens of [
      { access_token: randomBytes(6000).toString("base64url"), expires_in: 1 },
      { expires_in: undefined },
      { refresh_token: "r".repeat(5000), expires_in: 1 },
    ]) {
      issuer.tokens = tokens;
      const browser = await signedIn();
      const size = [...browser.cookies].map(([name, value]) => name.length + value.length);
      expect(Math.max(...size)).to.be.lessThan(1000);
      await sleep(2000);
      expect(await status(browser)).to.equal(200);
    }
    issuer.tokens = {};
  });

  it("end after the longest time that is declared, though they are used, and the provider would renew them", async () => {
    await limit({ maximum_duration: 3 });
    issuer.tokens = { refresh_token: "good for ever" };
    const browser = await signedIn();
    expect(await status(browser)).to.equal(200);
    const kept = new Map(browser.cookies);
    await running.now.until(async () => (await status(browser)) === 302);
    const thief = new Browser(running.now, own.pem);
    for (const [name, value] of kept) thief.cookies.set(name, value);
    expect(await status(thief), "its cookies, kept longer").to.equal(302);
    issuer.tokens = {};
  });

  it("end after the declared time without a request, and go on with requests; no changed cookie renews them", async () => {
    await limit({ inactivity_timeout: 600 });
    const early = await signedIn();
    expect(await status(early), "long before it is renewed").to.equal(200);
    for (const name of [...early.cookies.keys()].filter((one) => /_(hmac|expires)$/.test(one))) {
      const value = early.cookies.get(name) ?? "";
      await refusedBeside({
        refused: async () => {
          early.cookies.set(name, `${value.slice(0, -3)}AAA`);
          const asked = await status(early);
          early.cookies.set(name, value);
          return asked;
        },
        as: 302,
        allowed: () => status(early),
      });
    }
    await limit({ inactivity_timeout: 4, maximum_duration: 600 });
    const browser = await signedIn();
    const others = new Map(browser.cookies);
    for (let second = 0; second < 8; second++) {
      await sleep(1000);
      expect(await status(browser), `after ${second + 1} s`).to.equal(200);
    }
    const idle = new Browser(running.now, own.pem);
    for (const [name, value] of others) idle.cookies.set(name, value);
    expect(await status(idle), "cookies of 8 s before").to.equal(302);
    await sleep(4500);
    expect(await status(browser)).to.equal(302);
  });

  it("that cannot begin are answered by a page with a reason, a number that the log has, and a way on", async () => {
    const one = running.now;
    const callback = `https://${HOST}/.tunnelplane/callback/${ids.route}`;
    const pages = ["?error=access_denied&state=x", "?code=x&state=x", "?error=%3Cscript%3E"].map(
      async (query) => (await new Browser(one, own.pem).visit(callback + query)).body,
    );
    for (const page of await Promise.all(pages)) {
      const [, number = "none"] = /<code>([^<]+)<\/code>/.exec(page) ?? [];
      expect(page)
        .to.contain("The sign-in failed")
        .and.to.contain('<a href="/">')
        .and.not.to.contain("script");
      await one.until(async () => one.gateway.log.includes(number));
    }
    expect(await pages[0]).to.contain("did not let you in");
    await limit({ require_claims: { groups: ["g*"] } });
    issuer.claims = { groups: ["g".repeat(16_000)] };
    const browser = new Browser(one, own.pem);
    const refused = await browser.visit((await browser.visit((await browser.visit(SITE)).location)).location);
    expect(refused.body).to.contain("The sign-in failed");
    await one.until(async () => one.gateway.log.includes("too large for cookies"));
    issuer.claims = {};
  });
});

describe("Identity providers of every kind", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  let issuer: StandInIssuer;
  before("start", async () => {
    issuer = await StandInIssuer.start(own);
    const trust = join(running.now.folder, "trust.pem");
    writeFileSync(trust, own.pem);
    running.now.run("--dev-ca", "--trust", trust);
  });
  async function site(host: string, of = issuer, more: object = {}) {
    const one = running.now;
    const client = { client_id: "my app:é+&%41", client_secret: "a b:c%+é" };
    const { route, edge } = await one.site(host, {
      oidc: { issuer: of.url, ...client, scopes: ["openid"], ...more },
    });
    const redirectUri = `https://${host}/.tunnelplane/callback/${route.id}`;
    of.client = { id: client.client_id, secret: client.client_secret, redirectUri };
    return edge;
  }
  const signIn = async (host: string) => {
    const browser = new Browser(running.now, own.pem);
    const sent = await browser.visit(`https://${host}/`);
    const back = await browser.visit((await browser.visit(sent.location)).location);
    expect([back.status, back.location], back.body).to.deep.equal([302, `https://${host}/`]);
    return browser.visit(`https://${host}/`);
  };

  it("are told by the client who it is as they ask for it: post where they offer it, Basic where that is all or nothing is said", async () => {
    for (const [name, methods, by] of [
      ["both", ["client_secret_basic", "client_secret_post"], "client_secret_post"],
      ["basic", ["client_secret_basic"], "client_secret_basic"],
      ["silent", undefined, "client_secret_basic"],
    ] as const) {
      const one = await StandInIssuer.start(own);
      one.methods = methods;
      await site(`${name}.example.com`, one);
      await running.now.becomes(302, `${name}.example.com`);
      expect((await signIn(`${name}.example.com`)).status).to.equal(200);
      expect(one.came).to.deep.equal([by]);
      one.stop();
    }
  });

  it("that differ from what is declared by a slash are named so in the edge's report", async () => {
    const one = await StandInIssuer.start(own);
    one.name = `${one.url}/`;
    const edge = await site("slash.example.com", one);
    await running.now.becomes(503, "slash.example.com");
    const [reason] = await running.now.reasons([edge.id]);
    expect(reason).to.contain(`"${one.url}/"`).and.to.contain("slash");
    one.stop();
  });

  it("that change their keys are asked again as soon as a token names another one, and seldom for forged ones", async () => {
    const one = running.now;
    const client = issuer.client.id;
    await one.site("keys.example.com", {
      jwt_validation: {
        issuer: { allow_list: [{ value: issuer.url }] },
        audience: { allow_list: [{ value: client }] },
        http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
        jws: {
          allowed_algorithms: ["RS256"],
          keys: { sources: { additional_jkus: [`${issuer.url}/jwks`] } },
        },
      },
    });
    const withToken = async (token: string) =>
      (await one.ask("keys.example.com", "/", { headers: { authorization: `Bearer ${token}` } })).status;
    issuer.rotate("first");
    await one.until(async () => (await withToken(issuer.idToken())) === 200);
    const [head, claims] = issuer.idToken().split(".");
    const from = performance.now();
    const forged = () => withToken(`${head}.${claims}.AAAA`);
    while (performance.now() - from < 12_000) await forged();
    await refusedBeside({ refused: forged, as: 401, allowed: () => withToken(issuer.idToken()) });
    issuer.rotate("second");
    await one.until(async () => (await withToken(issuer.idToken())) === 200);
    const apart = issuer.keysFetched.slice(1).map((at, index) => at - (issuer.keysFetched[index] ?? 0));
    expect(Math.min(...apart), apart.join()).to.be.above(9500);
  });

  it("whose endpoints move are found again without a restart", async () => {
    const moving = await StandInIssuer.start(own);
    await site("moving.example.com", moving);
    await running.now.becomes(302, "moving.example.com");
    expect((await signIn("moving.example.com")).status).to.equal(200);
    moving.tokenPath = "/elsewhere";
    await running.now.until(async () => {
      const signedIn = await signIn("moving.example.com").catch(() => undefined);
      return signedIn?.status === 200;
    });
    moving.stop();
  });
});
