import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DevelopmentAuthority } from "./certificates/developmentAuthority";
import { readFolder } from "./certificates/folder";
import type { CommonFlags } from "./commands/options";
import { Discovery } from "./discovery";
import type { Issuer, Listen, Objects, Surroundings } from "./envoy/model";
import { keptOr } from "./files";

/** Where systems keep the authorities they trust: Debian and Alpine, Fedora, SUSE. */
const SYSTEM_TRUST = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"];
const DEFAULT_LISTEN: readonly Listen[] = [{ port: 443, address: "0.0.0.0", bindPort: 443 }];

/** The facts of this machine that Envoy's configuration depends on. */
export class Machine {
  readonly state: string;
  readonly #discovery: Discovery;
  readonly #issuers = new Map<string, Issuer>();
  readonly #sessionKey: string;

  private constructor(
    private readonly flags: CommonFlags,
    private readonly trust: string,
    private readonly authority: DevelopmentAuthority | undefined,
    private readonly complain: (message: string) => void,
  ) {
    this.state = resolve(flags.state);
    this.#discovery = new Discovery(this.#issuers, complain);
    this.#sessionKey = keptOr(join(this.state, "session.key"), () => randomBytes(32).toString("base64"));
  }

  /** @param complain is told what is wrong, each time that it is found wrong */
  static async open(flags: CommonFlags, complain: (message: string) => void): Promise<Machine> {
    if (!flags.certs && !flags.devCa)
      throw new Error("nothing says where certificates are: use --certs FOLDER, or --dev-ca for development");
    const trust = flags.trust ?? SYSTEM_TRUST.find(existsSync);
    if (!trust || !existsSync(trust))
      throw new Error(`the authorities to trust are not at ${trust ?? SYSTEM_TRUST.join(", ")}: name a PEM file with --trust`);
    return new Machine(flags, resolve(trust), flags.devCa ? await DevelopmentAuthority.open(resolve(flags.state)) : undefined, complain);
  }

  async surroundings(objects: Objects): Promise<Surroundings> {
    await this.#discovery.read(objects);
    const hosts = [...objects.tls_edge, ...objects.https_edge].flatMap(({ hostports }) =>
      hostports.map((one) => one.slice(0, one.lastIndexOf(":")).toLowerCase()),
    );
    const own = this.flags.certs ? readFolder(this.flags.certs, this.complain) : [];
    return {
      certificates: [...own, ...((await this.authority?.certificates([...new Set(hosts)])) ?? [])],
      listen: this.flags.listen ?? DEFAULT_LISTEN,
      sockets: join(this.state, "sockets"),
      secrets: join(this.state, "envoy", "secrets"),
      trust: this.trust,
      issuers: this.#issuers,
      sessionKey: this.#sessionKey,
      now: Date.now(),
    };
  }
}
