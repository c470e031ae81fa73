import { readFileSync } from "node:fs";
import { join } from "node:path";
import { refusedBeside } from "../support/refusal";
import { tableOf } from "../support/table";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, inbound, policy, route, to } from "./worlds";

const SEMICOLONS =
  "/admin;x /admin; /open;a=b/x /open/%2e%2e;/admin /;/admin /open%3bx /open/..%3B/admin".split(" ");
const { refused: REFUSED, rewritten: REWRITTEN } = tableOf<{
  readonly refused: readonly (readonly [from: string, to: string])[];
  readonly rewritten: readonly (readonly [from: string, to: string, path: string, result: string])[];
}>(__dirname, "rewrites.yaml");

/** Rewrites and paths that make trouble together, or nearly. */
const PATTERNS = "^/a(.*)$ ^/a/(.*)$ ^/a(/.*)?$ ^/a /a a [.] x* ^/([^/]*)(.*)$ (.)/(.) % (a|/b)+$".split(" ");
const TEXTS = "/b/$1 /b$1 b /$1 $1/ $1$1 /b/ .".split(" ");
const TRICKY = "/ /a /a/ /a.. /a../x /a. /a/..x/.b /.a./b /a%2 /%a2fx /x/a/b/b /ab/bb /.a /a//b".split(" ");

