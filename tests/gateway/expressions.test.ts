import { decisions, type WorldObject } from "@tunnelplane/sdk/meaning";
import { INHERITED } from "../support/inherited";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, inbound, policy, route, tlsEdge, to } from "./worlds";

const POSSIBLE: readonly [expression: string, holds: boolean][] = [
  ["true", true],
  ["false || !true", false],
  ['req.method == "GET"', true],
  ['"POST" != req.method', true],
  ['req.method in ["PUT", "GET"]', true],
  ['req.path == "/a/b"', true],
  ['req.path.endsWith("/b") && req.path.contains("a/")', true],
  ['req.path.contains("q=1")', false],
  ['req.path.matches("^/a/[a-z]$")', true],
  ['req.host == "APP.example.com"', true],
  ['req.host.startsWith("app.") && req.host.matches("^app[.]example")', true],
  ['req.headers["X-Test"] == "yes"', true],
  ['req.headers["x-none"] == ""', true],
  ['req.headers["x-none"] != "a"', true],
  ['req.headers["x-none"].matches("^$") && req.headers["x-none"].startsWith("")', true],
  ['req.headers["x-none"].contains("a")', false],
  ['req.user_agent.contains("Test")', true],
  ['conn.client_ip == "127.0.0.1" && conn.ClientIP.inCidrRange("127.0.0.0/8")', true],
  ['inCidrRange(conn.client_ip, ["10.0.0.0/8", "::/0"])', false],
  ['inCidrRange(conn.client_ip, "::ffff:127.0.0.0/104") && conn.client_ip in ["::ffff:127.0.0.1"]', true],
  ['conn.client_ip.startsWith("127.")', true],
  ['conn.tls.sni == "app.example.com"', true],
  ['!(req.method == "POST" || (req.path.startsWith("/a") && conn.tls.sni.endsWith(".org")))', true],
];
// biome-ignore format: one beside the other
const IMPOSSIBLE = [
  "req.size > 3", "req.method", '"a"', 'req.method + "x" == "GETx"', "now() == 1", 'req.headers.exists(h, h == "a")', 'req.headers["x"].size() > 2', "req.path == req.host",
  'req.method == "a" ? true : false', 'conn.client_ip.inCidrRange("300.0.0.0/8")', 'conn.client_ip == "here"', 'req.path.matches("(")', 'req.path.matches("(?=a)")', 'req.path <= "/b"',
  'req.headers[":path"] == "/"', 'req.headers["x-tunnelplane-path"] == "/"', 'geo.country == "NO"', "1 +", '"a" in req.headers', 'req.path.startsWith("a", "b")', `${"!(".repeat(80)}true${")".repeat(80)}`,
];

describe("Policy expressions", () => {
  const gateway = envoyOfThisFile();
  const site = (expression: string) => [
    httpsEdge({
      routes: [
        route({ backend: to("up"), policies: inbound(policy([expression], ["deny", { status_code: 418 }])) }),
      ],
    }),
    fixed("up", gateway.state.upstream.address),
  ];

  it("have the same result in a real Envoy as in CEL", async () => {
    for (const [expression, holds] of POSSIBLE) {
      const { edges } = await gateway.serve(site(expression));
      expect(edges[0]?.reason, expression).to.equal("");
      const { status } = await gateway.http1("/a/b?q=1", {
        headers: { "x-test": "yes", "user-agent": "A Test" },
      });
      expect(status, expression).to.equal(holds ? 418 : 200);
    }
  });

  it("find a header of any name only where the request has it, in Envoy and in decisions", async () => {
    const tests = ['!= ""', '.contains("e")', '.matches("e")', 'in ["yes"]'];
    const asked = INHERITED.flatMap((name) => tests.map((test) => `req.headers["${name}"] ${test}`));
    const world = [
      httpsEdge({
        routes: asked.map((expression, index) =>
          route({
            ...{ id: `edghtsrt_${index}`, match: `/${index}/`, backend: to("bkdsc_up") },
            policies: inbound(policy([expression], ["deny"])),
          }),
        ),
      }),
      fixed("bkdsc_up", gateway.state.upstream.address),
    ];
    const { edges } = await gateway.serve(world);
    expect(edges.map(({ reason }) => reason)).to.deep.equal([""]);
    const decider = decisions({
      objects: world.map(
        ({ kind, fields }): WorldObject => ({ kind, id: (fields as { id: string }).id, fields }),
      ),
    });
    for (const [index, expression] of asked.entries())
      for (const isSent of [false, true]) {
        const name = INHERITED[Math.floor(index / tests.length)] ?? "";
        const headers = Object.fromEntries(isSent ? [[name, "yes"]] : []);
        const said = decider.decide({
          address: "app.example.com:443",
          from: "127.0.0.1",
          path: `/${index}/`,
          headers,
        });
        const { status } = await gateway.http1(`/${index}/`, { headers });
        // Envoy drops headers with an underscore.
        expect(status, `${expression} ${isSent}`).to.equal(isSent && !name.includes("_") ? 403 : 200);
        expect(said.status ?? 200, `${expression} ${isSent}`).to.equal(status);
      }
  });

  it("that Envoy cannot evaluate lead to a rejected edge, with the reason", () => {
    for (const expression of IMPOSSIBLE) {
      const { edges } = gateway.configurationOf(site(expression));
      expect(edges[0]?.state, expression).to.equal("rejected");
      expect(edges[0]?.reason, expression).to.contain("docs/gateway.md");
    }
  });

  it("on a TLS edge can use connections only", async () => {
    const edge = (expression: string) => [
      tlsEdge({ backend: to("up"), policies: inbound(policy([expression], ["deny"])) }),
      fixed("up", gateway.state.upstream.address),
    ];
    for (const [expression, status] of [
      ['conn.client_ip.inCidrRange("127.0.0.0/8")', 0],
      ['conn.client_ip == "10.0.0.1"', 200],
      ['conn.tls.sni == "db.example.com"', 0],
      ['!conn.tls.sni.startsWith("db.")', 200],
    ] as const) {
      await gateway.serve(edge(expression));
      expect((await gateway.http1("/", { sni: "db.example.com" })).status, expression).to.equal(status);
    }
    expect(gateway.configurationOf(edge('req.path == "/"')).edges[0]?.state).to.equal("rejected");
  });
});
