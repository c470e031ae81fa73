import type { HttpsEdge, HttpsEdgeRoutes, TlsEdge } from "@tunnelplane/sdk";
import { UNRECORDED } from "@tunnelplane/sdk/meaning";
import type { TrafficLine } from "@tunnelplane/sdk/traffic";
import { isHostport, readHostport, wildcardsAbove } from "../envoy/hostports";
import { withId } from "../envoy/indexes";
import type { Objects } from "../envoy/model";

type Certificate = TrafficLine["client_certificate"];

/** The facts about requests that Envoy does not report, because they follow from what is declared. */
export class Declared {
  readonly #edges = new Map<string, HttpsEdge | TlsEdge>();
  readonly #routes = new Map<string, HttpsEdgeRoutes>();

  constructor(private readonly objects: Objects) {
    for (const edge of [...objects.https_edge, ...objects.tls_edge])
      for (const hostport of edge.hostports.filter(isHostport)) {
        const { host, port } = readHostport(hostport);
        this.#edges.set(`${host}:${port}`, edge);
      }
    for (const { routes } of objects.https_edge)
      for (const route of routes) this.#routes.set(route.id, route);
  }

  route = (id: string): HttpsEdgeRoutes | undefined => this.#routes.get(id);

  /** The edge that serves a name. */
  edge(name: string, port: string): HttpsEdge | TlsEdge | undefined {
    // A wildcard covers one label.
    const hosts = [name, ...wildcardsAbove(name).slice(0, 1)];
    return hosts.map((host) => this.#edges.get(`${host}:${port}`)).find((edge) => edge !== undefined);
  }

  /**
   * The authority of a certificate that an edge has accepted.
   * @param issuer the distinguished name of its issuer, as in RFC 2253: an authority, or one below it
   */
  authorityOf(edge: HttpsEdge | TlsEdge | undefined, issuer: string): Certificate {
    if (edge === undefined) return UNRECORDED;
    if (!edge.mutual_tls?.enabled) return null;
    const ids = [...new Set(edge.mutual_tls.certificate_authorities.map(({ id }) => id))];
    const name = commonName(issuer);
    const signing = ids.length === 1 ? ids : ids.filter((id) => this.#subject(id) === name);
    const [authority, ...others] = signing;
    if (authority === undefined || others.length > 0) return UNRECORDED;
    const subject = this.#subject(authority);
    return subject ? { authority, subject } : { authority };
  }

  /** The same for a certificate that was refused: its signature was not compared with other authorities. */
  authorityOfRefused(edge: HttpsEdge | TlsEdge | undefined, issuer: string): Certificate {
    const name = commonName(issuer);
    if (name === undefined) return UNRECORDED;
    const asked = new Set(edge?.mutual_tls?.certificate_authorities.map(({ id }) => id));
    const among = this.objects.certificate_authority.filter(({ id }) => !asked.has(id));
    return among.some(({ id }) => this.#subject(id) === name) ? UNRECORDED : { authority: "other" };
  }

  #subject = (id: string): string | undefined =>
    withId(this.objects.certificate_authority, id)?.subject_common_name;
}

/** The common name in a distinguished name; undefined where there is none. */
export function commonName(distinguished: string): string | undefined {
  const [, escaped] = /^(?:(?:\\.|[^,+\\])*[,+])*?CN=((?:\\.|[^,+\\])*)/su.exec(distinguished) ?? [];
  if (escaped === undefined) return undefined;
  return escaped.replaceAll(/((?:\\[0-9A-Fa-f]{2})+)|\\(.)/gsu, (_, hex?: string, one?: string) =>
    hex === undefined ? (one ?? "") : Buffer.from(hex.replaceAll("\\", ""), "hex").toString("utf8"),
  );
}
