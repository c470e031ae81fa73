import { type Report, review } from "@tunnelplane/pulumi/review";
import { RULES } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import type { Engine } from "../support/engine";
import { World } from "../support/provider";
import type { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";
import type { Version } from "./scenarioParts";
import { COMPANIONS, declareAll, SCENARIOS } from "./scenarios";
import { Change } from "./support";

/** What other teams have on the server: protected or not, used or not. */
async function declareOthers(rest: Rest): Promise<void> {
  const made = [
    await rest.post("/edges/tls", { hostports: ["others.example.com:443"], description: "of another team" }),
    await rest.post("/credentials", { description: "of another team", acl: [] }),
    await rest.post("/ip_policies", { description: "that nobody uses" }),
    await rest.post("/api_keys", { description: "without an end" }),
  ];
  expect(made.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201]);
}

describe("each rule, on the real engine and a server that holds objects of others", () => {
  const world = new World();
  let server: ServerProcess & { rest: Rest };
  let change: Change & { engine: Engine };
  const program = (version: Version) => async () => declareAll(version);

  before(async () => {
    server = await world.server();
    await declareOthers(server.rest);
    change = await Change.of(world, server, program("base"));
    // Another team's edge admits whom a policy of this stack admits.
    const { ip_policies } = (await server.rest.get("/ip_policies?limit=100")).body;
    const office = ip_policies.find(
      ({ description }: { description: string }) => description === "network-opened",
    );
    const posted = await server.rest.post("/edges/tls", {
      hostports: ["of-others.example.com:443"],
      ip_restriction: { ip_policy_ids: [office.id] },
    });
    expect(posted.status).to.equal(201);
  });
  after(() => world.close());

  /** Each rule's findings by what they come from: a scenario, or something else. */
  const byScenario = ({ findings }: Report): Map<string, Report["findings"]> => {
    const found = new Map<string, Report["findings"]>();
    for (const finding of findings) {
      const scenario = Object.keys(SCENARIOS).find(
        (rule) => finding.cause.name === rule || finding.cause.name.startsWith(`${rule} `),
      );
      const key = scenario ?? `nothing of ours: ${finding.cause.name}`;
      found.set(key, [...(found.get(key) ?? []), finding]);
    }
    return found;
  };

  const asked = async (version: Version): Promise<Report> =>
    review(await change.preview(program(version)), { url: server.url, apiKey: server.apiKey });

  it("there is a scenario for each of them", () => {
    expect(Object.keys(SCENARIOS).sort()).to.deep.equal(RULES.map(({ rule }) => rule).sort());
  });

  it("is found in the change that it is for, with its severity and its cause, and nothing else is", async () => {
    const found = byScenario(await asked("changed"));
    const rules = Object.fromEntries(
      [...found].map(([scenario, findings]) => [scenario, [...new Set(findings.map(({ rule }) => rule))]]),
    );
    const expected = RULES.map(({ rule }) => [rule, [rule, ...(COMPANIONS[rule] ?? [])].sort()]);
    for (const some of Object.values(rules)) some.sort();
    expect(rules).to.deep.equal(Object.fromEntries(expected));
    for (const { rule, severity } of RULES) {
      for (const finding of (found.get(rule) ?? []).filter((one) => one.rule === rule)) {
        expect(finding, rule).to.include({ severity, certain: true });
        expect(finding.cause.file, rule).to.match(/tests\/review\/(holderS|reservedS|s)cenarios\.ts$/);
        expect(finding.sentence, rule).to.match(/^[A-Z`].*\.$/);
      }
    }
    const opened = (found.get("network-opened") ?? []).map(({ address, offStack }) => [address, offStack]);
    expect(opened).to.deep.equal([
      ["network-opened.example.com:443", false],
      ["of-others.example.com:443", true],
    ]);
  });

  it("is not found in a similar change that affects nobody", async () => {
    const report = await asked("near");
    expect(report.changes.length).to.be.greaterThan(20);
    expect(
      report.findings.map(({ rule, cause, sentence }) => `${cause.name}: ${rule}: ${sentence}`),
    ).to.deep.equal([]);
  });
});
