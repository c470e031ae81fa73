import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { Browser } from "./browser";
import { runningForAllTests } from "./running";
import { StandInIssuer } from "./standInIssuer";

const [SITE, HOST] = ["https://signed.example.com/page?a=b", "signed.example.com"];

describe("Users sign in at an identity provider before an edge lets them pass", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  let started: Awaited<ReturnType<typeof start>>;
  before("serve a site where users sign in", async () => {
    started = await start();
    started.run();
    await started.one.becomes(302, HOST);
  });

  const start = async () => {
    const one = running.now;
    const issuer = await StandInIssuer.start(own);
    const oidc = {
      ...{ issuer: issuer.url, client_id: issuer.client.id, client_secret: issuer.client.secret },
      scopes: ["openid"],
    };
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
    const { one, issuer, edge, oidc } = started;
    const other = await one.api.httpsEdgeRoutes(edge.id).create({
      match_type: "path_prefix",
      match: "/other",
      backend: { backend_id: (await one.api.staticBackends.create({ address: one.upstream.address })).id },
      oidc,
    });
    const location = async () => (await one.ask(HOST, "/other")).headers.location ?? "";
    await one.until(async () => (await location()).includes(other.id));
    const browser = new Browser(one, own.pem);
    const { back, after } = await signIn(browser);
    expect([after.status, after.location]).to.deep.equal([302, SITE]);
    const page = await browser.visit(SITE);
    expect([page.status, (JSON.parse(page.body) as { path: string }).path]).to.deep.equal([200, "/page?a=b"]);
    const stranger = new Browser(one, own.pem);
    expect((await stranger.visit(SITE)).location).to.contain(`${issuer.url}/authorize?`);
    expect((await stranger.visit(back.location)).status, "somebody else's way back").to.be.oneOf([
      302, 401, 403,
    ]);
    expect((await stranger.visit(SITE)).status).to.equal(302);
    expect(
      (await browser.visit(`https://${HOST}/other`)).status,
      "a route with a session of its own",
    ).to.equal(302);
    const session = [...browser.cookies].filter(([name]) => /_(hmac|expires|token)$/.test(name));
    expect(session, "and no token of the provider").to.have.length(2);
    for (const [name, value] of session) {
      browser.cookies.set(name, `${value.slice(0, -3)}${value.endsWith("AAA") ? "BBB" : "AAA"}`);
      expect((await browser.visit(SITE)).status, `with another ${name}`).to.equal(302);
      browser.cookies.set(name, value);
    }
  });

  it("with cookies that other sites cannot plant, and that no server behind sees, behind whatever route", async () => {
    const { one, edge, oidc } = started;
    const backend = {
      backend_id: (await one.api.staticBackends.create({ address: one.upstream.address })).id,
    };
    await one.api.httpsEdgeRoutes(edge.id).create({ match_type: "path_prefix", match: "/open", backend });
    await one.site("prefix.example.com", { oidc: { ...oidc, cookie_prefix: "__Host-mine" } });
    await one.becomes(302, "prefix.example.com");
    await one.becomes(200, HOST, "/open");
    const browser = new Browser(one, own.pem);
    const sent = await browser.visit(SITE);
    const back = await browser.visit((await browser.visit(sent.location)).location);
    const set = [...sent.set, ...back.set];
    expect(set.length).to.be.greaterThan(6);
    for (const text of set) {
      expect(text).to.match(/^__Host-tunnelplane_[0-9a-f]{16}_[a-z]+(\.[0-9a-f]+)?=/);
      expect(text.toLowerCase(), text)
        .to.match(/;\s*path=\/(;|$)/)
        .and.to.match(/;\s*secure/)
        .and.not.to.match(/;\s*domain/);
      if (!text.includes("=deleted"))
        expect(text.toLowerCase(), text).to.contain("httponly").and.to.contain("samesite=lax");
    }
    expect((await browser.visit("https://prefix.example.com/")).set.join()).to.match(
      /^__Host-mine_[0-9a-f]{16}_/,
    );
    browser.cookies.set("theirs", "1");
    browser.cookies.set("__Host-theirs_hmac", "2");
    for (const path of ["/page", "/open"]) {
      const { status, body } = await browser.visit(`https://${HOST}${path}`);
      expect(status, path).to.equal(200);
      const { headers } = JSON.parse(body) as { headers: Record<string, string> };
      expect(headers.cookie?.split("; "), path).to.have.members(["theirs=1", "__Host-theirs_hmac=2"]);
      expect(headers.authorization, path).to.equal(undefined);
    }
  });

  it("and come back to a path of the site that they asked, whatever headers and the state say", async () => {
    const { one } = started;
    const forged = {
      ...{ "x-forwarded-host": "evil.example.org", "x-forwarded-proto": "http" },
      ...{ "x-forwarded-port": "81", forwarded: "host=evil.example.org" },
    };
    const home = `https://${HOST}`;
    for (const url of [
      undefined,
      "https://evil.example.org/x",
      "//evil.example.org/x",
      "/\\evil.example.org",
      `${home}:9999/x`,
      `http://${HOST}/x`,
      `${home}//evil.example.org`,
      `${home}/\\evil.example.org`,
      `${home}/\t/evil.example.org`,
      `${home}@evil.example.org/`,
      `${home}.evil.example.org/`,
      `https://evil.example.org\\@${HOST}/`,
      `${home}?//evil.example.org`,
      "javascript:alert(1)",
    ]) {
      const browser = new Browser(one, own.pem);
      const sent = await browser.visit(SITE, { headers: forged });
      const asked = new URL(sent.location).searchParams;
      expect(asked.get("redirect_uri")).to.match(new RegExp(`^${home}/.tunnelplane/callback/`));
      const state = JSON.parse(Buffer.from(asked.get("state") ?? "", "base64url").toString()) as {
        url: string;
      };
      expect(new URL(state.url).host).to.equal(HOST);
      const back = new URL((await browser.visit(sent.location)).location);
      if (url !== undefined)
        back.searchParams.set("state", Buffer.from(JSON.stringify({ ...state, url })).toString("base64url"));
      const { status, location } = await browser.visit(back.href, { headers: forged });
      if (url === undefined) expect([status, location]).to.deep.equal([302, SITE]);
      expect(status, url).to.be.oneOf([302, 400, 401]);
      if (status !== 302) continue;
      expect(location, url).to.match(new RegExp(`^${home}/([^/\\\\\\s]|$)`));
      expect(new URL(location).origin, url).to.equal(home);
    }
  });

  it("sign out by a POST of the site's own pages, which ends this browser's session alone", async () => {
    const { one, route } = started;
    const browser = new Browser(one, own.pem);
    await signIn(browser);
    const other = new Browser(one, own.pem);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const signOut = `https://${HOST}/.tunnelplane/sign-out/${route.id}`;
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example.org" },
      { origin: "null" },
      { origin: `https://${HOST}.evil.example.org` },
      { origin: `https://evil.example.org/https://${HOST}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: `https://${HOST}` },
    ];
    for (const [as, attempts] of [
      [405, ["GET", "HEAD", "PUT"].map((method) => ({ method }))],
      [403, foreign.map((headers) => ({ method: "POST", headers }))],
    ] as const) {
      const { refused } = await refusedBeside({
        refused: attempts.map((attempt) => () => browser.visit(signOut, attempt)),
        as,
        allowed: () => browser.visit(SITE),
      });
      for (const { set } of refused) expect(set).to.deep.equal([]);
    }
    expect((await browser.visit(SITE)).status).to.equal(200);
    const { status, location } = await browser.visit(signOut, {
      method: "POST",
      headers: { origin: `https://${HOST}`, "sec-fetch-site": "same-origin" },
    });
    expect([status, location]).to.deep.equal([302, `https://${HOST}/`]);
    expect([...browser.cookies.keys()]).to.deep.equal([]);
    expect((await browser.visit(SITE)).status).to.equal(302);
    expect((await other.visit(SITE)).status, "a copy lives to the session's end").to.equal(200);
    expect(
      (await other.visit(signOut, { method: "POST" })).status,
      "by a program, which says nothing of a site",
    ).to.equal(302);
    expect([...other.cookies.keys()]).to.deep.equal([]);
  });

  it("at no other provider than the one that was declared: one that gives itself another name is not used, and the log says so", async () => {
    const { one, oidc } = started;
    const issuer = await StandInIssuer.start(own);
    issuer.name = "https://evil.example.com";
    const { edge } = await one.site("evil.example.org", { oidc: { ...oidc, issuer: issuer.url } });
    await one.becomes(503, "evil.example.org");
    expect((await one.ask(HOST)).status).to.equal(302);
    const lines = one.gateway.log.split("\n").filter((line) => line.includes(" could not be read: "));
    expect(lines).to.have.length(1);
    expect(lines[0])
      .to.contain(`the issuer ${issuer.url}`)
      .and.to.contain('calls itself \\"https://evil.example.com\\"');
    const [reason] = await one.reasons([edge.id]);
    expect(reason).to.contain(issuer.url);
    issuer.stop();
  });

  it("not where the provider refuses the client; signed-in users stay when the provider is away, also at the next start", async () => {
    const { one, issuer, run } = started;
    const { client } = issuer;
    const refused = new Browser(one, own.pem);
    const browser = new Browser(one, own.pem);
    const signInWith = (secret: string, by: Browser) => async () => {
      issuer.client = { ...client, secret };
      return (await signIn(by)).after;
    };
    await refusedBeside({
      refused: signInWith("another one", refused),
      as: ({ status }) => expect(status).to.be.oneOf([401, 403]),
      allowed: signInWith(client.secret, browser),
    });
    expect((await refused.visit(SITE)).status).to.equal(302);
    issuer.client = client;
    issuer.stop();
    expect((await browser.visit(SITE)).status).to.equal(200);
    await one.gateway.stop();
    run();
    await one.becomes(302, HOST);
    const after = new Browser(one, own.pem);
    for (const [name, value] of browser.cookies) after.cookies.set(name, value);
    expect((await after.visit(SITE)).status).to.equal(200);
  });
});
