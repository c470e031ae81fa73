import { apiKey } from "./apiKey";
import { botUser } from "./botUser";
import { certificateAuthority } from "./certificateAuthority";
import type { Definition } from "./core/definition";
import { refuseMistakes } from "./core/refuseMistakes";
import { eventDestination } from "./eventDestination";
import { eventSubscription } from "./eventSubscription";
import { failoverBackend } from "./failoverBackend";
import { nameEventTypes } from "./formats/event";
import { httpResponseBackend } from "./httpResponseBackend";
import { httpsEdge } from "./httpsEdge";
import { httpsEdgeRoute } from "./httpsEdgeRoute";
import { ipPolicy } from "./ipPolicy";
import { ipPolicyRule } from "./ipPolicyRule";
import { sshCertificateAuthority } from "./sshCertificateAuthority";
import { sshCredential } from "./sshCredential";
import { sshHostCertificate } from "./sshHostCertificate";
import { sshUserCertificate } from "./sshUserCertificate";
import { staticBackend } from "./staticBackend";
import { tlsEdge } from "./tlsEdge";
import { tunnelCredential } from "./tunnelCredential";
import { tunnelGroupBackend } from "./tunnelGroupBackend";
import { weightedBackend } from "./weightedBackend";

/** Every resource type there is. A new type is one file and one line here. */
export const registry: readonly Definition[] = [
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
];

/** Names that stand for several kinds where a reference may point to any of them. */
const GROUPS: Readonly<Record<string, (definition: Definition) => boolean>> = {
  backend: (definition) => definition.path.startsWith("/backends/"),
};

refuseMistakes(registry, Object.keys(GROUPS));
nameEventTypes(registry);

const byKind = new Map(registry.map((definition) => [definition.kind, definition]));
const byPrefix = new Map(registry.map((definition) => [definition.idPrefix, definition]));

/** The definition of a kind. Throws for a kind that does not exist, which is a mistake in this code. */
export function definitionOf(kind: string): Definition {
  const definition = byKind.get(kind);
  if (!definition) throw new Error(`There is no resource kind ${JSON.stringify(kind)}`);
  return definition;
}

/** The definition of the object that an id names, judged by its prefix. */
export const definitionOfId = (id: string): Definition | undefined => byPrefix.get(id.slice(0, id.indexOf("_")));

/** The definitions that a reference to these kinds or groups may point to. */
export const targetsOf = (kinds: readonly string[]): Definition[] =>
  registry.filter((definition) => kinds.some((kind) => kind === definition.kind || GROUPS[kind]?.(definition)));
