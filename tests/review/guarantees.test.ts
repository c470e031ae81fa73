import { failing, type Report, review, write } from "@tunnelplane/pulumi/review";
import { World } from "../support/provider";
import { tableOf } from "../support/table";
import { type Inputs, previewOf, same, step } from "./support";

const { five, weaker, stricter } = tableOf<{
  readonly five: Readonly<Record<string, Inputs>>;
  readonly weaker: readonly Inputs[];
  readonly stricter: readonly Inputs[];
}>(__dirname, "guarantees.yaml");

const guarantees = (...names: string[]): object[] =>
  names.map((name) => same("Guarantee", name, five[name] ?? {}));

const OFFICE = { ipRestriction: { ipPolicyIds: ["id_of_office"] } };
const OIDC = { oidc: { issuer: "https://id.example.com", clientId: "site", clientSecret: "s" } };

const office = (before: string, after = before): object[] => [
  same("IpPolicy", "office", {}),
  step("IpPolicyRule", "rule", {
    before: { ipPolicyId: "id_of_office", cidr: before, action: "allow" },
    after: { ipPolicyId: "id_of_office", cidr: after, action: "allow" },
  }),
];
const backend = same("StaticBackend", "web", { address: "web.example.com:80" });
const app = same("HttpsEdge", "app", { hostports: ["app.example.com:443"] });
const route = (name: string, { before, after }: { before?: Inputs; after?: Inputs }): object => {
  const common = {
    ...{ edgeId: "id_of_app", matchType: "path_prefix", match: name },
    backend: { backendId: "id_of_web" },
  };
  const whole = (inputs: Inputs | undefined) => inputs && { ...common, ...inputs };
  return step("HttpsEdgeRoute", `route ${name}`, { before: whole(before), after: whole(after) });
};
const keeps = (match: string, inputs: Inputs): object => route(match, { before: inputs, after: inputs });
/** A server that holds nothing else, so that all edges are known. */
const servers = new World();
let server: Awaited<ReturnType<World["server"]>>;
const reviewed = (steps: readonly object[], options: { accept?: readonly string[] } = {}): Promise<Report> =>
  review(previewOf(steps), { url: server.url, apiKey: server.apiKey, ...options });

/** Changes that a reviewer would wave through. This list grows. */
const CHANGES: readonly (readonly [
  what: string,
  guarantee: string,
  steps: () => object[],
  request: RegExp,
])[] = [
  [
    "half of the Internet in place of the office",
    "outside",
    () => [app, keeps("/", OFFICE), ...office("10.0.0.0/8", "0.0.0.0/1")],
    /^GET app.example.com:443\/ from 1.0.0.1$/,
  ],
  [
    "OPTIONS requests that pass without sign-in",
    "internal",
    () => [
      same("HttpsEdge", "app", { hostports: ["wiki.internal.example.com:443"] }),
      route("/", { before: OIDC, after: { oidc: { ...OIDC.oidc, optionsPassthrough: true } } }),
    ],
    /^OPTIONS wiki.internal.example.com:443\/ from /,
  ],
];

