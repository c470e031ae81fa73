import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { delimiter, join } from "node:path";
import { recordedResources, stateBackend } from "../../provider/src/operation/stateBackend";
import { engineEnvironment, makeStack } from "../support/engine";
import { newFolder } from "../support/folder";

const { locateEngine } = require("../../tools/scripts/engine.cjs") as { locateEngine(): string };
const STACK = "organization/tunnels/dev";

describe("The state of a stack", () => {
  const folder = newFolder();
  const file = join(folder, "state/.pulumi/stacks/tunnels/dev.json");
  const before = { ...process.env };
  beforeEach("have a stack, and the engine's command behind a script", async () => {
    makeStack(folder, "dev");
    Object.assign(process.env, await engineEnvironment(folder));
  });
  afterEach(() => {
    process.env.PATH = before.PATH;
  });
  after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });

  function withScript(lines: string): void {
    const script = join(folder, "pulumi");
    writeFileSync(script, `#!/bin/sh\n${lines}\nexec '${join(locateEngine(), "bin/pulumi")}' "$@"\n`);
    chmodSync(script, 0o755);
    process.env.PATH = `${folder}${delimiter}${before.PATH}`;
  }

  it("is read although there is none for a moment, as while the engine writes it", async () => {
    withScript(`if [ -e '${file}' ]; then mv '${file}' '${file}.away'; else mv '${file}.away' '${file}'; fi`);
    expect(await recordedResources(STACK)).to.deep.equal([]);
  });

  it("is the same from another folder or under another path, and is told from others by an id beside it", () => {
    const states = ["one", "two"].map((name) => join(folder, name));
    for (const state of states) mkdirSync(join(state, ".pulumi"), { recursive: true });
    const [first, second] = states as [string, string];
    const backendOf = (url: string) => stateBackend({ PULUMI_BACKEND_URL: url });
    const id = backendOf(`file://${first}`);
    expect(id).to.match(/^[0-9a-f-]{36}$/);
    expect(backendOf(`file://${second}`))
      .to.match(/^[0-9a-f-]{36}$/)
      .and.not.to.equal(id);
    const moved = join(folder, "mounted-elsewhere");
    symlinkSync(first, moved);
    expect(backendOf(`file://${moved}`)).to.equal(id);
    const cwd = process.cwd();
    try {
      process.chdir(folder);
      expect(backendOf("file://./one")).to.equal(id);
    } finally {
      process.chdir(cwd);
    }
    const none = backendOf(`file://${join(folder, "none")}`);
    expect(none, "where no id can be kept").to.contain(hostname());
  });

  it("that does not exist gives the engine's own error", async () => {
    withScript("");
    rmSync(file);
    const failure = await recordedResources(STACK).catch((error: Error) => error.message);
    expect(failure).to.equal("error: no stack named 'organization/tunnels/dev' found");
  });
});
