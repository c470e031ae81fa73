import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Engine } from "../support/engine";
import { changesOf, failureOf, World } from "../support/provider";

const ROOT = join(__dirname, "../..");

describe("examples/catalogue", () => {
  const world = new World();
  const startedIn = process.cwd();
  let folder: string;
  let stack: Engine;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "tunnelplane-example-"));
    cpSync(join(ROOT, "examples/catalogue"), folder, { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    process.chdir(folder); // as Pulumi runs programs
    stack = await world.stack(await world.server(), async () => {
      delete require.cache[require.resolve(join(folder, "index.ts"))];
      return require(join(folder, "index.ts"));
    });
  });
  after(async () => {
    process.chdir(startedIn);
    await world.close();
    rmSync(folder, { recursive: true });
  });

  /** Edits the catalogue of the copy; what is to be edited must be there. */
  const edit = (from: string, to: string): void => {
    const file = join(folder, "tunnels.yaml");
    const text = readFileSync(file, "utf8");
    expect(text).to.contain(from);
    writeFileSync(file, text.replace(from, to));
  };

  it("declares what it lists, and outputs the authtoken as a secret", async () => {
    const { steps } = await stack.up();
    expect(steps.map(({ op, name }) => `${op} ${name}`)).to.have.members(
      ["clients", "office", "berlin", "web", "app", "agent"].map((name) => `create ${name}`),
    );
    const { authtoken } = stack.outputs();
    expect(authtoken?.secret).to.equal(true);
    expect(authtoken?.value).to.match(/^tpt_/);
    expect(changesOf(await stack.preview())).to.deep.equal([]);
  });

  it("previews another TLS version as the update of that property", async () => {
    edit('minVersion: "1.3"', 'minVersion: "1.2"');
    expect(changesOf(await stack.up())).to.deep.equal(["update app tlsTermination.minVersion"]);
  });

  it("replaces the authority whose certificate file is another, and moves the edge to the new one", async () => {
    edit("clients-ca-2026.pem", "clients-ca-2027.pem");
    expect(changesOf(await stack.up())).to.deep.equal([
      "create-replacement clients caPem",
      "replace clients caPem",
      "update app mutualTls.certificateAuthorityIds[0]",
      "delete-replaced clients",
    ]);
  });

  it("refuses a mistake with its line, and leaves everything as it is", async () => {
    edit("backendId: web", "backendId: wep");
    const message = await failureOf(stack.up());
    expect(message).to.contain(
      'tunnels.yaml:26:27 tlsEdges.app.backend.backendId names "wep", but no entry of tunnelGroupBackends or',
    );
    expect(message).to.contain('has that name; did you mean "web"?');
    edit("backendId: wep", "backendId: web");
    expect(changesOf(await stack.preview())).to.deep.equal([]);
  });
});
