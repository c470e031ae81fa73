import type { Definition, Sent } from "./core/definition";
import type { ReferenceTarget } from "./core/marks";
import { refuseMistakes } from "./core/refuseMistakes";
import { nameEventTypes } from "./formats/event";
import type { Kind } from "./kinds";
import { apiKey } from "./types/apiKey";
import { botUser } from "./types/botUser";
import { certificateAuthority } from "./types/certificateAuthority";
import { eventDestination } from "./types/eventDestination";
import { eventSubscription } from "./types/eventSubscription";
import { failoverBackend } from "./types/failoverBackend";
import { httpResponseBackend } from "./types/httpResponseBackend";
import { httpsEdge } from "./types/httpsEdge";
import { httpsEdgeRoute } from "./types/httpsEdgeRoute";
import { ipPolicy } from "./types/ipPolicy";
import { ipPolicyRule } from "./types/ipPolicyRule";
import { sshCertificateAuthority } from "./types/sshCertificateAuthority";
import { sshCredential } from "./types/sshCredential";
import { sshHostCertificate } from "./types/sshHostCertificate";
import { sshUserCertificate } from "./types/sshUserCertificate";
import { staticBackend } from "./types/staticBackend";
import { tlsEdge } from "./types/tlsEdge";
import { tunnelCredential } from "./types/tunnelCredential";
import { tunnelGroupBackend } from "./types/tunnelGroupBackend";
import { weightedBackend } from "./types/weightedBackend";

/** Every resource type. A new type takes one file and one line here. */
const definitions = [
  tunnelCredential,
  sshCredential,
  sshCertificateAuthority,
  sshUserCertificate,
  sshHostCertificate,
  certificateAuthority,
  ipPolicy,
  ipPolicyRule,
  tunnelGroupBackend,
  failoverBackend,
  weightedBackend,
  httpResponseBackend,
  staticBackend,
  tlsEdge,
  httpsEdge,
  httpsEdgeRoute,
  eventDestination,
  eventSubscription,
  apiKey,
  botUser,
] as const;

type Registered = (typeof definitions)[number];

/** The definition of a kind, with the types of its fields. */
export type DefinitionOf<K extends Kind> = Extract<Registered, { readonly kind: K }>;

/** The body that creates an object of a kind, with its defaults. */
export type SentOf<K extends Kind> = Sent<DefinitionOf<K>["fields"]>;

export const registry: readonly Definition[] = definitions;

/** Names for groups of kinds, for references that may point to any kind of a group. */
const GROUPS: Readonly<Partial<Record<ReferenceTarget, (definition: Definition) => boolean>>> = {
  backend: (definition) => definition.path.startsWith("/backends/"),
};

refuseMistakes(registry, Object.keys(GROUPS));
nameEventTypes(registry);

const byKind = new Map<string, Definition>(registry.map((definition) => [definition.kind, definition]));
const byPrefix = new Map(registry.map((definition) => [definition.idPrefix, definition]));

/** The definition of a kind, with the types of its fields. */
export const definitionOf = <K extends Kind>(kind: K): DefinitionOf<K> => definitionNamed(kind) as DefinitionOf<K>;

/** The definition of a kind whose name is only known at run time, for example from a table. Throws if there is none. */
export function definitionNamed(kind: string): Definition {
  const definition = byKind.get(kind);
  if (!definition) throw new Error(`There is no resource kind ${JSON.stringify(kind)}`);
  return definition;
}

/** The definition of an object by the prefix of its id. */
export const definitionOfId = (id: string): Definition | undefined => byPrefix.get(id.slice(0, id.indexOf("_")));

/** The definitions that a reference to these kinds or groups may point to. */
export const targetsOf = (kinds: readonly ReferenceTarget[]): Definition[] =>
  registry.filter((definition) => kinds.some((kind) => kind === definition.kind || GROUPS[kind]?.(definition)));
