import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { ENVOY, needsEnvoy } from "../support/envoy";
import { GatewayProcess } from "../support/gateway";
import { Packed, publishedPackages } from "../support/packed";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";

const ROOT = join(__dirname, "../..");
type Platform = { readonly arch: "x64" | "arm64"; readonly node: string };
const { makeCommand } = require("../../tools/scripts/executable.cjs") as {
  makeCommand(tarball: string, out: string, version: string, platform?: Platform): Promise<string>;
};
const { makeDebianPackage } = require("../../tools/scripts/debian.cjs") as {
  makeDebianPackage(tarball: string, out: string, version: string, platform?: Platform): string;
};
const { fetchPlatform, HERE } = require("../../tools/scripts/platforms.cjs") as {
  fetchPlatform(arch: string, folder: string): Platform;
  readonly HERE: Platform;
};
/** Of an ELF header: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html */
const MACHINES = { x64: 62, arm64: 183 };
const BIN = join(ROOT, "node_modules/.bin");
const APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30";
const CHANGELOG = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");

describe("The published package", () => {
  let packed: Packed;
  before("pack all packages", () => {
    packed = Packed.make();
  });

  for (const { folder, manifest } of publishedPackages()) {
    describe(manifest.name, () => {
      let content: string;
      before("unpack it", () => {
        content = join(packed.folder, folder);
        mkdirSync(content);
        execFileSync("tar", ["xzf", packed.tarball(manifest.name), "-C", content, "--strip-components=1"]);
      });

      it("holds a README, the changelog, and the licence in its standard text", () => {
        const sha256 = createHash("sha256")
          .update(readFileSync(join(content, "LICENSE")))
          .digest("hex");
        expect(sha256).to.equal(APACHE);
        expect(readFileSync(join(content, "README.md"), "utf8")).to.contain(`# ${manifest.name}\n`);
        expect(readFileSync(join(content, "CHANGELOG.md"), "utf8")).to.equal(CHANGELOG);
      });

      it("holds the sources that its source maps name", () => {
        const maps = readdirSync(content, { recursive: true, encoding: "utf8" }).filter((file) =>
          file.endsWith(".map"),
        );
        const missing = maps.flatMap((file) => {
          const { sources, sourceRoot = "" } = JSON.parse(readFileSync(join(content, file), "utf8")) as {
            sources: string[];
            sourceRoot?: string;
          };
          return sources
            .map((source) => join(content, dirname(file), sourceRoot, source))
            .filter((source) => !existsSync(source));
        });
        expect(missing).to.deep.equal([]);
        if (existsSync(join(content, "dist"))) expect(maps).not.to.have.length(0);
      });

      it("holds neither tests nor what the build keeps for itself", () => {
        const files = readdirSync(content, { recursive: true, encoding: "utf8" });
        expect(
          files.filter((file) => /\.test\.|\.tsbuildinfo$|node_modules|(^|\/)\.env/.test(file)),
        ).to.deep.equal([]);
      });

      it("says where it comes from, and is published with its provenance", () => {
        expect(manifest.repository).to.include({ type: "git", directory: folder });
        for (const field of ["description", "homepage", "bugs", "license"])
          expect(manifest[field], field).to.be.a("string");
        expect(manifest.keywords).to.be.an("array").with.length.above(2);
        expect(manifest.publishConfig).to.deep.equal({ access: "public", provenance: true });
        expect(CHANGELOG).to.contain(`\n## [${manifest.version}] - `);
      });

      for (const tool of ["publint", "attw"])
        it(`passes ${tool}`, () => {
          const { status, stdout, stderr } = spawnSync(join(BIN, tool), [packed.tarball(manifest.name)], {
            encoding: "utf8",
          });
          expect(status, stdout + stderr).to.equal(0);
        });
    });
  }
});

