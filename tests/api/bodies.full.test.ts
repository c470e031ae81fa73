import { expect } from "chai";
import { expectRefused, invalid, serverOfThisFile } from "../support/api/expect";
import { onOneDatabase } from "../support/databases";

const nested = (depth: number, open = "[", close = "]"): string => open.repeat(depth) + close.repeat(depth);

onOneDatabase("A body", (start) => {
  const server = serverOfThisFile(start);

  it("with very deep nesting in any field is refused with the place, and harms nobody", async () => {
    for (const depth of [33, 10_000, 100_000]) {
      expectRefused(
        await server.rest.post("/edges/tls", `{"hostports": ${nested(depth)}}`),
        invalid("hostports[0][0]", "32"),
      );
      expectRefused(
        await server.rest.post(
          "/ip_policies",
          `{"unknown": ${nested(depth, '{"a":', "}").replace(":}", ":1}")}}`,
        ),
        invalid("unknown.a.a", "32"),
      );
      const config = { policies: { inbound: [{ actions: [{ type: "log", config: "X" }] }] } };
      const text = JSON.stringify(config).replace('"X"', `{"metadata":${nested(depth)}}`);
      expectRefused(await server.rest.post("/edges/tls", text), invalid("policies.inbound[0]", "32"));
    }
    expect((await server.rest.get("/ip_policies")).status).to.equal(200);
  });

  it("with a list or a map of many thousand entries is refused with the place", async () => {
    for (const [entries, size] of [
      ["{}", 300_000],
      ["1", 500_000],
      ['"a:1"', 1001],
    ] as const) {
      const list = `[${Array(size).fill(entries).join(",")}]`;
      expectRefused(
        await server.rest.post("/edges/tls", `{"policies": {"inbound": ${list}}}`),
        invalid("policies.inbound", String(size)),
      );
    }
    const labels = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`key${index}`, "x"]));
    expectRefused(await server.rest.post("/backends/tunnel_group", { labels }), invalid("labels", "1001"));
  });

  it("with a list that is too long is refused for that, and for nothing else in the list", async () => {
    const policies = { inbound: [{ actions: Array(101).fill({ type: 0, config: { "": null } }) }] };
    expectRefused(
      await server.rest.post("/edges/tls", { policies }),
      invalid("policies.inbound[0].actions", "100"),
    );
  });

  it("with thousands of errors is refused with a short error about the first ones", async () => {
    const policies = (count: number) =>
      Array.from({ length: count }, () => ({ actions: Array(90).fill({}), [`x${"y".repeat(500)}`]: 1 }));
    const tooMany = { inbound: policies(90), outbound: policies(90) };
    expectRefused(await server.rest.post("/edges/tls", { policies: tooMany }), invalid("policies", "10000"));
    const answer = await server.rest.post("/edges/tls", { policies: { inbound: policies(100) } });
    expect(answer.status).to.equal(400);
    expect(answer.body.msg).to.match(/and \d+ more$/);
    expect(answer.text.length).to.be.lessThan(10_000);
  });
});
