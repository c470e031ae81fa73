import type { LookupAddress } from "node:dns";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Agent, fetch } from "undici";
import { certificate } from "../support/api/fixtures";
import { CLIENT, IdentityProvider } from "../support/identityProvider";
import { refusedBeside } from "../support/refusal";
import { Browser } from "./browser";
import { runningForAllTests } from "./running";

const HOST = "app.example.com";
const SITE = `https://${HOST}/page`;
const NAVIGATING = { headers: { accept: "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate" } };

describe("A genuine OpenID provider before an HTTPS edge", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  let provider: IdentityProvider;
  let tokens: { access_token?: string; expires_in?: number }[] = [];
  before("serve a site where its users sign in", async () => {
    const one = running.now;
    const { edge, route } = await one.site(HOST);
    provider = await IdentityProvider.start({
      own,
      client: {
        application_type: "web",
        redirect_uris: [`https://${HOST}/.tunnelplane/callback/${route.id}`],
      },
      settings: {
        // Its access tokens are JWTs of 3,000 bytes and more.
        extraTokenClaims: () => ({ groups: "g".repeat(2000) }),
        features: {
          resourceIndicators: {
            enabled: true,
            defaultResource: () => "https://api.example.com",
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({ scope: "", accessTokenFormat: "jwt", audience: "api" }),
          },
        },
      },
    });
    await one.api.httpsEdgeRoutes(edge.id).update(route.id, {
      oidc: {
        ...{ issuer: provider.url, client_id: CLIENT.id, client_secret: CLIENT.secret },
        scopes: ["openid"],
        require_claims: { sub: ["ann", "bob"] },
      },
    });
    const trust = join(one.folder, "trust.pem");
    writeFileSync(trust, own.pem);
    one.run("--dev-ca", "--trust", trust);
    await one.becomes(302, HOST);
  });
  beforeEach(() => {
    tokens = [];
    answering((body) => body);
  });
  const answering = (change: (body: object) => object) =>
    provider.changed.set("/token", (body) => {
      tokens.push(change(body as object));
      return tokens.at(-1);
    });
  async function signedIn(name: string): Promise<Browser> {
    const browser = new Browser(running.now, own.pem);
    const sent = await browser.visit(SITE, NAVIGATING);
    expect(sent.status).to.equal(302);
    const back = await browser.visit(await provider.throughForms(sent.location, name), NAVIGATING);
    expect([back.status, back.location], back.body).to.deep.equal([302, SITE]);
    return browser;
  }
  const status = async (browser: Browser) => (await browser.visit(SITE, NAVIGATING)).status;

  it("signs users in though its access tokens have 3,000 bytes, or it does not say when they end", async () => {
    const ann = await signedIn("ann");
    expect(tokens[0]?.access_token?.length).to.be.above(3000);
    answering((body) => ({ ...body, expires_in: undefined }));
    const bob = await signedIn("bob");
    expect(tokens[1]?.expires_in).to.equal(undefined);
    expect(await status(await signedIn("eve")), "whom the route does not name").to.equal(403);
    for (const browser of [ann, bob]) {
      await refusedBeside({
        refused: () => status(new Browser(running.now, own.pem)),
        as: 302,
        allowed: () => status(browser),
        allowedAs: 200,
      });
      const sizes = [...browser.cookies].map(([name, value]) => name.length + value.length);
      expect(Math.max(...sizes), "as large as browsers take").to.be.below(4096);
    }
  });

  it("is not asked by `fetch`, which is told that it has to sign in, beside a browser that navigates", async () => {
    const one = running.now;
    const authority = readFileSync(join(one.state, "dev-ca.pem"), "utf8");
    const lookup = (_: string, __: object, done: (error: null, found: LookupAddress[]) => void) =>
      done(null, [{ address: "127.0.0.1", family: 4 }]);
    const agent = new Agent({ connect: { ca: authority, lookup } });
    const { refused } = await refusedBeside({
      refused: () =>
        fetch(`https://${HOST}:${one.httpsPort}/page`, { dispatcher: agent, redirect: "manual" }),
      as: 401,
      allowed: () => new Browser(one, own.pem).visit(SITE, NAVIGATING),
      allowedAs: 302,
    });
    expect(refused[0]?.headers.get("www-authenticate")).to.equal('Cookie realm="sign-in"');
    expect(refused[0]?.headers.getSetCookie()).to.deep.equal([]);
    await agent.close();
  });
});
