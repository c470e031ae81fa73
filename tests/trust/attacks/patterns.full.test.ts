import { expect } from "chai";
import { expectRefused, invalid } from "../../support/api/expect";
import { certificate } from "../../support/api/fixtures";
import { onOneDatabase } from "../../support/databases";
import { Rest } from "../../support/rest";
import type { ServerProcess } from "../../support/server";
import { underAttack } from "../../support/underAttack";

const ROUTES = "/edges/https/{edge_id}/routes";

onOneDatabase("The work of one request is bounded:", (start) => {
  let server: ServerProcess;
  let rest: Rest;
  let route: string;
  before("start a server", async () => {
    server = await start();
    rest = new Rest(server.url, server.apiKey);
    const edge = (await rest.post("/edges/https", {})).body.id;
    route = (await rest.post(ROUTES.replace("{edge_id}", edge), { match_type: "exact_path", match: "/" }))
      .body.uri;
  });
  after("stop the server", () => server?.stop());
  const filter = (body: object) => rest.put(`${route}/user_agent_filter?dry_run=true`, body);

  it("two hundred patterns with nested repetitions are refused before they are compiled", async () => {
    const patterns = Array(100).fill("(x{0,100}){0,10}".repeat(63));
    const answer = await underAttack(server, () => filter({ allow: patterns, deny: patterns }));
    expectRefused(answer, invalid("allow[0]", "512 bytes"));
  });

  it("a short pattern with a large program is refused, and the error names the limit", async () => {
    for (const pattern of ["(x{0,1000}){0,10}", "((a{0,30}){0,30}){0,30}", "(a|b|c){1000}", "\\pL{1000}"])
      expectRefused(await filter({ deny: [pattern] }), invalid("deny[0]", "1024", "multiply"));
    for (const pattern of [
      "x{1000}",
      "^(Mozilla|Opera)/\\d{1,3}(\\.\\d+)*",
      "(?i)bot|crawl|spider",
      "a".repeat(512),
    ])
      expect((await filter({ allow: [pattern] })).status, pattern).to.equal(200);
    expectRefused(await filter({ allow: ["é".repeat(257)] }), invalid("allow[0]", "512 bytes"));
  });

  it("a filter holds at most a hundred patterns", async () => {
    const patterns = (count: number) => Array.from({ length: count }, (_, index) => `agent-${index}`);
    expect((await filter({ allow: patterns(60), deny: patterns(40) })).status).to.equal(200);
    expectRefused(await filter({ allow: patterns(60), deny: patterns(41) }), invalid("deny", "100"));
    expectRefused(await filter({ allow: patterns(101) }), invalid("allow", "100"));
  });

  it("the largest allowed patterns, and a body full of expressions, do not block other requests", async () => {
    const expressions = Array(100).fill(`${"a && ".repeat(600)}a`);
    const policy = { expressions: expressions.slice(0, 30), actions: [{ type: "deny" }] };
    await underAttack(server, async () => {
      expect((await filter({ allow: Array(100).fill("x{1000}") })).status).to.equal(200);
      const answer = await rest.put(`${route}/policies?dry_run=true`, { inbound: Array(10).fill(policy) });
      expect(answer.status, answer.text.slice(0, 500)).to.equal(200);
    });
  });

  it("a certificate with a thousand extensions is refused, and the error names the limit", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `1.2.3.${index + 1} = ASN1:NULL`);
    const { pem } = certificate({ extensions: ["basicConstraints = CA:TRUE", ...many] });
    const answer = await underAttack(server, () => rest.post("/certificate_authorities", { ca_pem: pem }));
    expectRefused(answer, invalid("ca_pem", "64"));
  });
});
