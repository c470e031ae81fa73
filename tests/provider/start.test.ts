import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Runs a script as a program of this repository's packages does, and returns what it prints. */
const run = (script: string): string =>
  execFileSync(process.execPath, ["-e", script], { cwd: join(__dirname, "../.."), encoding: "utf8" });

describe("The start of a provider", () => {
  it("loads the kinds that the program declares, and none of the others", () => {
    const loaded = run(
      'require("@tunnelplane/pulumi/dynamic")("ip_policy"); console.log(Object.keys(require.cache).join("\\n"))',
    );
    const types = [...loaded.matchAll(/contract.types.(\w+)\.js$/gm)].map(([, file]) => file);
    expect(types).to.deep.equal(["ipPolicy"]);
  });

  it("loads neither the contract nor a parser of YAML for a program without a catalogue", () => {
    const loaded = run('require("@tunnelplane/pulumi"); console.log(Object.keys(require.cache).join("\\n"))');
    expect(loaded).to.contain(join("provider", "dist", "catalogue", "catalogue.js"));
    expect(loaded).not.to.match(
      /node_modules.(yaml|zod).|sdk.dist.(?!(node(Version)?|client.variables|folders|switches|memory|terminal|unknown)\.js)|dist.catalogue.declare/,
    );
  });

  it("loads no types, because there are none in programs, and no client but Node's own", () => {
    const loaded = run('require("@tunnelplane/sdk"); console.log(Object.keys(require.cache).join("\\n"))');
    expect(loaded).to.match(/sdk.dist.client.transport\.js$/m);
    expect(loaded).not.to.match(
      /node_modules.(undici|zod).|sdk.dist.(contract.(?!core.narrow|observed.kinds|(role|resourceName)\.js)|generated.(?!index))/,
    );
  });
});

describe("A program's mistake that shows while a resource is made", () => {
  it("is reported with the program's own line, although the engine notes a single line of each resource", () => {
    const printed = run(`
      const { IpPolicy } = require("@tunnelplane/pulumi");
      require("@pulumi/pulumi").runtime.setMocks({ newResource: ({ inputs }) => ({ id: "one", state: inputs }), call: () => ({}) });
      function declareOffice() {
        new IpPolicy("");
      }
      try { declareOffice(); } catch (error) { console.log(error.stack); }
    `);
    expect(printed).to.match(/Missing resource name/);
    expect(printed).to.match(/at declareOffice /);
  });
});
