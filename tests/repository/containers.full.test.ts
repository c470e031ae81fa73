import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { newFolder } from "../support/folder";
import { Packed } from "../support/packed";
import { freePort } from "../support/ports";
import { LIMIT_MS } from "../support/size";

const ROOT = join(__dirname, "../..");
const { makeDebianPackage } = require("../../tools/scripts/debian.cjs") as {
  makeDebianPackage(tarball: string, out: string, version: string): string;
};
const { makeImage } = require("../../tools/scripts/image.cjs") as {
  makeImage(ours: string, out: string, version: string, downloads?: string): string;
};
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** What a container runtime does: a root that is read only, all rights dropped, the caller as user 1000. */
const RUN = `set -e
root=$1 state=$2 folder=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for name in data state; do mount --bind "$state" "$root/$name"; done
mount -o remount,bind,ro "$root"
exec unshare --user --map-user=1000 --map-group=1000 --root="$root" --wd="$folder" "$@"`;
const UNSHARE = ["--user", "--map-root-user", "--mount", "--pid", "--kill-child"];

interface Config {
  readonly config: {
    readonly [field: string]: unknown;
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Env: readonly string[];
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}
type Blob = { readonly digest: string };

/** Unpacks an image of one layer, and sees that each part is the one that is named. */
function unpacked(image: string, folder: string): { root: string; config: Config["config"]; loads: unknown } {
  const [layout, root] = [join(folder, "layout"), join(folder, "root")];
  for (const path of [layout, root]) mkdirSync(path);
  execFileSync("tar", ["-xf", image, "-C", layout]);
  const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const json = (bytes: Buffer) => JSON.parse(bytes.toString());
  const blob = ({ digest }: Blob): Buffer => {
    const bytes = readFileSync(join(layout, "blobs", digest.replace(":", "/")));
    expect(digestOf(bytes)).to.equal(digest);
    return bytes;
  };
  const { manifests } = json(readFileSync(join(layout, "index.json"))) as { manifests: [Blob] };
  const manifest = json(blob(manifests[0])) as { config: Blob; layers: [Blob] };
  const { config, rootfs } = json(blob(manifest.config)) as Config;
  const layer = gunzipSync(blob(manifest.layers[0]));
  expect(rootfs.diff_ids).to.deep.equal([digestOf(layer)]);
  execFileSync("tar", ["-x", "--no-same-owner", "-C", root], { input: layer });
  return { root, config, loads: json(readFileSync(join(layout, "manifest.json"))) };
}

describe("The container image", () => {
  let image: ReturnType<typeof unpacked>;
  let state: string;
  const container = (
    args: readonly string[],
    env: Record<string, string> = {},
    folder = "/",
  ): [string[], NodeJS.ProcessEnv] => {
    const given = image.config.Env.map((setting) => setting.split("=") as [string, string]);
    return [
      [...UNSHARE, "sh", "-c", RUN, "sh", image.root, state, folder, ...args],
      { ...Object.fromEntries(given), ...env },
    ];
  };
  before(function () {
    this.timeout(LIMIT_MS);
    const missing = [
      ["apt-get", "--version"],
      ["dpkg-deb", "--version"],
      ["unshare", ...UNSHARE, "true"],
    ].filter(([program = "", ...args]) => spawnSync(program, args).status !== 0);
    if (missing.length > 0) {
      console.log(`      skipped: it needs ${missing.map((words) => words.join(" ")).join(", ")}`);
      return this.skip();
    }
    const packed = Packed.make(["tunnelplane"]);
    const ours = makeDebianPackage(packed.tarball("tunnelplane"), packed.folder, version);
    const downloads = join(ROOT, "node_modules/.tunnelplane/debian");
    image = unpacked(makeImage(ours, packed.folder, version, downloads), packed.folder);
    state = newFolder();
  });
  const ran = (args: readonly string[], given?: Record<string, string>) => {
    const [words, env] = container(args, given);
    return spawnSync("unshare", words, { env, encoding: "utf8", timeout: LIMIT_MS });
  };
  const lineOf = async (child: ChildProcess, wanted: RegExp): Promise<string> => {
    for await (const line of createInterface(child.stdout as NodeJS.ReadableStream))
      if (wanted.test(line)) return line;
    throw new Error(`it ended before it said ${wanted}`);
  };

  /** `unshare` takes no other signal while it waits, and ends all of its container with itself. */
  const ended = async (container: ChildProcess): Promise<void> => {
    if (container.kill("SIGKILL")) await once(container, "exit");
  };

  it("serves in a container of its user without rights and a root that is read only, and its health check says so", async () => {
    const env = { TUNNELPLANE_LISTEN: `127.0.0.1:${await freePort()}` };
    const [kind, ...check] = image.config.Healthcheck.Test;
    expect(kind).to.equal("CMD");
    expect(ran(check, env).status, "nothing serves yet").not.to.equal(0);
    const [words, all] = container([...image.config.Entrypoint, ...image.config.Cmd], env);
    const server = spawn("unshare", words, { env: all, stdio: ["ignore", "pipe", "ignore"] });
    try {
      await lineOf(server, /listens on http/);
      expect((await fetch(`http://${env.TUNNELPLANE_LISTEN}/console`)).status).to.equal(200);
      expect(ran(check, env).status).to.equal(0);
    } finally {
      await ended(server);
    }
  });

  it("has all that dev needs: its user leads a caller through a tunnel, and nothing is fetched", async () => {
    expect(image.config.Env).to.include("TUNNELPLANE_DEV_HOST=0.0.0.0");
    const env = { TUNNELPLANE_DEV_HOST: "127.0.0.1" };
    const [words, all] = container([...image.config.Entrypoint, "dev"], env, "/data");
    const dev = spawn("unshare", words, { env: all, stdio: ["ignore", "pipe", "ignore"] });
    try {
      const curl = await lineOf(dev, /curl --cacert/);
      expect(execFileSync("sh", ["-c", curl], { cwd: state, encoding: "utf8", stdio: "pipe" })).to.equal(
        "hello from behind the tunnel\n",
      );
    } finally {
      await ended(dev);
    }
  });

  it("is the gateway of Compose too, which is healthy once Envoy has what it begins with, and that Envoy", async () => {
    const { gateway, envoy } = parse(readFileSync(join(ROOT, "deploy/compose.yaml"), "utf8")).services;
    const check = gateway.healthcheck.test.slice(1) as string[];
    expect(ran(check).status, "nothing is written yet").not.to.equal(0);
    const env = {
      TUNNELPLANE_API_KEY: "key",
      TUNNELPLANE_BASE_URL: "http://127.0.0.1:1",
      TUNNELPLANE_GATEWAY_METRICS: `127.0.0.1:${await freePort()}`,
    };
    const ssh = `127.0.0.1:${await freePort()}`;
    const command = (gateway.command as string[]).map((word) => (word === "0.0.0.0:2222" ? ssh : word));
    const [words, all] = container([...image.config.Entrypoint, ...command], env);
    const running = spawn("unshare", words, { env: all, stdio: "ignore" });
    try {
      while (ran(check).status !== 0) {
        await sleep(50);
        expect(running.exitCode).to.equal(null);
      }
      expect(ran([...envoy.entrypoint, ...envoy.command, "--mode", "validate"]).status).to.equal(0);
    } finally {
      await ended(running);
    }
  });

  it("lets its user write to its own folders alone, and has no shell to offer", () => {
    const script = `
      const tried = (path) => { try { fs.writeFileSync(path, ""); return "written" } catch ({ code }) { return code } };
      const shell = child_process.spawnSync("/bin/sh").error?.code;
      const rights = /CapEff:\\t(\\w+)/.exec(fs.readFileSync("/proc/self/status"))[1];
      console.log(JSON.stringify([process.getuid(), rights, shell, ["/x", "/usr/bin/x", "/data/x", "/state/x", "/tmp/x"].map(tried)]))`;
    expect(JSON.parse(ran(["/usr/lib/tunnelplane/node", "-e", script]).stdout)).to.deep.equal([
      1000,
      "0000000000000000",
      "ENOENT",
      ["EROFS", "EROFS", "written", "written", "written"],
    ]);
    expect(image.config).to.deep.include({ User: "1000:1000", Volumes: { "/data": {} } });
  });

  it("is loaded under the name that Compose starts, and names the packages that it is made of", () => {
    expect(image.loads)
      .to.have.nested.property("[0].RepoTags")
      .that.deep.equals([`tunnelplane:${version}`]);
    const status = join(image.root, "var/lib/dpkg/status.d");
    expect(readdirSync(status)).to.include.members(["libc6", "libstdc++6", "ca-certificates", "tunnelplane"]);
    expect(readFileSync(join(image.root, "etc/ssl/certs/ca-certificates.crt"), "utf8")).to.match(
      /^-----BEGIN CERTIFICATE-----\n/,
    );
  });
});
