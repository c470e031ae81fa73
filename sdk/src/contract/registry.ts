import type { Definition } from "./core/definition";
import { refuseMistakes } from "./core/refuseMistakes";
import { nameEventTypes } from "./formats/event";
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