describe("A real Envoy takes paths and hosts in one form only:", () => {
  const gateway = envoyOfThisFile();
  const up = () => fixed("up", gateway.state.upstream.address);
  const seenBy = (body: string) => (JSON.parse(body) as { path: string }).path;
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await gateway.http1(path, { headers })).status;
  const rewriting = (from: string, text: string) => inbound(policy([], ["url-rewrite", { from, to: text }]));

  it("semicolons are refused wherever any path but / is matched, by one route or several, or by an expression", async () => {
    const asked = inbound(policy(['req.path.startsWith("/admin")'], ["deny"]));
    for (const [what, routes] of Object.entries({
      "one route for a beginning": [route({ match: "/open", backend: to("up") })],
      "one route for a beginning, with policies": [
        route({
          match: "/admin",
          backend: to("up"),
          policies: inbound(policy(['req.method == "PUT"'], ["deny"])),
        }),
      ],
      "one route for a whole path": [route({ match: "/open", match_type: "exact_path", backend: to("up") })],
      "the whole path / alone": [route({ match_type: "exact_path", backend: to("up") })],
      "several routes": [
        route({ backend: to("up") }),
        route({ id: "r2", match: "/admin", backend: to("up"), policies: asked }),
      ],
      "several routes for /": [
        route({ backend: to("up") }),
        route({ id: "r2", match_type: "exact_path", backend: to("up") }),
      ],
      "an expression": [route({ backend: to("up"), policies: asked })],
      "a rewrite": [route({ backend: to("up"), policies: rewriting("^/open/(.*)$", "/new/$1") })],
    })) {
      await gateway.serve([httpsEdge({ routes }), up()]);
      for (const protocol of ["http1", "http2"] as const)
        for (const path of SEMICOLONS)
          expect((await gateway[protocol](path)).status, `${path}: ${what}, ${protocol}`).to.equal(400);
    }
    await gateway.serve([httpsEdge({ routes: [route({ backend: to("up") })] }), up()]);
    for (const path of SEMICOLONS)
      expect(await statusOf(path), `${path}, where no path is matched`).to.equal(200);
    expect(await statusOf("/open?a;b"), "in a query").to.equal(200);
  });

  it("what Envoy takes for dots with a semicolon is resolved before anything is matched, and the server behind sees the same", async () => {
    const denied = inbound(policy([], ["deny"]));
    const routes = [
      route({ backend: to("up") }),
      route({ id: "r2", match: "/admin", backend: to("up"), policies: denied }),
    ];
    await gateway.serve([httpsEdge({ routes }), up()]);
    const { allowed } = await refusedBeside({
      refused: ["/open/..;/admin", "/open/..;a=b/admin", "/x/.;/../admin"].map(
        (path) => () => gateway.http1(path),
      ),
      as: 403,
      allowed: () => gateway.http1("/admin/..;/open"),
    });
    expect(seenBy(allowed.body)).to.equal("/open");
  });

  it("encoded slashes are refused, or pass as they are where an edge keeps them and decides by no path", async () => {
    const [keep, any] = [{ escaped_slashes: "keep" }, route({ backend: to("up") })];
    const { edges } = await gateway.serve([
      httpsEdge({ routes: [any], ...keep }),
      httpsEdge({ id: "edghts_2", hostports: ["api.example.com:443"], routes: [{ ...any, id: "2" }] }),
      up(),
    ]);
    expect(edges.map(({ state }) => state)).to.deep.equal(["applied", "applied"]);
    for (const path of ["/@scope%2fname", "/a/%2F../b", "/a%5cb", "/..%2f..%2fx"]) {
      const { allowed } = await refusedBeside({
        refused: () => gateway.http1(path, { sni: "api.example.com" }),
        as: 400,
        allowed: () => gateway.http1(path),
      });
      expect(JSON.parse(allowed.body).path, path).to.match(/%2f|%2F|%5c/);
    }
    for (const routes of [
      [any, route({ id: "2", match: "/a", backend: to("up") })],
      [{ ...any, match_type: "exact_path" }],
      [{ ...any, policies: inbound(policy(['req.path.startsWith("/a")'], ["deny"])) }],
      [{ ...any, policies: inbound(policy([], ["url-rewrite", { from: "^/a", to: "/b" }])) }],
    ]) {
      const [edge] = (await gateway.serve([httpsEdge({ routes, ...keep }), up()])).edges;
      expect(edge?.reason).to.contain('`escaped_slashes` is "keep", but');
    }
  });

  it("a prefix is a plain beginning of the path, in the case that it is declared in", async () => {
    await gateway.serve([httpsEdge({ routes: [route({ match: "/admin", backend: to("up") })] }), up()]);
    for (const allowed of ["/admin", "/admin/x", "/adminx", "/%61dmin"])
      await refusedBeside({
        refused: ["/Admin", "/x/admin", "/adm"].map((path) => () => statusOf(path)),
        as: 404,
        allowed: () => statusOf(allowed),
      });
    for (const file of ["docs/gateway.md", "docs/reference/https_edge_route.md"])
      expect(readFileSync(join(__dirname, "../..", file), "utf8"), file).to.match(
        /A prefix is a plain beginning: `\/admin` takes .*`\/adminx`/,
      );
  });

  it("a rewrite whose result may hold // or .. is refused, with the reason", () => {
    for (const [from, text] of REFUSED) {
      const { edges } = gateway.configurationOf([
        httpsEdge({ routes: [route({ backend: to("up"), policies: rewriting(from, text) })] }),
        up(),
      ]);
      expect(edges[0]?.state, `${from} to ${text}`).to.equal("rejected");
      expect(edges[0]?.reason).to.contain("url-rewrite").and.to.contain(JSON.stringify(text));
    }
    const { edges } = gateway.configurationOf([
      httpsEdge({ routes: [route({ backend: to("up"), policies: rewriting("^/a$", "/$1") })] }),
      up(),
    ]);
    expect(edges[0]?.reason).to.contain("has no such group");
    const large = rewriting("^/((((.*)(.*)(.*)(.*)){5}){5}){5}$", "/$1");
    const { edges: others } = gateway.configurationOf([
      httpsEdge({ routes: [route({ backend: to("up"), policies: large })] }),
      up(),
    ]);
    expect(others[0]?.reason, "a pattern that would take long to look at").to.contain("too large");
  });

  it("a rewrite works on the path; the query stays, and the result is in the form of paths", async () => {
    for (const [from, text, path, result] of REWRITTEN) {
      const { edges } = await gateway.serve([
        httpsEdge({ routes: [route({ backend: to("up"), policies: rewriting(from, text) })] }),
        up(),
      ]);
      expect(edges[0]?.reason, `${from} to ${text}`).to.equal("");
      expect(seenBy((await gateway.http1(path)).body), `${path} by ${from} to ${text}`).to.equal(result);
    }
  });

  it("whatever is rewritten to what, no server behind sees // or .. in a path", async () => {
    const tried = PATTERNS.flatMap((from) => TEXTS.map((text) => [from, text] as const));
    const world = tried.map(([from, text], index) =>
      httpsEdge({
        id: `e${index}`,
        hostports: [`p${index}.example.com:443`],
        routes: [route({ id: `r${index}`, backend: to("up"), policies: rewriting(from, text) })],
      }),
    );
    const { edges } = await gateway.serve([...world, up()]);
    const served = edges.filter(({ state }) => state === "applied").map(({ id }) => Number(id.slice(1)));
    expect(served.length).to.be.within(15, tried.length - 15);
    for (const index of served) {
      const sni = `p${index}.example.com`;
      for (const { body } of await gateway.overOneConnection(
        TRICKY.map((path) => ({ path, host: sni })),
        { sni },
      ))
        expect(seenBy(body), `by ${tried[index]?.join(" to ")}`).to.match(
          /^\/(?!.*\/\/)(?!.*\/\.\.?(\/|$))(?!.*%(2f|2e))/i,
        );
    }
  });

  const spellings = () => [
    ...["APP.example.com", "App.Example.Com:443", `app.EXAMPLE.com:${gateway.state.port}`],
    ...["app.example.com:443", "app.example.com"],
  ];

  it("a policy that asks for req.host finds it in every spelling, with and without a port", async () => {
    for (const expression of [
      ...['req.host == "app.example.com"', 'req.host == "App.Example.com"'],
      ...['req.host.startsWith("app.e")', 'req.host.endsWith("P.example.com")'],
      ...['req.host.contains("pp.EX")', 'req.headers["Host"] in ["APP.example.com"]'],
      '!(req.host != "app.example.com")',
    ])
      for (const hostport of ["app.example.com:443", "*.example.com:443"]) {
        const routes = [route({ backend: to("up"), policies: inbound(policy([expression], ["deny"])) })];
        const open = httpsEdge({
          id: "edghts_2",
          hostports: ["open.b.example.com:443"],
          routes: [route({ id: "edghtsrt_2", backend: to("up") })],
        });
        await gateway.serve([httpsEdge({ hostports: [hostport], routes }), open, up()]);
        for (const protocol of ["http1", "http2"] as const)
          await refusedBeside({
            refused: spellings().map((host) => () => gateway[protocol]("/", { host })),
            as: ({ status }) => expect(status, `${hostport}, ${expression}, ${protocol}`).to.equal(403),
            allowed: () => gateway[protocol]("/", { sni: "open.b.example.com" }),
          });
      }
  });

  it("a spelling of the host has no rate limit of its own", async () => {
    for (const [hostport, ...bucket_key] of [
      ["app.example.com:443", "req.host"],
      ["*.example.com:443", "req.host"],
      ["*.example.com:443", "req.method", 'req.headers["Host"]', 'req.headers["x-key"]'],
    ] as const) {
      const limit = { name: "n", capacity: 3, rate: "1h", bucket_key };
      const routes = [route({ backend: to("up"), policies: inbound(policy([], ["rate-limit", limit])) })];
      await gateway.serve([up()]); // A route goes on counting while its chain stays the same.
      await gateway.serve([httpsEdge({ hostports: [hostport], routes }), up()]);
      const seen: number[] = [];
      for (const host of spellings())
        seen.push((await gateway.http1("/", { host, headers: { "x-tunnelplane-host": host } })).status);
      expect(seen, `${bucket_key} of ${hostport}`).to.deep.equal([200, 200, 200, 429, 429]);
    }
    const { status, body } = await gateway.http1("/", { sni: "other.example.com" });
    expect(status, "another host").to.equal(200);
    expect(body, "what the server behind sees").not.to.contain("x-tunnelplane");
  });
});
