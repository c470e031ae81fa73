import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";
import { minVersion, satisfies, subset } from "semver";
import { Engine } from "../support/engine";
import { ServerProcess } from "../support/server";

const ROOT = join(__dirname, "../..");
const PACKAGES = ["sdk", "server", "provider", "policies"];
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const packageOf = (folder: string) => JSON.parse(read(`${folder}/package.json`));
const NEEDED: string = packageOf("sdk").engines.node;
const OLDEST = NEEDED.replace(">=", "");
/** Only the set-up scripts run on it; they install the pinned Node. */
const SET_UP: string = packageOf(".").engines.node.replace(">=", "");
const PINNED: string = packageOf(".").devDependencies.node;

/** Every file with texts for people: documents, and code with its messages. */
const TEXTS = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.cjs", "*.json", "deploy", ".ci"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path && !path.startsWith("tests/") && path !== "package-lock.json");

describe("The Node version that the packages need", () => {
  it("is the same in all packages, and the only one that the README names", () => {
    expect(PACKAGES.map((folder) => packageOf(folder).engines.node)).to.deep.equal(
      PACKAGES.map(() => NEEDED),
    );
    expect([...read("README.md").matchAll(/Node (\d[\d.]*)/g)].map(([, version]) => version)).to.deep.equal([
      OLDEST,
    ]);
    expect(read("tools/scripts/setup.cjs")).to.contain(`Node ${SET_UP} or newer is needed to begin with`);
  });

  it("is the same wherever a version of Node is named", () => {
    const known = [OLDEST, SET_UP, PINNED, String(Number.parseInt(PINNED, 10))];
    const others = TEXTS.flatMap((path) =>
      [...read(path).matchAll(/\bNode(?:\.js)? (?:≥ ?|>= ?)?(\d+(?:\.\d+)*)/g)]
        .filter(([, version = ""]) => !known.includes(version))
        .map(([words]) => `${path}: ${words}`),
    );
    expect(others).to.deep.equal([]);
  });

  it("is enough for all dependencies of the packages", () => {
    const tooNew = PACKAGES.flatMap((folder) => Object.keys(packageOf(folder).dependencies))
      .map((name) => [name, packageOf(`node_modules/${name}`).engines?.node ?? "*"])
      .filter(
        ([, range]) =>
          !subset(NEEDED, `${range} || >=${PINNED}`) && !satisfies(minVersion(NEEDED) ?? "", range),
      );
    expect(tooNew).to.deep.equal([]);
  });

  it("is the oldest that the tests use, which is pinned", () => {
    expect(packageOf("tests/support/oldest-node").devDependencies.node).to.equal(`${OLDEST}.0`);
  });
});

describe("On the oldest supported Node", () => {
  const node = join(ROOT, "tests/support/oldest-node/node_modules/node/bin/node");
  let server: ServerProcess;
  before("start a server on it", async () => {
    server = await ServerProcess.start({ node });
  });

  const onThisNode = (program: string) =>
    execFileSync(node, ["-e", program], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, ...settings() },
    });
  const settings = () => ({ TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey });

  it("it is that Node", () => {
    expect(onThisNode("console.log(process.versions.node)").trim()).to.equal(`${OLDEST}.0`);
    expect(readlinkSync(`/proc/${server.pid}/exe`)).to.equal(realpathSync(node));
  });

  it("the client creates, changes, lists and deletes", () => {
    const output = onThisNode(`
      const { Tunnelplane } = require("@tunnelplane/sdk");
      const api = new Tunnelplane({ baseUrl: process.env.TUNNELPLANE_BASE_URL, apiKey: process.env.TUNNELPLANE_API_KEY });
      (async () => {
        const { id } = await api.staticBackends.create({ address: "one.example.com:443" });
        await api.staticBackends.update(id, { description: "changed" });
        for await (const { description } of api.staticBackends.list()) console.log(description);
        await api.staticBackends.delete(id);
        await api.close();
      })();`);
    expect(output.trim()).to.equal("changed");
  });

  it("the provider creates, reads, changes and deletes what a program declares", async () => {
    expect(onThisNode('console.log(typeof require("@tunnelplane/pulumi").StaticBackend)').trim()).to.equal(
      "function",
    );
    let address = "one.example.com:443";
    const program = async () => {
      new tunnels.StaticBackend("one", { address });
    };
    // The engine finds the Node of the provider's process there.
    const engine = await Engine.create({
      program,
      env: { ...settings(), PATH: [dirname(node), process.env.PATH].join(delimiter) },
    });
    expect((await engine.up()).steps.map(({ op }) => op)).to.deep.equal(["create"]);
    address = "two.example.com:443";
    expect((await engine.up({ refresh: true })).steps.map(({ op }) => op)).to.include("update");
    await engine.destroy();
  });
});

describe("On a Node that is too old", () => {
  const older = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find((node) => existsSync(node) && !satisfies(versionOf(node), NEEDED));
  /** If the machine has no older Node, this one pretends to be older. */
  const pretending = join(__dirname, "olderNode.cjs");
  const [node, ...more] = older ? [older] : [process.execPath, "--require", pretending];
  const title = older
    ? `Node ${versionOf(older)}, which is on this machine`
    : "one that says so, because this machine has none";

  for (const entry of ["sdk", "server", "provider"].flatMap(entriesOf))
    it(`${entry} says so in one line, and nothing else (tried on ${title})`, () => {
      const { status, stdout, stderr } = spawnSync(node, [...more, "-e", `require("${entry}")`], {
        cwd: ROOT,
        encoding: "utf8",
      });
      const version = older ? versionOf(older) : "20.20.2";
      expect(stderr).to.equal(
        `tunnelplane needs Node ${OLDEST} or newer; this is Node ${version}: install a newer one, or have npm run a command with one: npx --package node@24 -- tunnelplane …\n`,
      );
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: "" });
    });
});

function versionOf(node: string): string {
  return execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
}

function entriesOf(folder: string): string[] {
  const {
    name,
    exports,
    bin = {},
  }: { name: string; exports: object; bin?: Record<string, string> } = packageOf(folder);
  const imports = Object.keys(exports).filter((path) => !path.endsWith(".json"));
  return [
    ...imports.map((path) => name + path.slice(1)),
    ...Object.values(bin).map((path) => `./${folder}/${path}`),
  ];
}
