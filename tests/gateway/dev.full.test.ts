import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ENVOY, needsEnvoy } from "../support/envoy";
import { newFolder } from "../support/folder";
import { GatewayProcess } from "../support/gateway";

const SERVER = join(__dirname, "../../server");
const READY = ". .tunnelplane/dev/env";

describe("tunnelplane-gateway dev", () => {
  before(function () {
    needsEnvoy(this);
  });
  let project: string;
  let running: GatewayProcess;
  const start = (env: Record<string, string> = {}): GatewayProcess => {
    running = GatewayProcess.start(
      ["dev"],
      { TUNNELPLANE_API_KEY: "", TUNNELPLANE_ENVOY: ENVOY as string, ...env },
      project,
    );
    return running;
  };

  const settings = (): Record<string, string> =>
    Object.fromEntries(
      [...readFileSync(join(project, ".tunnelplane/dev/env"), "utf8").matchAll(/(\w+)=(\S+)/g)].map(
        ([, name = "", value = ""]) => [name, value],
      ),
    );

  const caller = async (
    { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: key } = settings(),
  ): Promise<number> =>
    (await fetch(`${url}/caller`, { headers: { authorization: `Bearer ${key}`, "service-version": "2" } }))
      .status;

  beforeEach(() => {
    project = newFolder();
    writeFileSync(join(project, "package.json"), "{}");
    mkdirSync(join(project, "node_modules/@tunnelplane"), { recursive: true });
    symlinkSync(SERVER, join(project, "node_modules/@tunnelplane/server"));
  });
  afterEach(() => running?.stop());

  it("starts a server, a gateway and an app, keeps their key private, and ends all of them", async () => {
    await start().printed(READY);
    const first = settings();
    expect(await caller()).to.equal(200);
    expect(
      await (await fetch(`http://${first.TUNNELPLANE_DEV_APP}/.tunnelplane/dev/api-key`)).text(),
    ).to.equal("hello from behind the tunnel\n");
    for (const file of ["env", "api-key"])
      expect(statSync(join(project, ".tunnelplane/dev", file)).mode & 0o077).to.equal(0);
    expect(await running.stop("SIGINT")).to.equal(0);
    for (const url of [first.TUNNELPLANE_BASE_URL, `http://${first.TUNNELPLANE_DEV_APP}`])
      expect(await fetch(url as string).catch(() => "nobody listens")).to.equal("nobody listens");
  });

  it("gives another terminal the programs of its own, and a state for Pulumi that needs no account; in a project, says how to get Pulumi", async () => {
    writeFileSync(join(project, "Pulumi.yaml"), "");
    const [PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE] = [undefined, undefined];
    await start({ PATH: "/usr/bin:/bin", PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE } as never).printed(
      READY,
    );
    const shown = execFileSync(
      "/bin/sh",
      [
        "-c",
        `{ ${READY} 2>&1 || command -v node; } && echo "$PULUMI_BACKEND_URL" && cat "$PULUMI_CONFIG_PASSPHRASE_FILE"`,
      ],
      { cwd: project, env: { PATH: "/usr/bin:/bin" }, encoding: "utf8" },
    );
    const [advice, node, backend, passphrase] = shown.split("\n");
    expect(advice).to.contain("there is no pulumi on the PATH; this installs it: ");
    expect(node).to.equal(process.execPath);
    expect(backend).to.equal(`file://${join(realpathSync(project), ".tunnelplane/dev/stacks")}`);
    expect(passphrase).to.match(/^[\w-]{32}$/);
    expect(settings().TUNNELPLANE_DEV_HTTPS).to.match(/^127\.0\.0\.1:\d+$/);
  });

  it("starts again with the data and the key of before, at another port where that is taken", async () => {
    await start().printed(READY);
    const first = settings();
    await running.stop();
    const port = Number(new URL(first.TUNNELPLANE_BASE_URL as string).port);
    const taken = createServer().listen(port, "127.0.0.1");
    try {
      await start().printed(READY);
      expect(settings().TUNNELPLANE_API_KEY).to.equal(first.TUNNELPLANE_API_KEY);
      expect(settings().TUNNELPLANE_BASE_URL).not.to.equal(first.TUNNELPLANE_BASE_URL);
      expect(await caller()).to.equal(200);
      await running.stop();
      expect(await start({ TUNNELPLANE_API_KEY: "tpk_of-another-server" }).ended()).to.equal(1);
      expect(running.log).to.contain("unset TUNNELPLANE_API_KEY");
    } finally {
      taken.close();
    }
  });

  it("ends with the cause when one of its programs cannot go on, and where the project has no server", async () => {
    expect(await start({ TUNNELPLANE_RATE_LIMIT: "many" }).ended()).to.equal(1);
    expect(running.log).to.contain("the server ended").and.to.contain("TUNNELPLANE_RATE_LIMIT");
    rmSync(join(project, "node_modules"), { recursive: true });
    expect(await start().ended()).to.equal(1);
    expect(running.log).to.contain("run npx tunnelplane dev, of the package tunnelplane, which has one");
  });
});