describe("The package tunnelplane, installed alone from its tarball", () => {
  let folder: string;
  let command: string;
  let tarball: string;
  before("install it in an empty folder", () => {
    const packed = Packed.make(["tunnelplane"]);
    folder = join(packed.folder, "alone");
    mkdirSync(folder);
    tarball = packed.tarball("tunnelplane");
    const install = ["install", "--no-audit", "--no-fund", "--offline", tarball];
    execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
    command = join(folder, "node_modules/.bin/tunnelplane");
  });

  it("is one package of at most 45 MB, without dependencies and install scripts", () => {
    const modules = join(folder, "node_modules");
    expect(readdirSync(modules).filter((name) => !name.startsWith("."))).to.deep.equal(["tunnelplane"]);
    const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect(bytes).to.be.below(45_000_000);
    const { scripts } = JSON.parse(readFileSync(join(modules, "tunnelplane/package.json"), "utf8"));
    expect(Object.keys(scripts)).to.deep.equal(["prepack"]);
  });

  it("leads from nothing to curl through a tunnel with dev, which ends all that it started", async function () {
    needsEnvoy(this);
    const env = { TUNNELPLANE_API_KEY: "", TUNNELPLANE_ENVOY: ENVOY as string };
    const running = GatewayProcess.start(["dev"], env, folder, command);
    try {
      await running.printed(". .tunnelplane/dev/env");
      const [, line = ""] = /^ {2}(curl .*)$/m.exec(running.out) ?? [];
      expect(execFileSync("sh", ["-c", line], { cwd: folder, encoding: "utf8" })).to.equal(
        "hello from behind the tunnel\n",
      );
      const [console = ""] = /http:\S+\/console/.exec(running.out) ?? [];
      expect((await fetch(console)).status).to.equal(200);
      expect(await running.stop("SIGINT")).to.equal(0);
      expect(await fetch(console).catch(() => "nobody listens")).to.equal("nobody listens");
    } finally {
      await running.stop();
    }
  });

  it("reviews, asks and adopts without @pulumi/pulumi, and starts a project from what it brings along", async () => {
    const server = await ServerProcess.start();
    const rest = new Rest(server.url, server.apiKey);
    const { body: edge } = await rest.post("/edges/tls", { hostports: ["app.example.com:443"] });
    const preview = join(folder, "preview.json");
    writeFileSync(preview, JSON.stringify({ steps: [], changeSummary: {} }));
    const run = (...args: string[]) =>
      spawnSync(command, args, {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey },
      });
    const question = ["--from", "198.51.100.7", "GET", "https://app.example.com/"];
    expect(run("ask", ...question).stdout).to.contain("app.example.com");
    expect(run("ask", "--preview", preview, ...question).stdout).to.contain("app.example.com");
    expect(run("review", preview).status).to.equal(0);
    expect(run("adopt", "--out", "adopted").stdout).to.contain(edge.id);
    expect(run("new", "ours").status).to.equal(0);
    const [node, env] = [process.execPath, { PATH: "/nowhere" }];
    const withoutNpm = spawnSync(node, [command, "new", "theirs"], { cwd: folder, encoding: "utf8", env });
    expect(withoutNpm.stderr).to.match(/^tunnelplane: there is no npm on the PATH.*https:.*\n$/);
    for (const project of ["adopted", "ours"])
      expect(readdirSync(join(folder, project, "packages"))).to.satisfy((files: string[]) =>
        files.some((file) => file.startsWith("tunnelplane-pulumi-")),
      );
    expect(existsSync(join(folder, "node_modules/@pulumi"))).to.equal(false);
  });

  it("is a Debian package too: installed, started by its unit's command, upgraded, removed and purged", async function () {
    if (spawnSync("dpkg", ["--version"]).status !== 0 || process.getuid?.() !== 0) {
      console.log("      skipped: it needs dpkg, and root for a root folder of its own");
      return this.skip();
    }
    const root = join(folder, "root");
    for (const path of ["info", "updates"]) mkdirSync(join(root, "var/lib/dpkg", path), { recursive: true });
    writeFileSync(join(root, "var/lib/dpkg/status"), "");
    const dpkg = (...args: string[]): string =>
      execFileSync(
        "dpkg",
        [`--root=${root}`, "--force-script-chrootless", "--force-depends", "--log=/dev/null", ...args],
        { encoding: "utf8", stdio: "pipe" },
      );
    const [first = "", second = ""] = ["0.1.0", "0.1.1"].map((version) =>
      makeDebianPackage(tarball, folder, version),
    );
    expect(dpkg("--install", first)).to.contain("Next: systemctl enable --now tunnelplane");
    const unit = readFileSync(join(root, "usr/lib/systemd/system/tunnelplane.service"), "utf8");
    expect(unit).not.to.match(/\/usr\/bin\/node|\/opt\//);
    const [, ...args] = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "").split(" ");
    const program = join(root, "usr/bin/tunnelplane");
    const data = join(root, "var/lib/tunnelplane");
    const users = () =>
      [...readFileSync(join(root, "etc/passwd"), "utf8").matchAll(/^(.*?):.*?:(\d+):(\d+):.*nologin$/gm)].map(
        ([, name = "", uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }),
      );
    expect(users().map(({ name }) => name)).to.deep.equal(["tunnelplane", "tunnelplane-gateway"]);
    for (const { name, uid, gid } of users()) {
      const unitOf = readFileSync(join(root, `usr/lib/systemd/system/${name}.service`), "utf8");
      expect(unitOf).to.contain(`\nUser=${name}\n`).and.not.to.contain("DynamicUser");
      expect(statSync(join(root, "var/lib", name))).to.include({ uid, gid, mode: 0o40700 });
    }
    const { uid, gid } = users()[0] ?? {};
    chmodSync(join(folder, ".."), 0o755);
    await asked(program, args, { TUNNELPLANE_DATA: data }, { uid, gid }, "/readyz");
    const env = { PATH: "/usr/bin:/bin" };
    const homeless = spawnSync(program, ["list", "tls-edges"], { uid, gid, env, encoding: "utf8" });
    expect(homeless.stderr, "of a user without a home").to.contain("there is no API key");
    const { ino } = statSync(join(data, "tunnelplane.db"));
    expect(dpkg("--install", second)).not.to.contain("Next:");
    const kept = { ino, uid, gid };
    expect(statSync(join(data, "tunnelplane.db")), "an upgrade keeps data and user").to.include(kept);
    expect(execFileSync(program, ["--version"], { encoding: "utf8" })).to.match(/^\d/);
    dpkg("--remove", "tunnelplane");
    expect([existsSync(program), existsSync(data)], "a removal keeps the data").to.deep.equal([false, true]);
    dpkg("--purge", "tunnelplane");
    expect([existsSync(data), existsSync(join(root, "etc/tunnelplane"))]).to.deep.equal([false, false]);
    expect(users()).to.deep.equal([]);
  });

  it("is one executable too, which needs no Node: workers and pages are inside", async () => {
    const executable = await makeCommand(tarball, folder, "0.1.0");
    const env = { XDG_CACHE_HOME: join(folder, "cache"), TUNNELPLANE_DATA: join(folder, "of-one") };
    await asked(executable, ["serve"], env, {}, "/console", "/openapi.json");
    writeFileSync(join(folder, "a-file"), "");
    for (const cache of [join(folder, "a-file"), "/proc/x"]) {
      const { status, stderr } = spawnSync(executable, ["--version"], {
        encoding: "utf8",
        env: { XDG_CACHE_HOME: cache },
      });
      expect(status).to.equal(1);
      expect(stderr).to.match(/^tunnelplane: the folder .* cannot be made .*export XDG_CACHE_HOME=.*\n$/);
    }
  });

  it("is made for the other architecture too, which nobody has run here", async function () {
    if (process.platform !== "linux") return this.skip();
    const nodes = join(ROOT, "node_modules/.tunnelplane/nodes");
    for (const platform of [HERE, fetchPlatform(HERE.arch === "arm64" ? "x64" : "arm64", nodes)]) {
      const executable = readFileSync(await makeCommand(tarball, folder, "0.1.0", platform));
      expect(executable.readUInt16LE(18)).to.equal(MACHINES[platform.arch]);
      expect(executable.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1")).to.equal(true);
      expect(executable.includes('gunzipSync(Buffer.from(require("node:sea")')).to.equal(true);
    }
  });

  /** Starts a server without anything else on the PATH, and asks for each of these. */
  async function asked(
    program: string,
    args: readonly string[],
    env: object,
    user: { readonly uid?: number; readonly gid?: number },
    ...paths: string[]
  ): Promise<void> {
    const server = spawn(program, args, {
      ...user,
      env: { TUNNELPLANE_LISTEN: "127.0.0.1:0", PATH: "/usr/bin:/bin", ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      let url: string | undefined;
      for await (const line of createInterface(server.stdout)) {
        url ??= /listens on (http:\S+),/.exec(line)?.[1];
        if (url) break;
      }
      for (const path of paths) expect((await fetch(`${url}${path}`)).status, path).to.equal(200);
    } finally {
      server.kill();
    }
  }
});
