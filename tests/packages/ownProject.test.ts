import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { commandsIn, linesPrinted, type Shell, typed } from "../support/literally";
import { Packed } from "../support/packed";
import { ServerProcess } from "../support/server";

const { locateEngine } = require("../../scripts/engine.cjs") as { locateEngine(): string | undefined };
const { licencesIn, sbomOf, unacceptedIn } = require("../../scripts/licences.cjs") as {
  sbomOf(folder: string): unknown;
  licencesIn(sbom: unknown): { name: string; licence: string }[];
  unacceptedIn(licences: unknown): unknown[];
};

/** The template's choices: how modules are written, and who runs TypeScript. */
const CHOICES = {
  "an ES module that ts-node runs": ["--ts-node"],
  "CommonJS that Node runs": ["--commonjs"],
  "CommonJS that ts-node runs": ["--commonjs", "--ts-node"],
};

describe("A project of one's own, outside of the repository, from packed tarballs", () => {
  let packed: Packed;
  let server: ServerProcess;
  /** The project whose packages were installed; the others borrow them. */
  let first: string;

  before("pack, create a project as npm create does, and install it", async () => {
    packed = Packed.make();
    first = join(packed.folder, "first");
    const create = `npm exec --yes --package="${packed.tarball("create-tunnelplane")}" -- create-tunnelplane first --ts-node --packages tarballs`;
    const told = await typed([create], { folder: packed.folder, env: {} });
    expect(told).to.contain("cd first\n  npm install");
    await typed(["npm install --no-audit --no-fund --loglevel=error"], { folder: first, env: {} });
    server = await ServerProcess.start();
  });
  after(async () => {
    await server?.stop();
    packed?.remove();
  });

  /** A shell of somebody who did what the set-up told, with a Pulumi home of their own. */
  function shellIn(folder: string): Shell {
    const home = join(packed.folder, "homes", basename(folder));
    mkdirSync(join(home, "state"), { recursive: true });
    const folders = [join(locateEngine() ?? "", "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"];
    return {
      folder,
      env: {
        HOME: home,
        PULUMI_HOME: home,
        // "pulumi login --local" means the home of the user who runs it, whatever HOME says.
        PULUMI_BACKEND_URL: `file://${join(home, "state")}`,
        PATH: folders.join(delimiter),
        TUNNELPLANE_BASE_URL: server.url,
        PULUMI_SKIP_CONFIRMATIONS: "true",
        PULUMI_SKIP_UPDATE_CHECK: "1",
        PULUMI_SKIP_CHECKPOINTS: "true",
      },
      replace: { "tpk_…": server.apiKey, "PASSPHRASE=…": "PASSPHRASE=something" },
    };
  }

  /** A project that is created with the options given, and uses the packages of the first. */
  async function project(name: string, ...options: string[]): Promise<string> {
    const folder = join(packed.folder, name);
    const create = join(packed.folder, "create", "create.cjs");
    if (!existsSync(create)) {
      mkdirSync(dirname(create));
      await typed([`tar xzf "${packed.tarball("create-tunnelplane")}" -C create --strip-components=1`], { folder: packed.folder, env: {} });
    }
    await typed([`node "${create}" ${name} ${options.join(" ")} --packages tarballs`], { folder: packed.folder, env: {} });
    symlinkSync(join(first, "node_modules"), join(folder, "node_modules"));
    return folder;
  }

  /** What a README has its reader type after the server was started, once it is installed. */
  const afterInstalling = (folder: string) =>
    commandsIn(join(folder, "README.md")).filter((line) => !/^(npm (install|run serve)|npx tunnelplane serve)$/.test(line));

  /** The same up to the first preview, which runs the whole program. */
  const untilPreview = (folder: string) => {
    const commands = afterInstalling(folder);
    return commands.slice(0, commands.findIndex((line) => line.startsWith("pulumi preview")) + 1);
  };

  it("reaches its first tunnel by its README", async () => {
    const folder = await project("own");
    const printed = await typed(["npx tsc", ...afterInstalling(folder), "pulumi preview --diff", "pulumi destroy"], shellIn(folder));
    expect(printed).to.contain("+ 4 created").and.to.contain("4 unchanged").and.to.contain("- 4 deleted");
  });

  for (const [title, options] of Object.entries(CHOICES))
    it(`runs as ${title}`, async () => {
      const folder = await project(title.toLowerCase().replaceAll(/\W+/g, "-"), ...options);
      expect(await typed(["npx tsc", ...untilPreview(folder)], shellIn(folder))).to.contain("+ 4 to create");
    });

  it("goes the whole tutorial, and sees what the tutorial says", async () => {
    const folder = await project("my-tunnels");
    const page = join(__dirname, "../../docs/tutorial.md");
    // What was done already: the project, the packages, the server.
    const done = /^(npm (create|install)|cd |npx tunnelplane serve$)/;
    const printed = await typed(
      commandsIn(page).filter((line) => !done.test(line)),
      shellIn(folder),
    );
    let rest = printed;
    for (const line of linesPrinted(page)) {
      const at = rest.indexOf(line);
      expect(at, `"${line}" stands in the tutorial, and was not printed there:\n${printed}`).to.be.at.least(0);
      rest = rest.slice(at + line.length);
    }
  });

  it("is told of a mistake in its program, with the place and the cure, before anything is made", async () => {
    const folder = await project("mistaken");
    const program = join(folder, "index.ts");
    writeFileSync(program, readFileSync(program, "utf8").replace('"bind:service=web"', '"bind:"'));
    const failure = await typed(untilPreview(folder), shellIn(folder)).catch(({ message }) => message as string);
    expect(failure)
      .to.contain('acl[0] "bind:" does not say what may be bound: expected')
      .and.not.to.match(/\n\s+at .*dist/);
  });

  it("installs and runs with pnpm", async () => {
    const folder = join(packed.folder, "with-pnpm");
    cpSync(first, folder, { recursive: true, filter: (path) => !path.includes("node_modules") && !path.endsWith("package-lock.json") });
    const pnpm = "npm exec --yes --package=pnpm@10 -- pnpm";
    await typed([`${pnpm} install --ignore-scripts --silent`], { folder, env: {} });
    expect(await typed(untilPreview(folder), shellIn(folder))).to.contain("+ 4 to create");
  });

  it("begins from the same folder with pulumi new", async () => {
    const folder = join(packed.folder, "by-pulumi");
    mkdirSync(folder);
    const template = join(packed.folder, "create", "template");
    await typed(
      [`pulumi login --local`, `pulumi new "${template}" --name by-pulumi --description "Ours" --generate-only --yes`],
      shellIn(folder),
    );
    expect(readFileSync(join(folder, "Pulumi.yaml"), "utf8")).to.contain("name: by-pulumi\ndescription: Ours\n");
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).to.include({ name: "by-pulumi", type: "module" });
  });

  /** Where an example's README says "as the quickstart", and what its reader sees then. */
  const EXAMPLES: Readonly<Record<string, { by?: "quickstart"; says: string }>> = {
    catalogue: { says: "+ 7 to create" },
    "event-pipeline": { by: "quickstart", says: " to create" },
    "mutual-tls": { by: "quickstart", says: " to create" },
    quickstart: { says: "+ 7 created" },
    "ssh-access": { says: " created" },
  };

  it("has every example", () => {
    const { examples } = require("../../create-tunnelplane/project.cjs") as { examples(): string[] };
    // The plugin of @pulumi/random, which https-sign-in uses, is in no package registry; tests/examples runs its program.
    // That of first-tunnel needs a gateway; tests of it follow its README in the repository.
    expect([...Object.keys(EXAMPLES), "https-sign-in", "first-tunnel"]).to.include.members(examples());
  });

  for (const [example, { by, says }] of Object.entries(EXAMPLES))
    it(`runs the example ${example} by its README`, async () => {
      const folder = await project(example, "--example", example);
      // The catalogue declares what the quickstart has made: on one server, it can be previewed beside it.
      const commands =
        by || example === "catalogue" ? untilPreview(by ? join(packed.folder, "create/examples", by) : folder) : afterInstalling(folder);
      expect(await typed(commands, shellIn(folder))).to.contain(says);
    });

  it("is made of packages whose licences were accepted, and has an SBOM", () => {
    const licences = licencesIn(sbomOf(first));
    expect(licences.map(({ name }) => name)).to.include.members(["@tunnelplane/sdk", "@tunnelplane/server", "zod", "undici"]);
    expect(unacceptedIn(licences)).to.deep.equal([]);
  });
});
