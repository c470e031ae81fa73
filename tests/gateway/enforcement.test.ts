import { certificate } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { StandInServer } from "../support/standIn";
import { envoyOfThisFile, signedBy, Upstream } from "./traffic";
import {
  authority,
  backend,
  enabled,
  fixed,
  httpsEdge,
  inbound,
  policy,
  refs,
  route,
  rule,
  tlsEdge,
  to,
} from "./worlds";

describe("A real Envoy enforces:", () => {
  const gateway = envoyOfThisFile();
  const up = () => fixed("up", gateway.state.upstream.address);
  const site = (fields: object, ...world: { kind: string; fields: object }[]) =>
    gateway.serve([httpsEdge({ routes: [route({ backend: to("up"), ...fields })] }), up(), ...world]);
  const status = async (path = "/", headers: Record<string, string> = {}, method = "GET") =>
    (await gateway.http1(path, { headers, method })).status;

  it("the lowest TLS version, on both kinds of edges", async () => {
    const tls_termination = enabled({ min_version: "1.3", terminate_at: "edge" });
    await gateway.serve([
      httpsEdge({ tls_termination, routes: [route({ backend: to("up") })] }),
      tlsEdge({ backend: to("up") }),
      up(),
    ]);
    const speaks = (sni: string, version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3") =>
      gateway.tls({ sni, minVersion: version, maxVersion: version }).then(
        (socket) => !!socket.destroy(),
        () => false,
      );
    for (const [sni, older, newer] of [
      ["app.example.com", "TLSv1.2", "TLSv1.3"],
      ["db.example.com", "TLSv1.1", "TLSv1.2"],
    ] as const)
      expect([await speaks(sni, older), await speaks(sni, newer)], sni).to.deep.equal([false, true]);
    expect(await speaks("unknown.example.com", "TLSv1.3"), "a name that nobody declared").to.equal(false);
  });

  it("client certificates of one or several authorities, and of no others", async () => {
    const [one, two, other] = [certificate(), certificate({ name: "Two" }), certificate({ name: "Other" })];
    const mutual_tls = enabled({ certificate_authorities: refs("one", "two") });
    const edge = httpsEdge({ mutual_tls, routes: [route({ backend: to("up") })] });
    await gateway.serve([
      ...[edge, tlsEdge({ mutual_tls, backend: to("up") }), up(), authority("one", one.pem)],
      authority("two", two.pem),
    ]);
    for (const sni of ["app.example.com", "db.example.com"]) {
      const ask = async (signer?: ReturnType<typeof certificate>) => {
        const client = signer && signedBy(signer);
        return (
          await gateway.http1("/", { sni, ...(client ? { cert: client.pem, key: client.privateKey } : {}) })
        ).status;
      };
      expect([await ask(one), await ask(two), await ask(other), await ask()], sni).to.deep.equal([
        200, 200, 0, 0,
      ]);
    }
  });

  it("networks, for TLS edges, for TLS that ends upstream, and for routes", async () => {
    for (const [rules, admitted] of [
      [[rule("p", "allow", "127.0.0.0/8")], true],
      [[rule("p", "allow", "127.0.0.0/8"), rule("p", "deny", "127.0.0.1/32")], false],
      [[rule("p", "allow", "10.0.0.0/8")], false],
      [[rule("p", "deny", "10.0.0.0/8")], false],
      [[], false],
    ] as const) {
      const ip_restriction = enabled({ ip_policies: refs("p") });
      await gateway.serve([
        httpsEdge({ routes: [route({ backend: to("up"), ip_restriction })] }),
        tlsEdge({ backend: to("up"), ip_restriction }),
        up(),
        ...rules,
      ]);
      expect(await status()).to.equal(admitted ? 200 : 403);
      expect((await gateway.http1("/", { sni: "db.example.com" })).status).to.equal(admitted ? 200 : 0);
    }
  });

  it("user agents: deny wins, allow admits only matches, patterns match anywhere", async () => {
    // As long as the contract allows, which Envoy by itself does not.
    const long = Array.from({ length: 25 }, (_, index) => `Other-Agent/${index}`).join("|");
    await site({ user_agent_filter: enabled({ allow: ["curl", "^Mozilla", long], deny: ["(?i)bot"] }) });
    const seen = [await status()];
    for (const agent of ["x curl/8", "Mozilla/5", "a Mozilla", "curl Bot"])
      seen.push(await status("/", { "user-agent": agent }));
    expect(seen).to.deep.equal([403, 200, 200, 403, 403]);
  });

  it("routes: exact paths before prefixes, the longest prefix first", async () => {
    const answer = (id: string, code: number) =>
      backend("http_response", id, { status_code: code, body: id, headers: {} });
    const routes = [
      route({ id: "r1", backend: to("root") }),
      route({ id: "r2", match: "/a", backend: to("a") }),
      route({ id: "r3", match: "/a/b", backend: to("ab") }),
      route({ id: "r4", match_type: "exact_path", match: "/a/b", backend: to("exact") }),
      route({ id: "r5", match: "/off", backend: { ...to("a"), enabled: false } }),
      route({ id: "r6", match: "/agents" }),
    ];
    const answers = ["root", "a", "ab", "exact"].map((id, index) => answer(id, 201 + index));
    await gateway.serve([httpsEdge({ routes }), ...answers]);
    const seen = [];
    for (const path of ["/", "/a", "/a/c", "/a/b/", "/a/b", "/a/b?x=1", "/off", "/agents"])
      seen.push(await status(path));
    expect(seen).to.deep.equal([201, 202, 202, 203, 204, 204, 503, 503]);
    for (const host of ["app.example.com:443", `APP.example.com:${gateway.state.port}`])
      expect((await gateway.http1("/a", { host })).status, "clients that name the port").to.equal(202);
  });

  it("policies: denials, answers and rewrites, if their expressions hold", async () => {
    await site({
      policies: inbound(
        policy(
          ['req.method == "DELETE"', '!(req.headers["x-key"] in ["a", "b"])'],
          ["deny", { status_code: 405 }],
        ),
        policy(
          ['req.path.matches("^/tea") || req.user_agent.contains("pot")'],
          ["custom-response", { status_code: 418, content: "100%", headers: { "x-why": "50%" } }],
        ),
        policy(
          [
            'req.host.endsWith(".example.com") && conn.client_ip.inCidrRange("127.0.0.0/8") && req.path.startsWith("/old")',
          ],
          ["url-rewrite", { from: "^/old/(.*)$", to: "/new/$1" }],
        ),
        policy(['conn.client_ip == "10.0.0.1" || conn.tls.sni != "app.example.com"'], ["deny"]),
      ),
    });
    await refusedBeside({
      refused: () => status("/", {}, "DELETE"),
      as: 405,
      allowed: () => status("/", { "x-key": "a" }, "DELETE"),
    });
    const tea = await gateway.http1("/tea?x");
    expect([tea.status, tea.body, tea.headers["x-why"]]).to.deep.equal([418, "100%", "50%"]);
    expect(await status("/x?/tea"), "the query is not a path").to.equal(200);
    expect(await status("/", { "user-agent": "teapot" })).to.equal(418);
    expect(JSON.parse((await gateway.http1("/old/x/y?q=1")).body).path).to.equal("/new/x/y?q=1");
  });

  it("rate limits, one count for all outcomes of a route, and by client and header", async () => {
    const limit = (config: object = {}): [string, object] => [
      "rate-limit",
      { name: "n", capacity: 3, rate: "1h", ...config },
    ];
    await site({ policies: inbound(policy([], limit()), policy(['req.path.startsWith("/log")'], ["log"])) });
    const counted = [];
    for (const path of ["/", "/log", "/", "/log", "/"]) counted.push(await status(path));
    expect(counted).to.deep.equal([200, 200, 200, 429, 429]);
    await site({
      policies: inbound(policy([], limit({ bucket_key: ["conn.client_ip", 'req.headers["x-key"]'] }))),
    });
    for (const headers of [{ "x-key": "a" }, { "x-key": "b" }, {} as Record<string, string>]) {
      const seen = [];
      for (let index = 0; index < 4; index++) seen.push(await status("/", headers));
      expect(seen, JSON.stringify(headers)).to.deep.equal([200, 200, 200, 429]);
    }
  });

  it("weights and failover, also to an HTTP response, and the name in upstream certificates", async () => {
    const other = await Upstream.start("two");
    const dead = "127.0.0.1:9";
    const { own } = gateway.state;
    const stranger = certificate({ name: "stranger" });
    const proven = await StandInServer.start((_, response) => response.end(), own);
    const unproven = await StandInServer.start((_, response) => response.end(), stranger);
    await gateway.serve([
      httpsEdge({
        routes: [
          route({ backend: to("weighted") }),
          route({ id: "r2", match: "/safe", backend: to("failover") }),
          route({ id: "r3", match: "/sorry", backend: to("sorry") }),
          route({ id: "r4", match: "/tls", backend: to("self") }),
          route({ id: "r5", match: "/wrong", backend: to("wrong") }),
        ],
      }),
      tlsEdge({ backend: to("failover") }),
      up(),
      fixed("two", other.address),
      fixed("dead", dead),
      fixed("self", proven.url.slice("https://".length), true),
      fixed("wrong", unproven.url.slice("https://".length), true),
      backend("weighted", "weighted", { backends: { up: 3, two: 1, dead: 0 } }),
      backend("failover", "failover", { backends: ["dead", "two"] }),
      backend("failover", "sorry", { backends: ["dead", "page"] }),
      backend("http_response", "page", { status_code: 418, body: "sorry", headers: {} }),
    ]);
    const counts: Record<string, number> = {};
    for (let index = 0; index < 100; index++) {
      const { name } = JSON.parse((await gateway.http2("/")).body) as { name: string };
      counts[name] = (counts[name] ?? 0) + 1;
    }
    expect(counts.one).to.be.within(55, 95);
    expect((counts.one ?? 0) + (counts.two ?? 0)).to.equal(100);
    expect(JSON.parse((await gateway.http1("/safe")).body).name).to.equal("two");
    expect(JSON.parse((await gateway.http1("/", { sni: "db.example.com" })).body).name).to.equal("two");
    for (const ask of [{}, { headers: { connection: "upgrade", upgrade: "websocket" } }]) {
      const sorry = await gateway.http1("/sorry", ask);
      expect([sorry.status, sorry.headers.server]).to.deep.equal([418, undefined]);
    }
    expect((await gateway.http1("/tls")).status).to.equal(200);
    expect((await gateway.http1("/wrong")).status, "an upstream that is another").to.equal(503);
  });

  it("certificates: each host shows its own, however many an edge has", async () => {
    const hosts = Array.from({ length: 9 }, (_, index) => `h${index}.example.com`);
    const certificates = hosts.map((name) => {
      const { pem: chain, privateKey: key } = certificate({ extensions: [`subjectAltName = DNS:${name}`] });
      return { names: [name], chain, key, notBefore: 0, notAfter: 4e12 };
    });
    const edge = httpsEdge({
      hostports: hosts.map((host) => `${host}:443`),
      routes: [route({ backend: to("up") })],
    });
    await gateway.serve([edge, up()], { certificates });
    for (const sni of hosts) {
      const socket = await gateway.tls({ sni });
      expect(socket.getPeerX509Certificate()?.subjectAltName).to.equal(`DNS:${sni}`);
      socket.destroy();
      expect((await gateway.http1("/", { sni, host: hosts[0] as string })).status).to.equal(200);
    }
  });

  it("TLS that ends upstream: the client sees the upstream's own certificate", async () => {
    const own = certificate({ name: "own of the upstream" });
    const upstream = await StandInServer.start((_, response) => response.end(), own);
    const tls_termination = enabled({ terminate_at: "upstream", min_version: null });
    await gateway.serve([
      tlsEdge({ tls_termination, backend: to("raw") }),
      fixed("raw", upstream.url.slice("https://".length)),
    ]);
    const socket = await gateway.tls({ sni: "db.example.com" });
    expect(socket.getPeerX509Certificate()?.subject).to.contain("own of the upstream");
    socket.destroy();
    upstream.stop();
    const { edges } = await gateway.serve([
      tlsEdge({
        tls_termination: enabled({ terminate_at: "upstream", min_version: null }),
        mutual_tls: enabled({ certificate_authorities: refs("x") }),
        backend: to("up"),
      }),
      up(),
    ]);
    expect(edges[0]?.state).to.equal("rejected");
  });

  it("rejection: the names of a rejected edge are refused, even next to a matching wildcard", async () => {
    const { edges } = await gateway.serve([
      httpsEdge({
        routes: [route({ backend: to("up"), policies: inbound(policy(["now() > 3"], ["deny"])) })],
      }),
      httpsEdge({
        id: "wild",
        hostports: ["*.example.com:443"],
        routes: [route({ id: "r2", backend: to("up") })],
      }),
      up(),
    ]);
    expect(edges.map(({ state }) => state)).to.deep.equal(["rejected", "applied"]);
    expect(edges[0]?.reason).to.contain("now()").and.to.contain("cannot be enforced");
    expect(await status()).to.equal(0);
    const other = (host?: string) => () => gateway.http1("/", { sni: "other.example.com", host });
    await refusedBeside({ refused: other("app.example.com"), as: 421, allowed: other() });
  });

  it("all but the edge whose filters it refuses, which it names with its own words", async () => {
    const other = httpsEdge({
      ...{ id: "other", hostports: ["other.example.com:443"] },
      routes: [route({ id: "r2", backend: to("up") })],
    });
    const whole = gateway.configurationOf([
      httpsEdge({ routes: [route({ backend: to("up") })] }),
      other,
      up(),
    ]);
    const breaking = (key: string, value: unknown) =>
      key === "pattern" ? { google_re2: {}, regex: "(" } : value;
    const broken = whole.listeners.map((one) => ({
      ...one,
      filter_chains: (one.filter_chains as { name: string }[]).map((chain) =>
        chain.name.includes("edghts_1") ? JSON.parse(JSON.stringify(chain, breaking)) : chain,
      ),
    }));
    const push = () => gateway.state.envoy.push({ ...whole, listeners: broken }).then(() => "taken");
    const allowed = () => gateway.http1("/", { sni: "other.example.com" });
    const as = /refused filter http \w+: .*missing \)/;
    await refusedBeside({ refused: push, as, allowed, refusedFirst: true });
    await refusedBeside({ refused: () => gateway.http1("/"), as: /reset|hang up|disconnected|0/, allowed });
  });
});
