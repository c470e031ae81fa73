import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { Challenges } from "../certificates/challenges";
import { DevelopmentAuthority } from "../certificates/developmentAuthority";
import { CertificateFolder } from "../certificates/folder";
import { reservedCertificates } from "../certificates/reserved";
import type { Address } from "../envoy/address";
import type { Counting } from "../envoy/counting";
import { hostportsIn } from "../envoy/hostports";
import type { Balancers, Environment, Listen, Objects, ServerCertificate } from "../envoy/model";
import type { Recording } from "../envoy/recording";
import type { Tracing } from "../envoy/tracing";
import { IssuerDocuments } from "../issuers/documents";
import { type Keep, keptOr, writeWhole } from "../state/files";
import { UpstreamWatch } from "../upstreams/upstreams";
import { Ports } from "./ports";
import { trustFile } from "./trust";

const DAY_MS = 86_400_000;
/** How often to try a port again that was taken. */
const PORT_AGAIN_MS = 5000;
/**
 * How long to wait for the addresses of new names. Those of slower names follow as soon as they are known.
 */
const NAMES_MS = 500;
export const DEFAULT_LISTEN: readonly Listen[] = [{ port: 443, address: "0.0.0.0", bindPort: 443 }];

/** The flags that describe the environment of a gateway. */
export interface EnvironmentFlags {
  /** The folder of certificates and keys of hostports. */
  readonly certs?: string;
  /** Whether a local authority makes certificates, for development. */
  readonly devCa: boolean;
  /** Default: {@link DEFAULT_LISTEN}. */
  readonly listen?: readonly Listen[];
  /** The address at which ports of TCP edges are served. Default: none, so TCP edges are rejected. */
  readonly tcpListen?: string;
  /** Networks of load balancers in front, in CIDR notation. Default: none. */
  readonly trustForwarded?: readonly string[];
  /** Whether they begin each connection with the PROXY protocol. */
  readonly proxyProtocol: boolean;
  /** The folder that the gateway keeps its files in. */
  readonly state: string;
  /**
   * PEM of the authorities that upstreams, issuers and key sets are checked against. Default: the system's.
   */
  readonly trust?: string;
  /** The addresses of the server, and the other addresses of this gateway: backends may not be there. */
  readonly url: string;
  readonly metrics?: Address;
  readonly sshListen?: Address;
  /** Networks in CIDR notation, for backends, issuers and key sets. */
  readonly allowUpstreams?: readonly string[];
  readonly denyUpstreams?: readonly string[];
}

interface Options {
  /** Called with each fault, as often as it is found. */
  readonly warn: (message: string) => void;
  /** How files are kept in the folder of the state. Default: as usual. */
  readonly keep?: Keep;
  /**
   * The addresses that Envoy listens on, as `ADDRESS:PORT`; undefined while Envoy starts. Default: all ports
   * count as free.
   */
  readonly listening?: () => Promise<readonly string[] | undefined>;
  /**
   * Whether the gateway answers for issuers at a socket, and so refuses routes whose key sets were never
   * fetched.
   */
  readonly answersForIssuers: boolean;
  /** Where requests are counted. Default: nowhere. */
  readonly recording?: Recording;
  /** Where they are counted by hostport. Default: nowhere. */
  readonly counting?: Counting;
  /** Where they are traced. Default: nowhere. */
  readonly tracing?: Tracing;
}

/** Reads the environment that Envoy's configuration depends on: certificates, addresses, ports, issuers. */
export class EnvironmentSource {
  readonly state: string;
  readonly upstreams: UpstreamWatch;
  readonly documents: IssuerDocuments;
  readonly sessionKey: string;
  readonly #answersForIssuers: boolean;
  readonly #warn: Options["warn"];
  readonly #certificates: CertificateFolder | undefined;
  readonly #balancers: Balancers | undefined;
  readonly #listen: readonly Listen[];
  readonly #ports: Ports | undefined;
  readonly #tcpAddress: string | undefined;
  readonly #reports: Pick<Options, "recording" | "counting" | "tracing">;
  readonly #challenges = new Challenges();
  #readAt = 0;
  /** When a certificate begins or ends next, in milliseconds. */
  #nextAt = 0;

