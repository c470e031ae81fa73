import { randomBytes, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DevelopmentAuthority } from "./certificates/developmentAuthority";
import { CertificateFolder } from "./certificates/folder";
import { discovery, issuersOf } from "./discovery";
import type { Balancers, Issuer, Listen, Objects, ServerCertificate, Surroundings } from "./envoy/model";
import { isHostport, readHostport } from "./envoy/names";
import { type Keep, keptOr, writeWhole } from "./files";
import { keySets, keySetsOf } from "./keySets";
import type { Place, Ports } from "./ports";
import type { Asking, Published } from "./published";
import { UpstreamWatch } from "./upstreams/upstreams";
import { mostSignIns } from "./watches";

/** Where systems keep the authorities they trust: Debian and Alpine, Fedora, SUSE. */
const SYSTEM_TRUST = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
];
const DAY_MS = 86_400_000;
/** How soon a port that was taken is tried again. */
const AGAIN_MS = 5000;
/** So long new names are waited for; what needs a slower one follows when it is known. */
const NAMES_MS = 500;
export const DEFAULT_LISTEN: readonly Listen[] = [{ port: 443, address: "0.0.0.0", bindPort: 443 }];

/** What a machine is opened with. */
export interface MachineOptions {
  /** The folder of certificates and keys of hostports. */
  readonly certs?: string;
  /** Whether a local authority makes certificates, for development. */
  readonly devCa: boolean;
  /** Default: {@link DEFAULT_LISTEN}. */
  readonly listen?: readonly Listen[];
  /** Networks of load balancers in front, in CIDR notation. Default: none. */
  readonly trustForwarded?: readonly string[];
  /** Whether they begin each connection with the PROXY protocol. */
  readonly proxyProtocol: boolean;
  /** The folder where everything is kept. */
  readonly state: string;
  /**
   * PEM of the authorities that upstreams, issuers and key sets are checked against. Default: the system's.
   */
  readonly trust?: string;
  /** Where the server is, and where else this gateway listens: backends may not be there. */
  readonly url: string;
  readonly metrics?: Place;
  readonly sshListen?: Place;
  /** Networks in CIDR notation, for backends, issuers and key sets. */
  readonly allowUpstreams?: readonly string[];
  readonly denyUpstreams?: readonly string[];
}

/** The facts of this machine that Envoy's configuration depends on. */
export class Machine {
  readonly state: string;
  readonly upstreams: UpstreamWatch;
  readonly #discovery: Published<Issuer>;
  readonly #sessionKey: string;

  readonly #folder: CertificateFolder | undefined;
  readonly #balancers: Balancers | undefined;
  #nextAt = 0;
  /** Finds the ports that can be listened on; without it, all are taken for free. */
  ports: Ports | undefined;
  #keySets: Published<true> | undefined;
  #lookedAt = 0;
  /** When sessions end, so that their keys have to be made anew; in milliseconds. */
  renewAt: number | undefined;

