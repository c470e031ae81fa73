import type { Report } from "@tunnelplane/pulumi/review";
import type { TrafficEntry } from "@tunnelplane/sdk/traffic";
import { trafficLine } from "../unit/traffic/lines";
import { type Ended, Folder, type Inputs, previewOf, runReviews, same, step, tokensOf } from "./support";

const CANARY = "canary-of-a-token";
const HOSTPORTS = ["app.example.com:443"];
const TEAM = {
  inbound: [{ name: "team", expressions: ['req.headers["x-team"] == "red"'], actions: [{ type: "deny" }] }],
  outbound: [],
};
const route = (match: string, after: Inputs = {}): object => {
  const before = {
    edgeId: "id_of_app",
    matchType: "path_prefix",
    match,
    backend: { backendId: "id_of_web" },
  };
  return step("HttpsEdgeRoute", `route ${match}`, { before, after: { ...before, ...after } });
};
const edge = (after: Inputs): object =>
  step("HttpsEdge", "app", { before: { hostports: HOSTPORTS }, after: { hostports: HOSTPORTS, ...after } });
const web = same("StaticBackend", "web", { address: "web.example.com:80" });

/** The admins' path asks for a token, and the teams' for a header. */
const TOKENS = previewOf([
  ...[web, edge({}), route("/"), route("/admin", { jwtValidation: tokensOf() })],
  route("/team", { policies: TEAM }),
]);

const line = (fields: Parameters<typeof trafficLine>[0]) =>
  trafficLine({ address: "app.example.com:443", host: "app.example.com", ...fields });
const admins = (network: number, count: number) =>
  line({ path: "/admin", from: `198.51.${network}.0/24`, count });
const DAY: TrafficEntry[] = [
  line({ count: 47_791 }),
  ...[100, 101, 102].map((network) => admins(network, 100)),
  { ...admins(103, 12), hour: "2026-11-23T13:00:00Z" },
  line({ path: "/team/red", count: 14 }),
  { hour: "2026-11-22T15:00:00Z", count: 3, other: true },
];
const written = (entries: readonly TrafficEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

const SENTENCE =
  "312 of 48,120 requests would be refused, from 4 networks; first: `GET app.example.com:443/admin` from 198.51.100.0/24 without a token: answered → 401; 0 would be newly answered; 17 cannot be decided: a policy asks for the header `x-team`, not recorded, and 1 other reason.";

describe("review --traffic", () => {
  const folder = new Folder();
  const ended: Record<string, Ended> = {};

  before("run all reviews in one process", async () => {
    const preview = folder.write("preview.json", TOKENS);
    const day = folder.write("day.jsonl", written(DAY));
    const half = folder.write("half.jsonl", written(DAY.slice(0, 1)));
    const damaged = folder.write("damaged.jsonl", `{"hour": "${CANARY}\n${written(DAY)}[1]\n`);
    const useless = folder.write("useless.jsonl", `{"token": "${CANARY}"}\n`);
    const empty = folder.write("empty.jsonl", "");
    const commands: Record<string, string[]> = {
      markdown: [preview, "--traffic", day],
      html: [preview, "--traffic", day, "--format", "html"],
      json: [preview, "--traffic", day, "--format", "json"],
      sarif: [preview, "--traffic", day, "--format", "sarif"],
      without: [preview, "--format", "json"],
      two: [preview, "--traffic", day, "--traffic", half, "--format", "json", "--fail-on", "never"],
      damaged: [preview, "--traffic", damaged, "--format", "json"],
      useless: [preview, "--traffic", day, "--traffic", useless],
      empty: [preview, "--traffic", empty],
      missing: [preview, "--traffic", `${day}.missing`],
      folder: [preview, "--traffic", folder.path],
    };
    const all = await runReviews(Object.values(commands).map((args) => ({ args })));
    for (const [index, name] of Object.keys(commands).entries()) ended[name] = all[index] as Ended;
  });

  const of = (name: string): Ended => ended[name] as Ended;
  const reportOf = (name: string): Report => JSON.parse(of(name).stdout) as Report;

  it("says in every format whom the change locks out, first of all", () => {
    const { traffic } = reportOf("json");
    expect(traffic).to.include({
      requests: 48_120,
      refused: 312,
      opened: 0,
      moved: 0,
      unknown: 17,
      networks: 4,
    });
    expect(traffic?.sentence).to.equal(SENTENCE);
    expect(traffic?.examples.map(({ kind, requests }) => [kind, requests])).to.deep.equal([["refused", 312]]);
    expect(traffic?.examples[0]).to.have.keys(["kind", "requests", "request", "before", "after", "sentence"]);
    const said = `Recorded traffic of 2026-11-22 14:00 to 2026-11-23 13:00 UTC: ${SENTENCE}`;
    const { stdout: markdown } = of("markdown");
    expect(markdown.split("\n### ")[0]).to.contain(said);
    expect(markdown).to.match(
      /### Recorded traffic\n[\s\S]*\| 312 would be refused \| `GET [\s\S]*\n\| 14 cannot be decided \|/,
    );
    const { stdout: html } = of("html");
    expect(html.split("<main>")[0]).to.contain("312 of 48,120 requests would be refused, from 4 networks");
    expect(html).to.contain('<span class="tag">3 cannot be decided</span> Only their number is recorded.');
    const [run] = JSON.parse(of("sarif").stdout).runs;
    expect(run.invocations[0].toolExecutionNotifications[1].message.text).to.equal(said);
    expect(run.properties.traffic).to.deep.equal({
      requests: 48_120,
      refused: 312,
      opened: 0,
      moved: 0,
      unknown: 17,
    });
  });

  it("adds to the report, and leaves findings, hash and exit code as they are", () => {
    const { traffic, ...others } = reportOf("json");
    expect(reportOf("without")).to.deep.equal(others);
    expect(["json", "without", "markdown"].map((name) => of(name).code)).to.deep.equal([0, 0, 0]);
  });

  it("takes several files as one", () => {
    expect(reportOf("two").traffic).to.include({ requests: 48_120 + 47_791, refused: 312 });
  });

  it("uses the lines that are not damaged, and counts the others", () => {
    const { traffic } = reportOf("damaged");
    expect(traffic).to.include({ requests: 48_120, refused: 312, damaged: 2 });
    expect(traffic?.sentence).to.match(/ 2 damaged lines are left out\.$/);
    expect(of("damaged").stderr).to.match(/damaged\.jsonl has 2 damaged lines; line 1 is not JSON\n/);
    expect(JSON.stringify(ended)).to.not.include(CANARY);
  });

  it("ends with 1 and one line for a file that is missing, or holds nothing that can be used", () => {
    for (const [name, said] of Object.entries({
      missing:
        /day\.jsonl\.missing cannot be read: there is no such file; expected the output of: tunnelplane-gateway traffic/,
      folder: /cannot be read: EISDIR; expected/,
      empty: /empty\.jsonl holds no recorded traffic; expected/,
      useless:
        /useless\.jsonl holds no recorded traffic \(1 damaged line; line 1 has no hour, or one of another form\)/,
    })) {
      const { code, stdout, stderr } = of(name);
      expect([code, stdout], name).to.deep.equal([1, ""]);
      expect(stderr.trimEnd().split("\n"), name).to.have.length(1);
      expect(stderr, name).to.match(said);
    }
  });
});