  private constructor(
    flags: EnvironmentFlags,
    readonly trust: string,
    private readonly authority: DevelopmentAuthority | undefined,
    { warn, keep = writeWhole, listening, answersForIssuers, ...reports }: Options,
  ) {
    this.state = resolve(flags.state);
    this.#warn = warn;
    this.#listen = flags.listen ?? DEFAULT_LISTEN;
    this.#ports = listening && new Ports(this.#listen, listening, warn);
    this.#tcpAddress = flags.tcpListen;
    this.#balancers = balancersOf(flags);
    this.#reports = reports;
    this.#certificates = flags.certs === undefined ? undefined : new CertificateFolder(flags.certs, warn);
    this.upstreams = new UpstreamWatch({
      allow: flags.allowUpstreams ?? [],
      deny: flags.denyUpstreams ?? [],
      own: { ...flags, listen: this.#listen },
      file: join(this.state, "names.json"),
      warn,
      keep,
    });
    this.#answersForIssuers = answersForIssuers;
    this.documents = new IssuerDocuments(this.state, answersForIssuers, {
      trust,
      upstreams: this.upstreams,
      warn,
      keep,
    });
    const newKey = () => randomBytes(32).toString("base64");
    this.sessionKey = keptOr(join(this.state, "session.key"), newKey, keep);
  }

  /** @throws saying what is wrong with the flags */
  static async open(flags: EnvironmentFlags, options: Options): Promise<EnvironmentSource> {
    if (!flags.certs && !flags.devCa)
      throw new Error(
        "nothing says where certificates are: use --certs FOLDER, or --dev-ca for development; the folder may be empty where reserved domains name all certificates",
      );
    const trust = trustFile(flags.trust);
    const authority = flags.devCa
      ? await DevelopmentAuthority.open(resolve(flags.state), options.keep)
      : undefined;
    return new EnvironmentSource(flags, trust, authority, options);
  }

  /** Whether the environment may have changed since it was read last. */
  isChanged(now: number): boolean {
    return (
      now >= this.#nextAt ||
      this.documents.hasNews ||
      this.upstreams.isChanged ||
      (this.#ports?.isLacking === true && now - this.#readAt > PORT_AGAIN_MS) ||
      this.#certificates?.isChanged() === true
    );
  }

  /** @param waitMs how long to wait for the addresses of new names; no traffic goes to a name without any */
  async read(objects: Objects, waitMs = NAMES_MS): Promise<Environment> {
    const { issuers } = this.documents;
    await this.upstreams.want(objects, issuers, waitMs);
    await this.documents.want(objects);
    // Discovery documents name further hosts.
    await this.upstreams.want(objects, issuers, waitMs);
    this.#readAt = Date.now();
    const certificates = await this.#certificatesFor(objects);
    this.#nextAt = nextOf(certificates);
    const tcp = this.#tcpListenFor(objects);
    const { listen, tcpListen } = (await this.#ports?.usable(tcp ?? [])) ?? {
      listen: this.#listen,
      tcpListen: tcp,
    };
    return {
      certificates,
      challenges: await this.#challenges.of(objects),
      listen,
      ...(tcp && { tcpListen }),
      balancers: this.#balancers,
      sockets: join(this.state, "sockets"),
      trust: this.trust,
      issuers,
      keySets: this.documents.keySets,
      unread: this.documents.unread,
      answersForIssuers: this.#answersForIssuers,
      upstreams: this.upstreams.view(tcp),
      sessionKey: this.sessionKey,
      ...this.#reports,
      now: Date.now(),
    };
  }

  /** The ports of TCP edges, each once; undefined if this gateway serves none. */
  #tcpListenFor({ tcp_edge }: Objects): readonly Listen[] | undefined {
    const address = this.#tcpAddress;
    if (address === undefined) return undefined;
    const ports = new Set(
      tcp_edge.flatMap(({ hostports }) => hostportsIn("tcp_edge", hostports).map(({ port }) => port)),
    );
    return [...ports].sort((a, b) => a - b).map((port) => ({ port, address, bindPort: port }));
  }

  async #certificatesFor(objects: Objects): Promise<ServerCertificate[]> {
    const { tls_edge, https_edge } = objects;
    const own = [...reservedCertificates(objects, this.#warn), ...(this.#certificates?.read() ?? [])];
    if (!this.authority) return own;
    const hosts = [...tls_edge, ...https_edge].flatMap(({ hostports }) =>
      hostportsIn("https_edge", hostports).map(({ host }) => host),
    );
    return [...own, ...(await this.authority.certificates([...new Set(hosts)]))];
  }
}

/** @throws if the PROXY protocol is on, and no network may use it */
function balancersOf({ trustForwarded: networks, proxyProtocol }: EnvironmentFlags): Balancers | undefined {
  if (networks !== undefined) return { networks, proxyProtocol };
  if (proxyProtocol)
    throw new Error(
      "--proxy-protocol lets nobody in, because no load balancer is trusted: name their networks with --trust-forwarded CIDR",
    );
  return undefined;
}

/** The next moment at which one begins or ends; the development authority renews its own before their end. */
function nextOf(certificates: readonly ServerCertificate[]): number {
  const now = Date.now();
  const times = certificates.flatMap(({ notBefore, notAfter }) => [notBefore, notAfter - DAY_MS, notAfter]);
  return times.reduce((first, time) => (time > now && time < first ? time : first), Number.POSITIVE_INFINITY);
}
