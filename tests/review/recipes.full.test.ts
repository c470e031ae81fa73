import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { parse, stringify } from "yaml";
import { ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";
import { trafficLine } from "../unit/traffic/lines";
import { richPreview } from "./richPreview";
import { Folder, previewOf, step } from "./support";

const ROOT = join(__dirname, "../..");
const MARK = "<!-- tunnelplane-review -->";
/** Other programs that the recipes run; machines that run pipelines have them. */
const MISSING = ["bash", "curl", "jq"].filter((program) => spawnSync(program, ["--version"]).error);

function recipe(title: string, page = "docs/review.md"): Record<string, unknown> {
  const text = readFileSync(join(ROOT, page), "utf8");
  const block = new RegExp(`\n## ${title}\n[\\s\\S]*?\`\`\`yaml\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
  if (block === undefined) throw new Error(`${page} has no recipe under "${title}"`);
  return parse(block) as Record<string, unknown>;
}

const US = { id: 70, login: "github-actions[bot]" };
const STRANGER = { id: 7, login: "mallory" };

/** Stands in for the comments of GitHub and GitLab; both have one by a stranger that begins as ours do. */
class StandInForge {
  readonly comments = [{ id: 1, body: `${MARK}\nAll is fine`, user: STRANGER, author: STRANGER }];
  artifact = "";
  private constructor(readonly server: StandInServer) {}

  static async start(): Promise<StandInForge> {
    const forge: StandInForge = new StandInForge(
      await StandInServer.start(async (request, response) => {
        const answer = await forge.answer(request);
        response
          .writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" })
          .end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
      }),
    );
    return forge;
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (pathname.endsWith("/pipelines")) return [{ id: 5 }];
    if (pathname.endsWith("/pipelines/5/jobs"))
      return [
        { id: 6, name: "lint" },
        { id: 7, name: "traffic" },
      ];
    if (pathname.endsWith("/jobs/7/artifacts/traffic.jsonl")) return this.artifact;
    const id = Number(/\/(\d+)$/.exec(pathname)?.[1]);
    if (pathname.endsWith("/user")) return US;
    if (pathname.endsWith("/graphql")) return { data: { viewer: US } };
    if (request.method === "GET") return this.comments;
    const body = await text(request);
    const said = request.headers["content-type"]?.includes("json")
      ? JSON.parse(body).body
      : new URLSearchParams(body).get("body");
    if (request.method === "POST") {
      this.comments.push({ id: this.comments.length + 1, body: said, user: US, author: US });
      return this.comments.at(-1);
    }
    const found = this.comments.find((comment) => comment.id === id);
    if (found) found.body = said;
    return found;
  }
}

/** Stands in for `gh`: `gh api` asks the forge, with jq; `gh run` knows one run, with GitLab's artifact. */
const STAND_IN_GH = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require("node:fs");
const { execFileSync } = require("node:child_process");
const args = process.argv.slice(2);
const valueOf = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
if (args[0] === "run" && args[1] === "list") {
  console.log(args.includes("traffic.yml") ? 11 : 0);
  process.exit();
}
const path = args[0] === "run" && args[2] === "11" ? "jobs/7/artifacts/traffic.jsonl" : args.find((arg) => arg.startsWith("repos/") || arg === "graphql" || arg === "user");
const file = valueOf("-F")?.replace("body=@", "");
const request = { method: valueOf("--method") ?? "GET", headers: { "content-type": "application/json" } };
if (file) request.body = JSON.stringify({ body: readFileSync(file, "utf8") });
fetch(process.env.STAND_IN_FORGE + "/" + path, request)
  .then((response) => (response.ok ? response.text() : process.exit(1)))
  .then((text) => args[0] === "run" ? writeFileSync("traffic.jsonl", text) : process.stdout.write(valueOf("--jq") ? execFileSync("jq", ["-r", valueOf("--jq")], { input: text }) : text));
`;

/** A machine that runs pipelines: a project with our package, and stand-ins for what would reach others. */
class Runner {
  readonly folder = new Folder();
  private constructor(readonly forge: StandInForge) {}

  static async start(): Promise<Runner> {
    const runner = new Runner(await StandInForge.start());
    const bin = join(runner.folder.path, "stand-ins");
    mkdirSync(bin);
    symlinkSync(join(ROOT, "node_modules"), join(runner.folder.path, "node_modules"));
    const programs = {
      gh: STAND_IN_GH,
      npm: "#!/bin/sh\n",
      // The key may run one command, whatever else is asked for.
      ssh: '#!/bin/sh\nfor host; do :; done\ncat "stand-in-for-$host.jsonl"\n',
      pulumi:
        "#!/bin/sh\ncat stand-in-for-the-preview.json\n[ -s stand-in-for-the-preview.json ] || echo 'error: incorrect passphrase' >&2\n",
    };
    for (const [name, script] of Object.entries(programs))
      writeFileSync(join(bin, name), script, { mode: 0o755 });
    return runner;
  }

  async run(
    script: string,
    env: Record<string, string>,
    flags = ["-e"],
  ): Promise<{ code: number | null; printed: string }> {
    const { TUNNELPLANE_BASE_URL: _url, TUNNELPLANE_API_KEY: _key, ...others } = process.env;
    const path = `${join(this.folder.path, "stand-ins")}${delimiter}${process.env.PATH}`;
    const child = spawn("bash", [...flags, "-c", script], {
      cwd: this.folder.path,
      env: { ...others, ...env, PATH: path, STAND_IN_FORGE: this.forge.server.url },
    });
    const printed = Promise.all([text(child.stdout), text(child.stderr)]).then((parts) => parts.join("\n"));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, printed: await printed };
  }

  preview(json: string): void {
    this.folder.write("stand-in-for-the-preview.json", json);
  }
}

type Step = { readonly run?: string; readonly id?: string; readonly env?: Record<string, string> };
/** GitHub's own checks of workflows are not to be had elsewhere; this is what its users take. */
const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const ACTION = join(ROOT, "action");
const PIPELINES = join(ROOT, "create-tunnelplane/ci");
const yamlOf = <T>(...path: string[]): T => parse(readFileSync(join(...path), "utf8"));

const { runs, inputs: INPUTS } = yamlOf<{
  runs: { steps: Step[] };
  inputs: Record<string, { default: string }>;
}>(ACTION, "action.yml");
const [SETTINGS, ...ACTION_STEPS] = runs.steps;
interface Job {
  readonly script: string[];
  readonly before_script: string[];
  readonly variables: Record<string, string>;
}
const GITLAB = yamlOf<Record<string, Job>>(PIPELINES, "gitlab.yml");

/** Runs steps of GitHub Actions until one fails; returns the last exit code, and all that they printed. */
async function runGithub(
  runner: Runner,
  steps = ACTION_STEPS,
  inputs: Record<string, string> = { stack: "prod" },
  job: Record<string, string> = {},
): Promise<{ code: number | null; printed: string }> {
  const output = runner.folder.write("outputs", "");
  const filled = (value: string) =>
    value
      .replaceAll(
        /\$\{\{ steps\.review\.outputs\.(\w+) \}\}/g,
        (_, name) => new RegExp(`^${name}=(.*)$`, "m").exec(readFileSync(output, "utf8"))?.[1] ?? "",
      )
      .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => inputs[name] ?? INPUTS[name]?.default ?? "")
      .replace(/\$\{\{ runner\.temp \}\}/, runner.folder.path)
      .replace(/\$\{\{ github\.repository \}\}/, "acme/edges")
      .replace(/\$\{\{ github\.event\.pull_request\.number \}\}/, "7")
      .replace(/\$\{\{ vars\.GATEWAYS \}\}/, "eu us")
      .replace(/\$\{\{[^}]*\}\}/g, "");
  let all = "";
  for (const { run, env = {} } of steps) {
    if (run === undefined) continue;
    const values = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
    const { code, printed } = await runner.run(filled(run), {
      ...{ ...job, ...values, GITHUB_OUTPUT: output },
      ...{ GITHUB_STEP_SUMMARY: join(runner.folder.path, "summary.md"), GITHUB_ACTION_PATH: ACTION },
    });
    all += printed;
    if (code !== 0) return { code, printed: all };
  }
  return { code: 0, printed: all };
}

