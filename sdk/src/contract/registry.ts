import type { Definition, Sent } from "./core/definition";
import { lazyList } from "./core/lazyList";
import type { ReferenceTarget } from "./core/marks";
import { once, oncePer } from "./core/once";
import { refuseMistakes } from "./core/refuseMistakes";
import { nameEventTypes } from "./formats/event";
import type { Kind } from "./kinds";
import type { apiKey } from "./types/apiKey";
import type { botUser } from "./types/botUser";
import type { certificateAuthority } from "./types/certificateAuthority";
import type { EVENT_TARGETS, eventDestination } from "./types/eventDestination";
import type { eventSubscription } from "./types/eventSubscription";
import type { failoverBackend } from "./types/failoverBackend";
import type { guarantee } from "./types/guarantee";
import type { httpResponseBackend } from "./types/httpResponseBackend";
import type { httpsEdge } from "./types/httpsEdge";
import type { httpsEdgeRoute } from "./types/httpsEdgeRoute";
import type { ipPolicy } from "./types/ipPolicy";
import type { ipPolicyRule } from "./types/ipPolicyRule";
import type { ipRestriction } from "./types/ipRestriction";
import type { membership } from "./types/membership";
import type { project } from "./types/project";
import type { reservedAddr } from "./types/reservedAddr";
import type { reservedDomain } from "./types/reservedDomain";
import type { sshCertificateAuthority } from "./types/sshCertificateAuthority";
import type { sshCredential } from "./types/sshCredential";
import type { sshHostCertificate } from "./types/sshHostCertificate";
import type { sshUserCertificate } from "./types/sshUserCertificate";
import type { staticBackend } from "./types/staticBackend";
import type { tcpEdge } from "./types/tcpEdge";
import type { tlsCertificate } from "./types/tlsCertificate";
import type { tlsEdge } from "./types/tlsEdge";
import type { tunnelCredential } from "./types/tunnelCredential";
import type { tunnelGroupBackend } from "./types/tunnelGroupBackend";
import type { weightedBackend } from "./types/weightedBackend";
import type { workloadIdentity } from "./types/workloadIdentity";

/**
 * Every resource type, each loaded when it is first asked for: most programs declare a few kinds, and
 * building the schemas of all takes half the time that their provider takes to load. A new type takes one
 * file, one import and one line here.
 */
const types = {
  tunnel_credential: (): typeof tunnelCredential => require("./types/tunnelCredential").tunnelCredential,
  ssh_credential: (): typeof sshCredential => require("./types/sshCredential").sshCredential,
  ssh_certificate_authority: (): typeof sshCertificateAuthority =>
    require("./types/sshCertificateAuthority").sshCertificateAuthority,
  ssh_user_certificate: (): typeof sshUserCertificate =>
    require("./types/sshUserCertificate").sshUserCertificate,
  ssh_host_certificate: (): typeof sshHostCertificate =>
    require("./types/sshHostCertificate").sshHostCertificate,
  certificate_authority: (): typeof certificateAuthority =>
    require("./types/certificateAuthority").certificateAuthority,
  ip_policy: (): typeof ipPolicy => require("./types/ipPolicy").ipPolicy,
  ip_policy_rule: (): typeof ipPolicyRule => require("./types/ipPolicyRule").ipPolicyRule,
  tunnel_group_backend: (): typeof tunnelGroupBackend =>
    require("./types/tunnelGroupBackend").tunnelGroupBackend,
  failover_backend: (): typeof failoverBackend => require("./types/failoverBackend").failoverBackend,
  weighted_backend: (): typeof weightedBackend => require("./types/weightedBackend").weightedBackend,
  http_response_backend: (): typeof httpResponseBackend =>
    require("./types/httpResponseBackend").httpResponseBackend,
  static_backend: (): typeof staticBackend => require("./types/staticBackend").staticBackend,
  tls_edge: (): typeof tlsEdge => require("./types/tlsEdge").tlsEdge,
  tcp_edge: (): typeof tcpEdge => require("./types/tcpEdge").tcpEdge,
  https_edge: (): typeof httpsEdge => require("./types/httpsEdge").httpsEdge,
  https_edge_route: (): typeof httpsEdgeRoute => require("./types/httpsEdgeRoute").httpsEdgeRoute,
  tls_certificate: (): typeof tlsCertificate => require("./types/tlsCertificate").tlsCertificate,
  reserved_domain: (): typeof reservedDomain => require("./types/reservedDomain").reservedDomain,
  reserved_addr: (): typeof reservedAddr => require("./types/reservedAddr").reservedAddr,
  ip_restriction: (): typeof ipRestriction => require("./types/ipRestriction").ipRestriction,
  event_destination: (): typeof eventDestination => require("./types/eventDestination").eventDestination,
  event_subscription: (): typeof eventSubscription => require("./types/eventSubscription").eventSubscription,
  guarantee: (): typeof guarantee => require("./types/guarantee").guarantee,
  project: (): typeof project => require("./types/project").project,
  membership: (): typeof membership => require("./types/membership").membership,
  api_key: (): typeof apiKey => require("./types/apiKey").apiKey,
  bot_user: (): typeof botUser => require("./types/botUser").botUser,
  workload_identity: (): typeof workloadIdentity => require("./types/workloadIdentity").workloadIdentity,
} as const satisfies { readonly [K in Kind]: () => { readonly kind: K } };

