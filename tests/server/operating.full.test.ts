import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate } from "../support/api/fixtures";
import { runHere, runOn } from "../support/commandLine";
import { DISKS_THAT_REFUSE } from "../support/disks";
import { newFolder } from "../support/folder";
import { freePort } from "../support/ports";
import { command, endOf, ServerProcess } from "../support/server";
import { LIMIT_MS } from "../support/size";

const COMMAND = join(__dirname, "../../tunnelplane/dist/main.js");
const OTHER = 65_534;
const isRoot = process.geteuid?.() === 0;

describe("tunnelplane health", () => {
  const folder = newFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];

  for (const [what, host, tls] of [
    ["on IPv4", "127.0.0.1", false],
    ["on all addresses", "0.0.0.0", false],
    ["on IPv6 alone", "[::1]", false],
    ["with TLS", "127.0.0.1", true],
  ] as const)
    it(`finds by the settings of serve the server ${what}, and says by its exit code whether it serves`, async () => {
      if (tls) {
        const { pem, privateKey } = certificate();
        writeFileSync(cert, pem);
        writeFileSync(key, privateKey, { mode: 0o600 });
      }
      const listen = `${host}:${await freePort()}`;
      const env = {
        TUNNELPLANE_LISTEN: listen,
        ...(tls && { TUNNELPLANE_TLS_CERT: cert, TUNNELPLANE_TLS_KEY: key }),
      };
      const absent = await runHere(["health"], env);
      expect(absent).to.include({ code: 1, out: "" });
      expect(absent.err).to.match(/^https?:\S+ does not serve: .*\n$/);
      const server = await ServerProcess.start({ listen, env });
      const found = await runHere(["health", "--data", "elsewhere", "--wait", "5"], env);
      await server.stop();
      expect(found).to.include({ code: 0, err: "" });
      expect(found.out).to.match(/^https?:\S+ serves\n$/);
    });

  it("says in one line that a free port has to be named", async () => {
    const { code, err } = await runHere(["health", "--listen", "127.0.0.1:0"]);
    expect(code).to.equal(2);
    expect(err).to.match(/^tunnelplane: port 0 .*give --listen a port\n$/);
  });
});

describe("A server at its start", () => {
  it("names variables that are no settings, with the one that was meant, and none that is one", async () => {
    const env = {
      TUNNELPLANE_RATE_LIMT: "5",
      TUNNELPLANE_PROJECT: "default",
      TUNNELPLANE_GATEWAY_NAME: "gw",
    };
    const server = await ServerProcess.start({ env });
    await server.stop();
    const warned = server.log.split("\n").filter((line) => line.includes("is not a setting"));
    expect(warned).to.have.length(1);
    expect(warned[0]).to.contain(
      "TUNNELPLANE_RATE_LIMT is not a setting and is ignored; did you mean TUNNELPLANE_RATE_LIMIT?",
    );
  });

  for (const [what, args, cure] of [
    ["serve", ["serve", "--data"], "with --data"],
    ["the gateway", ["gateway", "run", "--api-key", "key", "--name", "one", "--state"], "with --state"],
    ["dev", ["dev"], "mkdir ~/tunnels"],
    ["new", ["new"], "name another"],
  ] as const)
    it(`says in one line what to do about a folder that ${what} cannot make, and ends`, () => {
      const full = newFolder();
      writeFileSync(join(full, ".tunnelplane"), "a file");
      for (const cwd of existsSync("/proc/self") ? [full, "/proc"] : [full]) {
        const folder = join(cwd, ".tunnelplane", "x");
        const { status, stderr } = spawnSync(
          process.execPath,
          ["--disable-warning=ExperimentalWarning", COMMAND, ...args, ...(what === "dev" ? [] : [folder])],
          { cwd, encoding: "utf8", timeout: LIMIT_MS },
        );
        expect(stderr).to.match(/^tunnelplane\S*: the folder \S+ cannot be made \(E\w+\): .*\n$/);
        expect(stderr).to.contain(join(cwd, ".tunnelplane")).and.to.contain(cure);
        expect(status).to.equal(1);
      }
    });

  const full = DISKS_THAT_REFUSE[0];
  if (full && !full.missing)
    it("says that the disk is full, in one line", async () => {
      const { folder } = full.create();
      writeFileSync(join(folder, "what-others-keep-there"), Buffer.alloc(63.8 * 1024 * 1024));
      const { code, err } = await endOf(command(folder, ["serve", "--listen", "127.0.0.1:0"]));
      expect(code).to.equal(1);
      expect(err).to.match(/^tunnelplane: .*the disk is full.*\n$/);
    });

  if (isRoot)
    it("says whom to give files that it may not read", async () => {
      const folder = newFolder();
      chmodSync(folder, 0o755);
      const serve = ["serve", "--listen", "127.0.0.1:0", "--data", join(folder, "data")];
      const script = join(__dirname, "../../server/dist/cli/main.js");
      const refused = (() => {
        try {
          execFileSync(process.execPath, [script, ...serve], { uid: OTHER, gid: OTHER, stdio: "pipe" });
          return "";
        } catch (error) {
          return String((error as { stderr: Buffer }).stderr);
        }
      })();
      expect(refused).to.match(/EACCES.*install -d -m 700 -o 65534 \S+\n$/);
    });
});

if (isRoot)
  describe("A restore by root", () => {
    it("into the folder of a service leaves all files there to the service", async () => {
      const server = await ServerProcess.start();
      const folder = newFolder();
      const [file, data] = [join(folder, "file"), join(folder, "data")];
      await runOn(server.data, "backup", file);
      await server.stop();
      mkdirSync(data);
      chownSync(data, OTHER, OTHER);
      expect(await runOn(data, "restore", file)).to.include({ code: 0 });
      for (const name of ["", ...readdirSync(data)])
        expect(statSync(join(data, name)), name).to.include({ uid: OTHER, gid: OTHER });
    });
  });