async function runGitlab(
  runner: Runner,
  { script } = GITLAB.review as Pick<Job, "script">,
): Promise<{ code: number | null; printed: string }> {
  const env = {
    ...{ STACK: "prod", CI_API_V4_URL: runner.forge.server.url, CI_PROJECT_ID: "1" },
    ...{ CI_DEFAULT_BRANCH: "main", GATEWAYS: "eu us", TRAFFIC_KEY: runner.folder.write("key", "") },
    ...{ CI_MERGE_REQUEST_IID: "7", REVIEW_TOKEN: "of the review" },
  };
  return runner.run(script.join("\n"), env, ["-e", "-o", "pipefail"]);
}

describe("The recipes for pipelines, with stand-ins for GitHub and GitLab", () => {
  if (MISSING.length > 0) {
    it(`skipped: there is no ${MISSING.join(" and no ")} here`, function () {
      this.skip();
    });
    return;
  }

  for (const [forge, run] of [
    ["GitHub Actions", runGithub],
    ["GitLab CI", runGitlab],
  ] as const) {
    it(`post one comment by ${forge}, update it with each push, and stop what a reviewer should look at`, async () => {
      const runner = await Runner.start();
      const ours = () =>
        runner.forge.comments
          .filter(({ user }) => user === US)
          .map(({ id, body }) => `${id} ${body.split("\n")[1]}`);
      runner.preview(richPreview());
      expect((await run(runner)).code, "the first push").to.equal(2);
      expect(ours()).to.deep.equal(["2 ## Tunnels: 5 high, 3 medium, 1 low"]);
      runner.preview(previewOf([]));
      expect((await run(runner)).code, "the second push").to.equal(0);
      expect(ours()).to.deep.equal(["2 ## Tunnels: 0 high, 0 medium, 0 low"]);
      runner.preview("the preview failed");
      const { code, printed } = await run(runner);
      expect(code, "a push whose preview failed").to.equal(1);
      expect(ours()).to.deep.equal(["2 ## Tunnels: the preview of prod failed"]);
      const [, comment] = runner.forge.comments;
      for (const text of [printed, comment?.body]) expect(text).to.contain("expected the output of");
      runner.preview("");
      expect(await run(runner)).to.include({ code: 1 });
      expect(comment?.body, "the words of a preview that did not begin").to.contain("incorrect passphrase");
      expect(runner.forge.comments[0]?.body, "a stranger's comment").to.equal(`${MARK}\nAll is fine`);
    });
  }

  const TRAFFIC = "docs/how-to/traffic.md";
  const nightly = recipe("Each night: GitHub Actions", TRAFFIC).jobs as { traffic: { steps: Step[] } };
  const steps = recipe("Each pull request: GitHub Actions", TRAFFIC).steps as Step[];
  const { with: withTraffic } = steps.at(-1) as { with: Record<string, string> };
  const night = recipe("Each night: GitLab CI", TRAFFIC).traffic as { script: string[] };
  const request = recipe("Each merge request: GitLab CI", TRAFFIC).review as { script: string[] };
  for (const [forge, fetch, review, report] of [
    [
      "GitHub Actions",
      (on: Runner) => runGithub(on, nightly.traffic.steps),
      (on: Runner) => runGithub(on, [...steps, ...ACTION_STEPS], withTraffic),
      "tunnelplane-review.md",
    ],
    ["GitLab CI", (on: Runner) => runGitlab(on, night), (on: Runner) => runGitlab(on, request), "review.md"],
  ] as const)
    it(`fetch the traffic of all gateways by ${forge}, and say in the comment whom a change locks out`, async () => {
      const runner = await Runner.start();
      const { folder, forge: keeper } = runner;
      const line = { address: "door.example.com:443", host: null, method: null, path: null };
      for (const [index, gateway] of ["eu", "us"].entries())
        folder.write(
          `stand-in-for-${gateway}.jsonl`,
          `${JSON.stringify(trafficLine({ ...line, from: `198.51.${index}.0/24`, count: 20 + index }))}\n`,
        );
      expect((await fetch(runner)).code, "at night").to.equal(0);
      keeper.artifact = readFileSync(join(folder.path, "traffic.jsonl"), "utf8");
      rmSync(join(folder.path, "traffic.jsonl"));
      const backend = { backendId: "id_of_others" };
      const open = { hostports: ["door.example.com:443"], backend };
      const preview = previewOf([
        step("TlsEdge", "door", {
          before: open,
          after: { ...open, mutualTls: { certificateAuthorityIds: ["ca_of_others"] } },
        }),
      ]);
      folder.write("preview.json", preview);
      runner.preview(preview);
      expect((await review(runner)).code).to.equal(0);
      expect(readFileSync(join(folder.path, report), "utf8")).to.contain(
        "41 of 41 requests would be refused, from 2 networks; first: a connection to `door.example.com:443` from 198.51.0.0/24 without a client certificate: answered → closed",
      );
      rmSync(join(folder.path, "stand-in-for-eu.jsonl"));
      expect((await fetch(runner)).code, "a gateway that cannot be reached").to.not.equal(0);
    });

  it("plan a catalogue by the action, and show the plan or why there is none", async () => {
    const runner = await Runner.start();
    const inputs = { catalogue: "tunnels.yaml", set: "prod" };
    const server = await ServerProcess.start();
    const job = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
    const comment = () => runner.forge.comments[1]?.body;
    runner.folder.write("tunnels.yaml", "ipPolicies:\n  office:\n    descriptio: typo\n");
    expect((await runGithub(runner, ACTION_STEPS, inputs, job)).code).to.equal(1);
    expect(comment()).to.contain("the plan of prod failed").and.to.contain("descriptio");
    runner.folder.write("tunnels.yaml", "ipPolicies:\n  office:\n    description: ours\n");
    expect((await runGithub(runner, ACTION_STEPS, inputs, job)).code).to.equal(0);
    expect(comment()).to.contain("the plan of prod\n").and.to.contain("create ip_policy/office");
  });

  it("name each setting that is missing, and where to add it, before anything runs", async () => {
    const runner = await Runner.start();
    const settings = [SETTINGS as Step];
    const { code, printed } = await runGithub(runner, settings, { stack: "prod" });
    expect(code).to.equal(1);
    for (const name of ["TUNNELPLANE_BASE_URL", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"])
      expect(printed).to.match(new RegExp(`^::error title=${name} is missing::Set `, "m"));
    expect(printed).to.contain("id-token: write");
    expect((await runGithub(runner, settings, {})).printed).to.contain("stack or catalogue is missing");
    const [check = ""] = GITLAB[".tunnels"]?.before_script ?? [];
    const before = await runner.run(check, { ...GITLAB.review?.variables, PULUMI_ACCESS_TOKEN: "one" });
    expect(before.code).to.equal(1);
    expect(before.printed).to.contain(
      "Missing: TUNNELPLANE_BASE_URL PULUMI_CONFIG_PASSPHRASE REVIEW_TOKEN. Add each",
    );
  });

  it("are valid workflows of GitHub, the steps of the action included", function () {
    const lint = (workflow: string) =>
      spawnSync("go", ["run", ACTIONLINT, "-shellcheck=", "-no-color", "-"], {
        input: workflow,
        encoding: "utf8",
      });
    const workflow = readFileSync(join(PIPELINES, "github.yml"), "utf8");
    const { error, stdout, status } = lint(workflow);
    if (error) {
      console.log("      skipped: there is no Go here");
      this.skip();
    }
    expect(stdout).to.equal("");
    expect(status).to.equal(0);
    expect(lint(workflow.replace("github.event_name", "github.event_nam")).status).to.equal(1);
    // It reads no actions; their steps are written as those of a job, which gets their inputs.
    const texts = Object.keys(INPUTS).map((name) => [name, { type: "string" }]);
    const job = { "runs-on": "ubuntu-latest", steps: runs.steps };
    const asWorkflow = { on: { workflow_call: { inputs: Object.fromEntries(texts) } }, jobs: { job } };
    expect(lint(stringify(asWorkflow)).stdout).to.equal("");
  });
});
