import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Engine } from "../support/engine";
import { newFolder } from "../support/folder";
import { changesOf, failureOf, World } from "../support/provider";

const PACKAGES = join(__dirname, "../../node_modules");

/** A package of one's own that declares edges for projects, so that those depend on it alone. */
const WRAPPER = `
const tunnels = require("@tunnelplane/pulumi");
exports.declareEdges = () => new tunnels.TlsEdge("app", { hostports: ["app.example.com:443"] });
`;

/** Where pnpm has the wrapper: each package sees what it declares, the project the wrapper and Pulumi. */
const WRAPPER_AT = ".pnpm/@acme+edges@1.0.0/node_modules/@acme/edges";

describe("A project that has this package only through another one", () => {
  const world = new World();
  /** A project of pnpm with the program of a user who knows the wrapper, and names packages besides. */
  function project(...named: readonly string[]): string {
    const folder = newFolder();
    const link = (target: string, path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
    };
    const own = join(folder, "node_modules", WRAPPER_AT);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "index.js"), WRAPPER);
    for (const name of named) link(join(PACKAGES, name), join(folder, "node_modules", name));
    link(own, join(folder, "node_modules/@acme/edges"));
    link(join(PACKAGES, "@tunnelplane/pulumi"), join(own, "../../@tunnelplane/pulumi"));
    writeFileSync(join(folder, "package.json"), '{ "name": "project", "main": "index.js" }\n');
    return folder;
  }

  /** A stack of the project, whose program runs in the project's folder, as under Pulumi's own host. */
  async function stackIn(folder: string): Promise<Engine> {
    const program = async () => {
      createRequire(join(folder, "index.js"))("@acme/edges").declareEdges();
    };
    const stack = await world.stack(await world.server(), program);
    stack.usePackages(join(folder, "node_modules"));
    return stack;
  }

  async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
    const before = process.cwd();
    process.chdir(folder);
    process.env.PULUMI_NODEJS_ROOT_DIRECTORY = folder;
    try {
      return await run();
    } finally {
      process.chdir(before);
      delete process.env.PULUMI_NODEJS_ROOT_DIRECTORY;
    }
  }

  it("fails in the preview, before anything is declared, if pnpm hides this package, and is asked to add it", async () => {
    const folder = project("@pulumi/pulumi");
    const stack = await stackIn(folder);
    const message = await failureOf(inFolder(folder, () => stack.preview()));
    expect(message)
      .to.contain(`@tunnelplane/pulumi cannot be loaded from ${folder}`)
      .and.to.contain("pnpm add @tunnelplane/pulumi@");
    expect(message).not.to.match(/\n\s+at /);
  });

  it("works with the cure: the project names this package too", async () => {
    const folder = project("@pulumi/pulumi", "@tunnelplane/pulumi");
    const stack = await stackIn(folder);
    expect(changesOf(await inFolder(folder, () => stack.up()))).to.deep.equal(["create app"]);
    expect(changesOf(await stack.destroy())).to.deep.equal(["delete app"]);
  });
});
