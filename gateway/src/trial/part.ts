import { isEdgeKind } from "@tunnelplane/sdk/contract";
import type { DecisionRequest, World, WorldObject } from "@tunnelplane/sdk/meaning";
import { isHostport, isWildcard, readHostport, wildcardsAbove } from "@tunnelplane/sdk/rules";

/**
 * The part of a world that may matter for these requests: each edge with a hostport that could take one of
 * them, by the name in TLS or by the Host header, and all other objects.
 */
export function partFor(world: World, requests: readonly DecisionRequest[]): World {
  const names = new Set(requests.flatMap(namesOf));
  const ports = new Set(requests.map(({ address }) => readHostport(address).port));
  const isAsked = ({ kind, fields: { hostports } }: WorldObject) => {
    if (!isEdgeKind(kind)) return true;
    const texts = Array.isArray(hostports) ? hostports.map(String) : [];
    // Connections over TCP say no name.
    return texts.some((one) =>
      kind === "tcp_edge" ? ports.has(readHostport(one).port) : names.has(one.toLowerCase()),
    );
  };
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
