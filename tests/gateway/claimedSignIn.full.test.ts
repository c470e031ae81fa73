import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { Browser, type Visit } from "./browser";
import { runningForAllTests } from "./running";
import { StandInIssuer } from "./standInIssuer";

const HOST = "staff.example.com";
const SITE = `https://${HOST}/page`;

describe("Users who sign in, where a route asks for claims of their ID tokens", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  let issuer: StandInIssuer;
  let routeId: string;
  let edgeId: string;

  before("serve a site for verified addresses of one domain, in a group", async () => {
    const one = running.now;
    issuer = await StandInIssuer.start(own);
    const { edge, route } = await one.site(HOST, { oidc: oidc() });
    [edgeId, routeId] = [edge.id, route.id];
    issuer.client = { ...issuer.client, redirectUri: `https://${HOST}/.tunnelplane/callback/${route.id}` };
    const trust = join(one.folder, "trust.pem");
    writeFileSync(trust, own.pem);
    one.run("--dev-ca", "--trust", trust);
    await one.becomes(302, HOST);
  });

  const oidc = (more: object = {}) => ({
    issuer: issuer.url,
    client_id: issuer.client.id,
    client_secret: issuer.client.secret,
    scopes: ["openid"],
    require_claims: { email: ["*@example.com"], "realm.groups": ["ops", "dev-*"] },
    ...more,
  });
  const ANN = { email: "ann@example.com", email_verified: true, realm: { groups: ["x", "dev-1"] } };
  /** Has somebody with such claims come back from the issuer. */
  async function signIn(claims: object): Promise<{ browser: Browser; back: Visit }> {
    issuer.claims = claims;
    const browser = new Browser(running.now, own.pem);
    const sent = await browser.visit(SITE);
    expect(sent.status).to.equal(302);
    return { browser, back: await browser.visit((await browser.visit(sent.location)).location) };
  }
  /** Signs somebody with such claims in, and asks for the page. */
  async function visit(claims: object): Promise<{ browser: Browser; page: Visit }> {
    const { browser, back } = await signIn(claims);
    expect([back.status, back.location], back.body).to.deep.equal([302, SITE]);
    return { browser, page: await browser.visit(SITE) };
  }

  it("those who have them pass, and no server behind sees the ID token", async () => {
    const { page } = await visit(ANN);
    expect(page.status).to.equal(200);
    const { headers } = JSON.parse(page.body) as { headers: Record<string, string> };
    expect(headers.cookie).to.equal(undefined);
    expect(JSON.stringify(headers)).not.to.contain("eyJ");
  });

  it("those who lack one get a page that says so and lets them sign out, and are not sent to sign in again", async () => {
    const lacking = {
      nothing: {},
      "another domain": { ...ANN, email: "ann@example.org" },
      "an address that is not verified": { ...ANN, email_verified: false },
      "an address without a word on whether it is verified": { email: ANN.email, realm: ANN.realm },
      "another group": { ...ANN, realm: { groups: ["opsx", "dev"] } },
      "a group in another place": { ...ANN, realm: {}, "realm.groups": ["ops"] },
    };
    for (const [what, claims] of Object.entries(lacking)) {
      const { browser, page } = await visit(claims);
      expect(page.body, what)
        .to.contain("You are signed in, but may not open this page")
        .and.to.contain(`action="/.tunnelplane/sign-out/${routeId}"`);
      await refusedBeside({
        refused: [
          async () => page,
          () => browser.visit(SITE),
          () => browser.visit(SITE, { method: "OPTIONS" }),
        ],
        as: 403,
        allowed: async () => (await visit(ANN)).page,
      });
      const gone = await browser.visit(`https://${HOST}/.tunnelplane/sign-out/${routeId}`, {
        method: "POST",
        headers: { origin: `https://${HOST}`, "sec-fetch-site": "same-origin" },
      });
      expect([gone.status, browser.cookies.size], what).to.deep.equal([302, 0]);
      expect((await browser.visit(SITE)).status, what).to.equal(302);
    }
  });

  it("those do not pass whose ID token the issuer did not sign, or made for another app", async () => {
    const { key } = issuer;
    const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const pageFor =
      (claims: object, signer = key) =>
      async () => {
        issuer.key = signer;
        return (await visit(claims)).page;
      };
    await refusedBeside({
      refused: [
        pageFor(ANN, foreign),
        pageFor({ ...ANN, aud: "another app" }),
        pageFor({ ...ANN, iss: "https://evil.example.com" }),
      ],
      as: 403,
      allowed: pageFor(ANN),
    });
    issuer.key = key;
    const aud = [issuer.client.id, "another app"];
    await refusedBeside({
      refused: [{}, { azp: "another app" }].map(
        (more) => async () => (await signIn({ ...ANN, aud, ...more })).back,
      ),
      as: 401,
      allowed: pageFor({ ...ANN, aud, azp: issuer.client.id }),
    });
  });

  it("other claims of the route count at once for those who are signed in, and OPTIONS may pass without", async () => {
    const one = running.now;
    const { browser, page } = await visit(ANN);
    expect(page.status).to.equal(200);
    const routes = one.api.httpsEdgeRoutes(edgeId);
    const change = (require_claims: Record<string, string[]>) =>
      routes.update(routeId, { oidc: oidc({ require_claims, options_passthrough: true }) });
    const status = async (method = "GET") => (await browser.visit(SITE, { method })).status;
    await change({ sub: ["nobody"] });
    await one.until(async () => (await status()) !== 200);
    await refusedBeside({ refused: status, as: 403, allowed: () => status("OPTIONS") });
    await change({});
    await one.until(async () => (await status()) === 200);
  });
});
