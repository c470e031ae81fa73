import { decisions, type WorldObject } from "@tunnelplane/sdk/meaning";
import { INHERITED } from "../support/inherited";
import { tableOf } from "../support/table";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, inbound, policy, route, tlsEdge, to } from "./worlds";

const { possible, impossible } = tableOf<{
  readonly possible: Readonly<Record<string, boolean>>;
  readonly impossible: readonly string[];
}>(__dirname, "expressions.yaml");

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
    for (const [expression, holds] of Object.entries(possible)) {
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
    for (const expression of impossible) {
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
