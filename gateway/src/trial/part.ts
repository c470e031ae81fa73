import type { DecisionRequest, World, WorldObject } from "@tunnelplane/sdk/meaning";
import { isHostport, isWildcard, readHostport, wildcardsAbove } from "@tunnelplane/sdk/rules";

const EDGES = new Set(["https_edge", "tls_edge"]);

/**
 * The part of a world that may matter for these requests: each edge with a hostport that could take one of
 * them, by the name in TLS or by the Host header, and all other objects.
 */
export function partFor(world: World, requests: readonly DecisionRequest[]): World {
  const names = new Set(requests.flatMap(namesOf));
  const isAsked = ({ kind, fields: { hostports } }: WorldObject) =>
    !EDGES.has(kind) ||
    (Array.isArray(hostports) && hostports.some((one) => names.has(String(one).toLowerCase())));
  return { ...world, objects: world.objects.filter(isAsked) };
}

function namesOf({ address, host }: DecisionRequest): string[] {
  if (!isHostport(address) || isWildcard(address)) return [];
  const { host: name, port } = readHostport(address);
  const asked = host?.replace(/:\d+$/, "").toLowerCase();
  return [name, ...(asked === undefined ? [] : [asked])]
    .flatMap((one) => [one, ...wildcardsAbove(one)])
    .map((one) => `${one}:${port}`);
}
