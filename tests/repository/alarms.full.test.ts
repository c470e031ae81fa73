import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { HOSTPORT_METRICS } from "../../gateway/dist/traffic/series";
import { ServerProcess } from "../support/server";

const ROOT = join(__dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const METRIC = /\btunnelplane_(?:build|event|gateway|http|ip)_[a-z_]*[a-z]/g;
const withoutEnd = (name: string) => name.replace(/_(bucket|count|sum)$/, "");

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

describe("Alarms, boards and pages", () => {
  const rules = (
    parse(read("deploy/prometheus/alerts.yaml")) as { groups: { rules: Rule[] }[] }
  ).groups.flatMap((group) => group.rules);
  const boards = readdirSync(join(ROOT, "deploy/grafana")).map((name) => `deploy/grafana/${name}`);
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    // There, such names are types of resources.
    .filter((name) => name.endsWith(".md") && !/^(how-to\/hcl|reference\/)/.test(name))
    .map((name) => `docs/${name}`);

  it("name only metrics that servers and gateways have", async () => {
    const server = await ServerProcess.start();
    const answer = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
    });
    const ofServer = [...(await answer.text()).matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    await server.stop();
    const ofGateway = [...read("gateway/src/controller/monitor.ts").matchAll(/gauge\(\s*"(\w+)"/g)].map(
      ([, name]) => `tunnelplane_gateway_${name}`,
    );
    const ofHostports = HOSTPORT_METRICS.map(({ name }) => `tunnelplane_gateway_${name}`);
    const known = new Set([...ofServer, ...ofGateway, ...ofHostports]);
    for (const path of [
      "deploy/prometheus/alerts.yaml",
      "deploy/prometheus/alerts.test.yaml",
      ...boards,
      ...pages,
    ]) {
      const names = [...read(path).matchAll(METRIC)].map(([name]) => withoutEnd(name));
      expect(
        names.filter((name) => !known.has(name)),
        path,
      ).to.deep.equal([]);
    }
  });

  it("have a section for each alarm, and numbers that raise it beside numbers that do not", () => {
    const page = read("docs/how-to/alarms.md");
    const { tests } = parse(read("deploy/prometheus/alerts.test.yaml")) as { tests: { name: string }[] };
    expect(rules).not.to.deep.equal([]);
    for (const { alert } of rules) {
      expect(page).to.contain(`\n## ${alert}\n`);
      for (const end of ["is raised", "stays quiet"])
        expect(tests.map(({ name }) => name)).to.include(`${alert} ${end}`);
    }
  });
});