describe("A review with guarantees", () => {
  before(async () => {
    server = await servers.server();
  });

  describe("one that held and would not any more fails it, with the request that shows why:", () => {
    for (const [what, guarantee, steps, request] of CHANGES)
      it(what, async () => {
        const report = await reviewed([...steps(), backend, ...guarantees(guarantee)]);
        const finding = report.findings.find(({ rule }) => rule === "guarantee-broken");
        expect(finding, JSON.stringify(report.guarantees)).to.include({ severity: "high", name: guarantee });
        const { address, method, path, from, ...more } = finding?.example?.request ?? ({} as never);
        const shown = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : "";
        expect(`${method} ${address}${path} from ${from}${shown}`).to.match(request);
        expect(report.guarantees.map(({ before, after }) => [before?.state, after?.state])).to.eql([
          ["holds", "broken"],
        ]);
        for (const format of ["markdown", "html", "json", "sarif"] as const)
          expect(write(report, format), format).to.include("guarantee-broken");
        // Nobody may accept what the server refuses.
        const hashes = [report.hash, ...report.findings.map(({ hash }) => hash)];
        const again = await reviewed([...steps(), backend, ...guarantees(guarantee)], { accept: hashes });
        expect(failing(again).map(({ rule }) => rule)).to.include("guarantee-broken");
      });
  });

  describe("one of a program", () => {
    const steps = [
      app,
      keeps("/", OFFICE),
      backend,
      ...office("10.0.0.0/8"),
      ...guarantees(...Object.keys(five)),
    ];

    it("has a table of all of them, with their states before and after", async () => {
      const report = await reviewed([...steps, step("Guarantee", "fresh", { after: five.outside })]);
      expect(report.guarantees.map(({ name, before, after }) => [name, before?.state, after?.state])).to.eql([
        ["admin", "broken", "broken"],
        ["health", "broken", "broken"],
        ["internal", "holds", "holds"],
        ["metrics", "holds", "holds"],
        ["outside", "holds", "holds"],
        ["fresh", undefined, "holds"],
      ]);
      const markdown = write(report, "markdown");
      expect(markdown).to.include("| | Must hold | Before | After |");
      expect(markdown).to.match(
        /\| `metrics` \| requests to `&?.*443\/metrics` from outside of 10.0.0.0\/8 are refused \| holds at 1 address \|/,
      );
      expect(markdown).to.match(/\| `fresh` \|.*\| not declared \| holds at 1 address \|/);
      expect(markdown).to.match(/\| `internal` \|.*\| holds, and covers no address \|/);
      const admin = /\| `admin` \|.*\| broken: `GET app.example.com:443\/admin` from 10\.\S+: answered \|/;
      expect(markdown).to.match(admin);
      expect(write(report, "html")).to.include("<h2>Guarantees <small>6</small></h2>");
      expect(report.findings.map(({ rule }) => rule)).to.not.include("guarantee-broken");
    });

    it("says so where a guarantee is deleted or allows more, and not where it forbids more", async () => {
      const metrics = five.metrics as Inputs;
      const rulesFor = async (after: Inputs | undefined): Promise<string[]> =>
        (
          await reviewed([...steps.slice(0, -1), step("Guarantee", "metrics", { before: metrics, after })])
        ).findings
          .filter(({ rule }) => rule === "guarantee-weakened")
          .map(({ severity, sentence }) => `${severity}: ${sentence}`);
      expect(await rulesFor(undefined)).to.eql([
        "high: The guarantee `metrics` is deleted: that requests to `*:443/metrics` from outside of 10.0.0.0/8 are refused need not hold any more.",
      ]);
      for (const change of weaker) {
        const [found] = await rulesFor({ ...metrics, ...change });
        expect(found, JSON.stringify(change)).to.match(
          /^high: The guarantee `metrics` is weaker than before: /,
        );
      }
      for (const change of stricter)
        expect(await rulesFor({ ...metrics, ...change }), JSON.stringify(change)).to.eql([]);
    });

    it("says what it cannot prove where no server was asked", () => {
      const report = review(previewOf(steps));
      const outside = report.guarantees.find(({ name }) => name === "outside");
      expect(outside?.after).to.include({ state: "unproved", reason: "Not all objects are known here." });
    });
  });

  it("names who has a hostport that a change claims, and of another project only that it is taken", async () => {
    const { status, body } = await server.rest.post("/edges/tls", { hostports: ["ours.example.com:443"] });
    const { name } = (await server.rest.post("/projects", { name: "others" })).body;
    const theirs = await server.rest
      .inside(name)
      .post("/edges/tls", { hostports: ["theirs.example.com:443"] });
    expect([status, theirs.status]).to.deep.equal([201, 201]);
    const claimed = ["ours", "theirs", "free"].map((one) =>
      step("TlsEdge", one, { after: { hostports: [`${one}.example.com:443`] } }),
    );
    const found = (await reviewed(claimed)).findings.filter(({ rule }) => rule === "already-taken");
    expect((await server.rest.delete(`/edges/tls/${body.id}`)).status).to.equal(204);
    expect(found.map(({ severity }) => severity)).to.deep.equal(["high", "high"]);
    const [own, other] = found.map(({ sentence }) => sentence);
    expect(own).to.match(/^`ours\.example\.com:443` of `ours` is held by the TLS edge .*edgtls_\w+\)/);
    expect(other).to.equal(
      "`theirs.example.com:443` of `theirs` is taken by an object that cannot be seen from here: the server refuses it.",
    );
  });
});