  private constructor(
    private readonly options: MachineOptions,
    readonly trust: string,
    private readonly authority: DevelopmentAuthority | undefined,
    private readonly complain: (message: string) => void,
    private readonly keep: Keep,
  ) {
    this.state = resolve(options.state);
    this.#balancers = balancersOf(options);
    this.#folder = options.certs === undefined ? undefined : new CertificateFolder(options.certs, complain);
    this.upstreams = new UpstreamWatch({
      allow: options.allowUpstreams ?? [],
      deny: options.denyUpstreams ?? [],
      own: { ...options, listen: options.listen ?? DEFAULT_LISTEN },
      file: join(this.state, "names.json"),
      complain,
      keep,
    });
    this.#discovery = discovery(this.#asking);
    this.#sessionKey = keptOr(
      join(this.state, "session.key"),
      () => randomBytes(32).toString("base64"),
      keep,
    );
  }

  /**
   * @param complain is told what is wrong, each time that it is found wrong
   * @param keep keeps keys, and what issuers said, in the folder of the state
   */
  static async open(
    options: MachineOptions,
    complain: (message: string) => void,
    keep: Keep = writeWhole,
  ): Promise<Machine> {
    if (!options.certs && !options.devCa)
      throw new Error("nothing says where certificates are: use --certs FOLDER, or --dev-ca for development");
    const trust = options.trust ?? SYSTEM_TRUST.find(existsSync);
    if (!trust || !existsSync(trust))
      throw new Error(
        `the authorities to trust are not at ${trust ?? SYSTEM_TRUST.join(", ")}: name a PEM file with --trust`,
      );
    checkTrust(trust);
    const authority = options.devCa
      ? await DevelopmentAuthority.open(resolve(options.state), keep)
      : undefined;
    return new Machine(options, resolve(trust), authority, complain, keep);
  }

  /** Has routes refused whose key sets never answered; without, all are taken for good. */
  lookAtKeySets(): void {
    this.#keySets = keySets(this.#asking);
  }

  get #asking(): Asking {
    return {
      state: this.state,
      trust: this.trust,
      upstreams: this.upstreams,
      complain: this.complain,
      keep: this.keep,
    };
  }

  /** Whether what Envoy is told may be another than before, though no object changed. */
  isChanged(now: number): boolean {
    return (
      now >= Math.min(this.#nextAt, this.renewAt ?? Number.POSITIVE_INFINITY) ||
      this.#discovery.hasNews ||
      this.#keySets?.hasNews === true ||
      this.upstreams.isChanged ||
      (this.ports?.isLacking === true && now - this.#lookedAt > AGAIN_MS) ||
      this.#folder?.isChanged() === true
    );
  }

  /** @param waitMs how long to wait for the addresses of new names; without them, those names go nowhere */
  async surroundings(objects: Objects, waitMs = NAMES_MS): Promise<Surroundings> {
    await this.upstreams.want(objects, this.#discovery.known, waitMs);
    await Promise.all([this.#discovery.want(issuersOf(objects)), this.#keySets?.want(keySetsOf(objects))]);
    // Issuers name further hosts.
    await this.upstreams.want(objects, this.#discovery.known, waitMs);
    this.#lookedAt = Date.now();
    const hosts = [...objects.tls_edge, ...objects.https_edge].flatMap(({ hostports }) =>
      hostports.filter(isHostport).map((one) => readHostport(one).host),
    );
    const own = this.#folder?.read() ?? [];
    const certificates = [...own, ...((await this.authority?.certificates([...new Set(hosts)])) ?? [])];
    this.#nextAt = nextOf(certificates);
    return {
      certificates,
      listen: (await this.ports?.usable()) ?? this.options.listen ?? DEFAULT_LISTEN,
      balancers: this.#balancers,
      sockets: join(this.state, "sockets"),
      secrets: join(this.state, "envoy", "secrets"),
      trust: this.trust,
      issuers: this.#discovery.known,
      keySets: this.#keySets?.known,
      upstreams: this.upstreams.view(),
      mostSignIns: mostSignIns(),
      sessionKey: this.#sessionKey,
      now: Date.now(),
    };
  }
}

/** @throws where nobody may use the PROXY protocol */
function balancersOf({ trustForwarded: networks, proxyProtocol }: MachineOptions): Balancers | undefined {
  if (networks !== undefined) return { networks, proxyProtocol };
  if (proxyProtocol)
    throw new Error(
      "--proxy-protocol lets nobody in, because no load balancer is trusted: name their networks with --trust-forwarded CIDR",
    );
  return undefined;
}

const IN_PEM = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/** Envoy takes such a file as a whole or not at all, and with it every backend that speaks TLS. */
function checkTrust(file: string): void {
  try {
    const found = readFileSync(file, "utf8").match(IN_PEM) ?? [];
    for (const pem of found) new X509Certificate(pem);
    if (found.length > 0) return;
  } catch {
    // What is wrong with it is the same for people.
  }
  throw new Error(
    `the authorities to trust are not in ${file}: certificates in PEM were expected, from -----BEGIN CERTIFICATE----- on; name another file with --trust`,
  );
}

/** When the first of them begins or ends; renewed ones of the development authority come before their end. */
function nextOf(certificates: readonly ServerCertificate[]): number {
  const now = Date.now();
  const times = certificates.flatMap(({ notBefore, notAfter }) => [notBefore, notAfter - DAY_MS, notAfter]);
  return times.reduce((first, time) => (time > now && time < first ? time : first), Number.POSITIVE_INFINITY);
}
