import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import { type Running, runningForEachTest } from "./running";
import { StandInIssuer } from "./standInIssuer";

const [SITE, HOST] = ["https://signed.example.com/page?a=b", "signed.example.com"];

/** What a browser does: asks for a page, and keeps cookies for each host. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly #trusted: string[];

  constructor(
    private readonly one: Running,
    issuer: string,
  ) {
    this.#trusted = [readFileSync(join(one.state, "dev-ca.pem"), "utf8"), issuer];
  }

  /** One request, without following where it leads. */
  visit(url: string): Promise<{ status: number; location: string; body: string }> {
    const { hostname, port, pathname, search } = new URL(url);
    const site = port === "";
    const cookie = site ? [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") : "";
    const where = { host: "127.0.0.1", port: site ? this.one.httpsPort : port, path: pathname + search, agent: false as const };
    const headers = { host: site ? hostname : `${hostname}:${port}`, ...(cookie ? { cookie } : {}) };
    return new Promise((resolve, reject) => {
      const asked = request({ ...where, headers, ca: this.#trusted, ...(site ? { servername: hostname } : {}) }, (answer) => {
        for (const text of answer.headers["set-cookie"] ?? []) this.#keep(text);
        let body = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          body += chunk;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? "", body }));
      });
      asked.on("error", reject).end();
    });
  }

  #keep(text: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (value === "" || value === "deleted" || /max-age=0/i.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

describe("Users sign in at an identity provider before an edge lets them pass", () => {
  const running = runningForEachTest();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  let issuer: StandInIssuer | undefined;
  afterEach(() => issuer?.stop());

  const start = async () => {
    const one = running.now;
    issuer = await StandInIssuer.start(own);
    const oidc = { issuer: issuer.url, client_id: issuer.client.id, client_secret: issuer.client.secret, scopes: ["openid"] };
    const { edge, route } = await one.site(HOST, { oidc });
    issuer.client = { ...issuer.client, redirectUri: `https://${HOST}/.tunnelplane/callback/${route.id}` };
    const trust = join(one.folder, "trust.pem");
    writeFileSync(trust, own.pem);
    return { one, issuer, edge, route, oidc, run: () => one.run("--dev-ca", "--trust", trust) };
  };
  const signIn = async (browser: Browser) => {
    const sent = await browser.visit(SITE);
    const back = await browser.visit(sent.location);
    expect(back.status, back.body).to.equal(302);
    return { back, after: await browser.visit(back.location) };
  };

  it("from the page to the provider and back to the page; nobody else passes, with whatever cookies", async () => {
    const { one, issuer, edge, oidc, run } = await start();
    const other = await one.api.httpsEdgeRoutes(edge.id).create({
      match_type: "path_prefix",
      match: "/other",
      backend: { backend_id: (await one.api.staticBackends.create({ address: one.upstream.address })).id },
      oidc,
    });
    expect(other.id).to.match(/^edghtsrt_/);
    run();
    await one.becomes(302, HOST);
    const browser = new Browser(one, own.pem);
    const { back, after } = await signIn(browser);
    expect([after.status, after.location]).to.deep.equal([302, SITE]);
    const page = await browser.visit(SITE);
    expect([page.status, (JSON.parse(page.body) as { path: string }).path]).to.deep.equal([200, "/page?a=b"]);

    const stranger = new Browser(one, own.pem);
    expect((await stranger.visit(SITE)).location).to.contain(`${issuer.url}/authorize?`);
    expect((await stranger.visit(back.location)).status, "somebody else's way back").to.be.oneOf([302, 401, 403]);
    expect((await stranger.visit(SITE)).status).to.equal(302);
    expect((await browser.visit(`https://${HOST}/other`)).status, "a route with a session of its own").to.equal(302);
    const session = [...browser.cookies].filter(([name]) => /_(hmac|expires|token)$/.test(name));
    expect(session).to.have.length(3);
    for (const [name, value] of session) {
      browser.cookies.set(name, `${value.slice(0, -3)}${value.endsWith("AAA") ? "BBB" : "AAA"}`);
      expect((await browser.visit(SITE)).status, `with another ${name}`).to.equal(302);
      browser.cookies.set(name, value);
    }
  });

  it("not where the provider refuses the client; signed-in users stay when the provider is away, also at the next start", async () => {
    const { one, issuer, run } = await start();
    run();
    await one.becomes(302, HOST);
    const { client } = issuer;
    const refused = new Browser(one, own.pem);
    issuer.client = { ...client, secret: "another one" };
    expect((await signIn(refused)).after.status).to.be.oneOf([401, 403]);
    expect((await refused.visit(SITE)).status).to.equal(302);
    issuer.client = client;
    const browser = new Browser(one, own.pem);
    await signIn(browser);
    issuer.stop();
    expect((await browser.visit(SITE)).status).to.equal(200);
    await one.gateway.stop();
    run();
    await one.becomes(302, HOST);
    const after = new Browser(one, own.pem);
    for (const [name, value] of browser.cookies) after.cookies.set(name, value);
    expect((await after.visit(SITE)).status).to.equal(200);
  });

  it("at no other provider than the one that was declared: one that calls itself otherwise is not used, and the log says so", async () => {
    const { one, issuer, edge, run } = await start();
    issuer.name = "https://evil.example.com";
    await one.site("good.example.com");
    run();
    await one.becomes(200, "good.example.com");
    expect((await one.ask(HOST)).status).to.equal(503);
    const lines = one.gateway.log.split("\n").filter((line) => line.includes("could not be asked about itself"));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain(`the issuer ${issuer.url}`).and.to.contain('calls itself \\"https://evil.example.com\\"');
    const { state, reason } = await one.reported(edge.id);
    expect(state).to.equal("rejected");
    expect(reason).to.contain(issuer.url);
  });
});
