import type { Objects } from "../envoy/model";
import { isWildcard, readHostport, socketOfHostport, socketOfLabels } from "../envoy/names";
import type { Bind } from "./bindAddress";

/** The binds that agents may serve, by the name of the Unix socket that Envoy connects to. */
export type Declared = ReadonlyMap<string, Bind>;

/** Hostports of edges without a backend of their own, and tunnel groups. */
export function declaredBy(objects: Objects): Declared {
  const declared = new Map<string, Bind>();
  const open = [
    ...objects.tls_edge.filter(({ backend }) => !backend),
    ...objects.https_edge.filter(({ routes }) => routes.some(({ backend }) => !backend)),
  ];
  for (const { hostports } of open) {
    for (const hostport of hostports.map(readHostport)) declared.set(socketOfHostport(hostport), hostport);
  }
  for (const { labels } of objects.tunnel_group_backend) declared.set(socketOfLabels(labels), { labels });
  return declared;
}

/** Whether what an agent has bound serves what is declared: the same hostport, or all labels of a group. */
export function serves(bound: Bind, declared: Bind): boolean {
  if ("labels" in bound)
    return "labels" in declared && Object.entries(declared.labels).every(([key, value]) => bound.labels[key] === value);
  return (
    !("labels" in declared) &&
    declared.host === bound.host &&
    declared.port === bound.port &&
    isWildcard(declared.host) === isWildcard(bound.host)
  );
}
