import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { certificate } from "./api/fixtures";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";
import { freePort } from "./ports";

const { locatePebble } = require("../../tools/scripts/pebble.cjs") as { locatePebble(): string | undefined };
/** Whether Let's Encrypt's authority for tests is there; where it is not, tests say that they are skipped. */
export const PEBBLE = locatePebble();

interface PebbleOptions {
  /** How long its certificates are valid, in seconds. Default: 90 days. */
  readonly validity?: number;
  readonly tlsPort?: number;
  /** Whether every challenge counts as answered. */
  readonly believes?: boolean;
  /** A key that accounts have to be bound with, by its id, in base64url. */
  readonly bindingKeys?: Readonly<Record<string, string>>;
  /** The address of the name server that it asks. Default: one that knows every name as 127.0.0.1. */
  readonly dns?: string;
}

/** The real authority of Let's Encrypt's own tests, and the name server that it asks. */
export class Pebble {
  readonly folder = newFolder();
  port = 0;
  tlsPort = 0;
  /** Of the name server's interface for tests. */
  namesPort = 0;
  #config: object = {};
  #args: string[] = [];
  #env: Record<string, string> = {};

  static async start({
    validity = 7_776_000,
    tlsPort,
    believes,
    bindingKeys,
    dns,
  }: PebbleOptions = {}): Promise<Pebble> {
    const one = new Pebble();
    const [port, management, names, dnsPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    Object.assign(one, { port, namesPort: names, tlsPort: tlsPort ?? (await freePort()) });
    const own = certificate({
      name: "localhost",
      extensions: ["subjectAltName = DNS:localhost, IP:127.0.0.1"],
    });
    for (const [name, text] of [
      ["cert.pem", own.pem],
      ["key.pem", own.privateKey],
    ] as const)
      writeFileSync(join(one.folder, name), text);
    one.#config = {
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: join(one.folder, "cert.pem"),
        privateKey: join(one.folder, "key.pem"),
        httpPort: await freePort(),
        tlsPort: one.tlsPort,
        ocspResponderURL: "",
        externalAccountBindingRequired: bindingKeys !== undefined,
        ...(bindingKeys && { externalAccountMACKeys: bindingKeys }),
        retryAfter: { authz: 1, order: 1 },
        profiles: { default: { description: "of tests", validityPeriod: validity } },
      },
    };
    writeFileSync(join(one.folder, "config.json"), JSON.stringify(one.#config));
    if (dns === undefined)
      await one.#run(
        "pebble-challtestsrv",
        [
          ...["-dnsserver", `127.0.0.1:${dnsPort}`, "-management", `127.0.0.1:${names}`],
          ...["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", ""],
          ...["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""],
        ],
        {},
        /management/i,
      );
    one.#args = ["-config", join(one.folder, "config.json"), "-dnsserver", dns ?? `127.0.0.1:${dnsPort}`];
    one.#env = { PEBBLE_VA_NOSLEEP: "1", ...(believes && { PEBBLE_VA_ALWAYS_VALID: "1" }) };
    await one.#run("pebble", one.#args, one.#env, /ACME directory available/);
    return one;
  }

  get flags(): string[] {
    return [
      ...["--acme-directory", `https://localhost:${this.port}/dir`],
      ...["--acme-trust", join(this.folder, "cert.pem")],
    ];
  }

  async #run(name: string, args: string[], env: Record<string, string>, ready: RegExp): Promise<void> {
    const child = spawn(join(PEBBLE as string, name), args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    atEndOfFile(() => child.kill());
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on("line", (line) => ready.test(line) && resolve());
      child.on("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    });
    child.removeAllListeners("exit");
  }
}