/** The definition of a kind, with the types of its fields. */
export type DefinitionOf<K extends Kind> = ReturnType<(typeof types)[K]>;

/** The body that creates an object of a kind, with its defaults. */
export type SentOf<K extends Kind> = Sent<DefinitionOf<K>["fields"]>;

/** The names of a kind's modules: what may be left out, and can be enabled. */
export type ModuleNameOf<K extends Kind> = {
  [N in keyof SentOf<K>]-?: undefined extends SentOf<K>[N]
    ? NonNullable<SentOf<K>[N]> extends { readonly enabled: boolean }
      ? N
      : never
    : never;
}[keyof SentOf<K>];

/** The names of all modules. */
export type ModuleName = { [K in Kind]: ModuleNameOf<K> }[Kind];

/** The names of all actions of policies. */
export type ActionName = NonNullable<
  SentOf<"https_edge_route">["policies"]
>["inbound"][number]["actions"][number]["type"];

const loaders = new Map<string, () => Definition>(Object.entries(types));

/**
 * All definitions. Looking at it loads every type and refuses mistakes among them; for one kind, take {@link
 * definitionNamed}.
 */
export const registry: readonly Definition[] = lazyList(() => {
  const all = [...loaders.keys()].map(definitionNamed);
  refuseMistakes(all, Object.keys(GROUPS));
  return all;
});
nameEventTypes(registry);

/** Names for groups of kinds, for references that may point to any kind of a group. */
const GROUPS: Readonly<Partial<Record<ReferenceTarget, (definition: Definition) => boolean>>> = {
  backend: (definition) => definition.path.startsWith("/backends/"),
};

const loaded = new Map<string, Definition>();

/** The definition of a kind, with the types of its fields. */
export const definitionOf = <K extends Kind>(kind: K): DefinitionOf<K> =>
  definitionNamed(kind) as DefinitionOf<K>;

/**
 * The definition of a kind whose name is only known at run time, for example from a table. Throws if there is
 * none.
 */
export function definitionNamed(kind: string): Definition {
  const known = loaded.get(kind);
  if (known) return known;
  const definition = loaders.get(kind)?.();
  if (!definition) throw new Error(`There is no resource kind ${JSON.stringify(kind)}`);
  loaded.set(kind, definition);
  return definition;
}

const byPrefix = once(() => new Map(registry.map((definition) => [definition.idPrefix, definition])));

/** The definition of an object by the prefix of its id. */
export const definitionOfId = (id: string): Definition | undefined =>
  byPrefix().get(id.slice(0, id.indexOf("_")));

/** The definitions that a reference to these kinds or groups may point to. */
export const targetsOf: (kinds: readonly ReferenceTarget[]) => readonly Definition[] = oncePer((kinds) =>
  registry.filter((definition) =>
    kinds.some((kind) => kind === definition.kind || GROUPS[kind]?.(definition)),
  ),
);

/** A kind of target of event destinations. */
export type EventTarget = (typeof EVENT_TARGETS)[number];

/** The kinds of targets of event destinations. Loads the type, which programs without one do not need. */
export const eventTargets = (): readonly EventTarget[] => require("./types/eventDestination").EVENT_TARGETS;
