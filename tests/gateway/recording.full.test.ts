import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OtherTraffic, TrafficLine } from "@tunnelplane/sdk/traffic";
import { certificate } from "../support/api/fixtures";
import { commandsInOne } from "../support/commandsInOne";
import { GatewayProcess } from "../support/gateway";
import { Browser } from "./browser";
import { runningForAllTests } from "./running";
import { StandInIssuer } from "./standInIssuer";
import { Issuer } from "./tokens";
import { signedBy, tls } from "./traffic";

const CLI = join(__dirname, "../../gateway/dist/cli.js");
const HOUR_MS = 3_600_000;
const OPEN = "open.example.com";
const TOKENS = "tokens.example.com";
const MUTUAL = "mutual.example.com";
const SIGNED = "signed.example.com";
const FORGED = '"}\\n{"hour":"2026-11-22T14:00:00Z","count":9,"other":true}';
const CANARY = "canary0123456789";

describe("A gateway that records traffic", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  const [first, second, stranger] = [
    certificate({ name: "First, Inc." }),
    certificate({ name: "Second" }),
    certificate({ name: "Stranger" }),
  ];
  let authority = { id: "" };
  let issuer: Issuer;
  let provider: StandInIssuer;
  let recorded: readonly TrafficLine[] = [];
  const folder = () => join(running.now.state, "traffic");
  const files = () =>
    (existsSync(folder()) ? readdirSync(folder()) : []).filter((name) => name.endsWith(".jsonl"));
  const read = () =>
    files()
      .map((name) => readFileSync(join(folder(), name), "utf8"))
      .join("");
  const lines = () =>
    read()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as TrafficLine & OtherTraffic);
  const of = (name: string, fields: Partial<TrafficLine> = {}) =>
    recorded.filter(
      (line) =>
        line.address === `${name}:443` &&
        Object.entries(fields).every(([field, value]) => line[field as keyof TrafficLine] === value),
    );
  const only = (name: string, fields: Partial<TrafficLine> = {}): TrafficLine => {
    const found = of(name, fields);
    expect(found, JSON.stringify(recorded, null, 1)).to.have.length(1);
    return found[0] as TrafficLine;
  };
  const start = (...more: string[]) =>
    running.now.run(
      "--dev-ca",
      "--trust",
      join(running.now.folder, "trust.pem"),
      "--record-traffic",
      "2h",
      ...more,
    );

  before("send requests of each kind", async () => {
    const one = running.now;
    writeFileSync(join(one.folder, "trust.pem"), own.pem);
    issuer = await Issuer.start(own);
    provider = await StandInIssuer.start(own);
    await declare();
    start();
    await Promise.all([one.becomes(200, OPEN), one.becomes(401, TOKENS), one.becomes(302, SIGNED)]);
    await one.becomesReady();
    await ask();
    await one.until(() => lines().some(({ path }) => path === "/last"));
    recorded = lines();
  });

  async function declare() {
    const { now: one } = running;
    await one.site(OPEN);
    await one.site(TOKENS, {
      jwt_validation: {
        issuer: { allow_list: [{ value: "https://id.example.com" }] },
        audience: { allow_list: [{ value: "api" }] },
        http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
        jws: { allowed_algorithms: ["RS256"], keys: { sources: { additional_jkus: [issuer.jku] } } },
      },
    });
    const authorities = [];
    for (const { pem } of [first, second])
      authorities.push(await one.api.certificateAuthorities.create({ ca_pem: pem }));
    authority = authorities[0] ?? authority;
    const { edge } = await one.site(MUTUAL);
    await one.api.httpsEdges.update(edge.id, {
      mutual_tls: { certificate_authority_ids: authorities.map(({ id }) => id) },
    });
    const { client } = provider;
    const { edge: signed, route } = await one.site(SIGNED, {
      oidc: { issuer: provider.url, client_id: client.id, client_secret: client.secret, scopes: ["openid"] },
    });
    provider.client = { ...client, redirectUri: `https://${SIGNED}/.tunnelplane/callback/${route.id}` };
    const backend = {
      backend_id: (await one.api.staticBackends.create({ address: one.upstream.address })).id,
    };
    await one.api.httpsEdgeRoutes(signed.id).create({ match_type: "path_prefix", match: "/open", backend });
    const nobody = await one.api.ipPolicies.create({});
    await one.api.tlsEdges.create({ hostports: ["raw.example.com:443"], backend });
    await one.api.tlsEdges.create({
      hostports: ["closed.example.com:443"],
      backend,
      ip_restriction: { ip_policy_ids: [nobody.id] },
    });
    await one.api.tlsEdges.create({
      hostports: ["upstream.example.com:443"],
      backend,
      tls_termination: { terminate_at: "upstream" },
    });
  }

  async function ask() {
    const { now: one } = running;
    const get = (sni: string, path: string, headers: Record<string, string> = {}, more: object = {}) =>
      one.ask(sni, path, { headers, ...more });
    await get(OPEN, "/twice?a=1", { "user-agent": "curl/8" });
    await get(OPEN, `/twice?b=${CANARY}`, { "user-agent": "curl/8" });
    await get(OPEN, `/secrets/${CANARY}${"x".repeat(32)}/end?key=${CANARY}`, {
      authorization: `Bearer ${CANARY}`,
      cookie: `session=${CANARY}`,
      "x-api-key": CANARY,
    });
    await get(OPEN, "/long", { "user-agent": "x".repeat(300) });
    await get(OPEN, "/forged", { "user-agent": FORGED });
    await get(OPEN, `/a%2fb?${CANARY}`);
    await get(OPEN, "/elsewhere", {}, { host: `user:${CANARY}@example.com` });
    await get(OPEN, "/old", {}, { maxVersion: "TLSv1.2" });
    await get(OPEN, "/posted", {}, { method: "POST", body: CANARY });
    for (const [path, token] of Object.entries({
      "/good": issuer.token(),
      "/algorithm": issuer.token(issuer.claims(), { alg: "RS512" }),
      "/ended": issuer.token(issuer.ended(300)),
      "/foreign": issuer.forged()["another's signature"] ?? "",
    }))
      await get(TOKENS, path, { authorization: `Bearer ${token}` });
    await get(TOKENS, "/none");
    const by = (own: { pem: string; privateKey: string }) => ({ cert: own.pem, key: own.privateKey });
    await get(MUTUAL, "/by-first", {}, by(signedBy(first)));
    await get(MUTUAL, "/by-stranger", {}, by(signedBy(stranger)));
    await get(MUTUAL, "/by-nobody");
    const browser = new Browser(one, own.pem);
    const sent = await browser.visit(`https://${SIGNED}/page`);
    const back = await browser.visit((await browser.visit(sent.location)).location);
    await browser.visit(back.location);
    await browser.visit(`https://${SIGNED}/page`);
    await browser.visit(`https://${SIGNED}/open`);
    for (const sni of ["raw.example.com", "closed.example.com", "upstream.example.com", "nobody.example.com"])
      await tls(one.httpsPort, { sni }).then(
        (socket) => socket.destroy(),
        () => undefined,
      );
    await get(OPEN, "/last");
  }

  it("counts equal requests once, without their queries", () => {
    const line = only(OPEN, { path: "/twice" });
    expect({ ...line, hour: "" }).to.deep.equal({
      ...{ hour: "", count: 2, address: `${OPEN}:443`, host: OPEN, method: "GET", path: "/twice" },
      ...{ from: "127.0.0.0/24", client_certificate: null, token: null, session: null },
      ...{ user_agent: "curl/8", tls: "1.3", status: 200 },
    });
    expect(line.hour).to.match(/^\d{4}-\d{2}-\d{2}T\d{2}:00:00Z$/);
    expect(only(OPEN, { path: "/old" }).tls).to.equal("1.2");
    expect(only(OPEN, { path: "/posted" }).method).to.equal("POST");
  });

  it("never keeps a query, a token, a cookie, a header, a body or a long part of a path", () => {
    expect(only(OPEN, { path: "/secrets/…/end" }).status).to.equal(200);
    expect(read()).to.not.contain(CANARY);
  });

  it("records unknown for texts that are too long, or no valid host or path", () => {
    expect(only(OPEN, { path: "/long" }).user_agent).to.equal("unknown");
    expect(only(OPEN, { path: "/elsewhere" }).host).to.equal("unknown");
    const statuses = ["/long", "/elsewhere", "unknown"].map((path) => only(OPEN, { path }).status);
    expect(statuses, "also of a path that Envoy refuses").to.deep.equal([200, 421, 400]);
  });

  it("treats whatever callers send as plain text", () => {
    expect(only(OPEN, { path: "/forged" }).user_agent).to.equal(FORGED);
    expect(lines().filter(({ other }) => other)).to.deep.equal([]);
  });

  it("says of tokens who issued them, never what they say; whether nobody takes them; and whether one was sent", () => {
    const accepted = {
      issuer: "https://id.example.com",
      audiences: ["api"],
      algorithm: "RS256",
      keys: issuer.jku,
      at: { method: "header", name: "Authorization", prefix: "Bearer " },
    };
    const tokenOf = (path: string) => only(TOKENS, { path }).token;
    expect(tokenOf("/good")).to.deep.equal(accepted);
    expect(tokenOf("/algorithm"), "refused by its algorithm").to.deep.equal({
      ...accepted,
      algorithm: "RS512",
    });
    expect(tokenOf("/ended")).to.equal("invalid");
    expect(tokenOf("/foreign"), "others may know the key").to.equal("unknown");
    expect(tokenOf("/none")).to.equal(null);
    expect(only(OPEN, { path: "/secrets/…/end" }).token, "nobody looked at it").to.equal("unknown");
  });

  it("says which authority signed a certificate, of refused connections too", () => {
    expect(only(MUTUAL, { path: "/by-first" }).client_certificate).to.deep.equal({
      authority: authority.id,
      subject: "First, Inc.",
    });
    const refused = of(MUTUAL, { status: null });
    expect(
      refused.map(({ host, client_certificate }) => ({ host, client_certificate })),
    ).to.have.deep.members([
      { host: null, client_certificate: { authority: "other" } },
      { host: null, client_certificate: null },
    ]);
  });

  it("says whom users signed in with", () => {
    const pages = of(SIGNED, { path: "/page" });
    expect(pages.find(({ status }) => status === 302)?.session).to.equal(null);
    expect(pages.find(({ status }) => status === 200)?.session).to.deep.equal({
      issuer: provider.url,
      client_id: provider.client.id,
    });
    expect(only(SIGNED, { path: "/open" }).session, "not asked there").to.equal("unknown");
  });

  it("counts connections without a request, with what is known of them", () => {
    for (const name of ["raw", "closed", "upstream", "nobody"]) {
      const { host, method, path, status } = only(`${name}.example.com`);
      expect({ host, method, path, status }, name).to.deep.equal({
        host: null,
        method: null,
        path: null,
        status: null,
      });
    }
    expect(only("raw.example.com")).to.include({ tls: "1.3", client_certificate: null });
    for (const name of ["upstream.example.com", "nobody.example.com"])
      expect(only(name)).to.include({ tls: "unknown", client_certificate: "unknown" });
  });

  it("goes on with the hour when it is started anew, even after it was killed, and deletes what is too old", async () => {
    const { now: one } = running;
    const at = (hours: number) =>
      `${new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 13)}.jsonl`;
    const before = lines();
    await one.gateway.stop("SIGKILL");
    for (const hours of [1, 4]) writeFileSync(join(folder(), at(hours)), "", { mode: 0o600 });
    start("--record-addresses", "whole");
    await one.until(async () => (await one.ready().catch(() => 0)) === 200);
    expect(files()).to.contain(at(1)).and.not.to.contain(at(4));
    await one.ask(OPEN, "/later");
    // Envoy reports once a second.
    await one.until(() => lines().some(({ path }) => path === "/later"));
    const later = lines();
    for (const line of before)
      expect(
        later.find((now) => JSON.stringify({ ...now, count: 0 }) === JSON.stringify({ ...line, count: 0 })),
      )
        .property("count")
        .to.be.at.least(line.count);
    expect(later.find(({ path }) => path === "/later")?.from).to.equal("127.0.0.1");
  });

  it("keeps its files and sockets from other users, and prints them", async () => {
    const { now: one } = running;
    for (const socket of ["envoy/traffic.sock", "envoy/counts.sock"])
      expect(statSync(join(one.state, socket)).mode & 0o777, socket).to.equal(0o600);
    await one.gateway.stop();
    expect(statSync(folder()).mode & 0o777).to.equal(0o700);
    for (const name of files()) expect(statSync(join(folder(), name)).mode & 0o777, name).to.equal(0o600);
    const printing = GatewayProcess.start(["traffic", "--since", "1h", "--state", one.state]);
    expect(await printing.ended(), printing.log).to.equal(0);
    expect(printing.out).to.equal(read());
  });

  it("says what is wrong with its settings", async () => {
    const isNoTime = 'Expected a length of time from "1h" to "366d"';
    const mistakes = Object.entries({
      "run --record-traffic 7": isNoTime,
      "run --record-traffic 10m": isNoTime,
      "run --record-traffic 7d --record-addresses some": "Allowed choices are network, whole",
      "run --dev-ca --record-addresses whole": "add --record-traffic 7d",
      traffic: "required option '--since <time>' not specified",
      "traffic --since 1h": "nothing was recorded in",
    });
    const state = ["--state", join(running.now.folder, "none")];
    const ended = await commandsInOne(
      CLI,
      mistakes.map(([args]) => ({
        args: [...args.split(" "), ...state],
        env: { TUNNELPLANE_API_KEY: "tpk_x" },
      })),
    );
    for (const [index, { code, stderr }] of ended.entries()) {
      expect(code, stderr).to.equal(1);
      expect(stderr).to.contain(mistakes[index]?.[1]);
    }
  });
});
