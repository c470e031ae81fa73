import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { updateText } from "../../server/dist/acme/dnsUpdate";
import { onOneDatabase, untilTestEnds } from "../support/databases";
import { newFolder } from "../support/folder";
import { PEBBLE, Pebble } from "../support/pebble";
import { freePort } from "../support/ports";
import { OrderedDomain } from "./support";

const KNOT = ["/usr/sbin/knotd", "/usr/bin/knotd"].find((file) => existsSync(file));

/** A real name server with the zone example.com, which takes signed updates. */
class NameServer {
  readonly folder = newFolder();
  readonly secret = randomBytes(32);
  port = 0;
  #child: ChildProcess | undefined;

  static async start(): Promise<NameServer> {
    const one = new NameServer();
    one.port = await freePort();
    const { folder } = one;
    writeFileSync(
      join(folder, "example.com.zone"),
      `$ORIGIN example.com.\n@ 60 SOA ns hostmaster 1 60 60 600 60\n@ 60 NS ns\nns 60 A 127.0.0.1\n_acme-challenge.alias 60 CNAME proofs\n`,
    );
    writeFileSync(
      join(folder, "knot.conf"),
      `server:
  listen: 127.0.0.1@${one.port}
  rundir: ${folder}
database:
  storage: ${folder}
key:
  - id: acme
    algorithm: hmac-sha256
    secret: ${one.secret.toString("base64")}
acl:
  - id: acme
    key: acme
    action: update
zone:
  - domain: example.com
    storage: ${folder}
    file: example.com.zone
    acl: acme
`,
    );
    one.#child = spawn(KNOT as string, ["-c", join(folder, "knot.conf")], { stdio: "ignore" });
    while ((await one.texts("none.example.com")) === undefined) await sleep(50);
    return one;
  }

  /** The texts of a name; undefined while the server does not answer. */
  async texts(name: string): Promise<string[] | undefined> {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.port}`]);
    try {
      return (await resolver.resolveTxt(name)).flat();
    } catch (error) {
      return ["ENOTFOUND", "ENODATA"].includes((error as NodeJS.ErrnoException).code ?? "") ? [] : undefined;
    }
  }

  get settings() {
    return {
      ...{ host: "127.0.0.1", port: this.port, zone: "example.com" },
      key: { name: "acme", secret: this.secret },
    };
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
    rmSync(this.folder, { recursive: true });
  }
}

onOneDatabase("Updates of DNS (RFC 2136) at a real name server", (start) => {
  const started = untilTestEnds(start);
  let names: NameServer;
  before("start Knot", async function () {
    if (!KNOT || !PEBBLE) {
      console.log("    Skipped: there is no knotd here, or no Pebble");
      return this.skip();
    }
    names = await NameServer.start();
  });

  it("make a record and take it away, and leave others of the name", async () => {
    const name = "_acme-challenge.example.com";
    await updateText(names.settings, "present", name, "one");
    await updateText(names.settings, "present", name, "two");
    expect(await names.texts(name)).to.have.members(["one", "two"]);
    await updateText(names.settings, "cleanup", name, "one");
    expect(await names.texts(name)).to.deep.equal(["two"]);
    await updateText(names.settings, "cleanup", name, "two");
    expect(await names.texts(name)).to.deep.equal([]);
  });

  it("go to what the name stands for where it is an alias", async () => {
    await updateText(names.settings, "present", "_acme-challenge.alias.example.com", "one");
    expect(await names.texts("proofs.example.com")).to.deep.equal(["one"]);
    await updateText(names.settings, "cleanup", "_acme-challenge.alias.example.com", "one");
    expect(await names.texts("proofs.example.com")).to.deep.equal([]);
  });

  it("are refused with a wrong key or for another zone, and say so", async () => {
    const reason = (more: object, name = "a.example.com") =>
      updateText({ ...names.settings, ...more }, "present", name, "x").then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await reason({ key: { name: "acme", secret: randomBytes(32) } })).to.contain("127.0.0.1 refused");
    expect(await reason({ key: { name: "other", secret: names.secret } })).to.contain("127.0.0.1 refused");
    expect(await reason({ zone: "example.org" }, "a.example.org")).to.contain("127.0.0.1 refused");
    expect(await reason({ port: await freePort() })).to.match(/did not answer|cannot be asked/);
    expect(await names.texts("a.example.com")).to.deep.equal([]);
  });

  it("prove a wildcard to an authority that asks this name server", async () => {
    const pebble = await Pebble.start({ dns: `127.0.0.1:${names.port}` });
    const key = join(pebble.folder, "dns.key");
    writeFileSync(key, `acme ${names.secret.toString("base64")}\n`);
    const server = await started({
      args: [
        ...pebble.flags,
        ...["--acme-dns-server", `127.0.0.1:${names.port}`],
        ...["--acme-dns-zone", "example.com", "--acme-dns-key-file", key],
      ],
    });
    const domain = await OrderedDomain.make(server, "*.shop.example.com");
    const certificate = await domain.certificate();
    expect(certificate.subject_alternative_names).to.deep.include({ dns_names: ["*.shop.example.com"] });
    expect(await names.texts("_acme-challenge.shop.example.com")).to.deep.equal([]);
  });
});
