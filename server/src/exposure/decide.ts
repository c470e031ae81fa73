import { isAddress, present } from "@tunnelplane/sdk/contract";
import { type Decision, type DecisionRequest, decisions } from "@tunnelplane/sdk/meaning";
import { isHostport, isWildcard, readHostport, withoutEdge } from "@tunnelplane/sdk/rules";
import { type Caller, holderOf } from "../auth";
import { portsOf } from "../gateways";
import type { ServerContext } from "../resources";
import { grouped, pipelined } from "../util";
import { candidatesOf, View } from "../view";
import { edgesWithRoutes, Gathering, MAX_OBJECTS } from "./gather";

/**
 * Decides requests on what is stored, in their order. Reads only the edges that may take them, what these
 * refer to (at most 1,000 objects), and the newest 500 credentials of each kind.
 * @param gone aborts when the caller has hung up
 */
export async function decide(
  { store: { reader }, documents, compute: { decisions: thread } }: ServerContext,
  caller: Caller,
  requests: readonly DecisionRequest[],
  gone?: AbortSignal,
): Promise<Decision[]> {
  const view = View.of({ db: reader, documents }, caller);
  const gathering = new Gathering(view);
  const [edges] = await pipelined([edgesOf(view, requests), gathering.addRestrictions()]);
  const whole = new Set<string>();
  for (const id of new Set(edges.flat())) {
    await gathering.add(await edgesWithRoutes(view, [id], MAX_OBJECTS));
    if (gathering.full) break;
    whole.add(id);
  }
  const isKnown = (index: number) => present(edges[index]).every((id) => whole.has(id));
  // In a world without all credentials, missing edges are not certain. But here it is known whether an edge
  // exists.
  const nothing = decisions({ objects: [] });
  const isServed = (index: number) => present(edges[index]).length > 0;
  const asked = requests.filter((_, index) => isServed(index) && isKnown(index));
  const { credentials, full } =
    asked.length > 0 ? await view.credentials(caller) : { credentials: [], full: false };
  const ports = await portsOf(reader);
  const world = {
    objects: [...gathering.all, ...credentials],
    partial: full,
    now: Date.now(),
    ...(ports && { ports }),
  };
  const decided =
    asked.length > 0 ? await thread.decide(holderOf(caller), { world, requests: asked }, gone) : [];
  const inOrder = decided.values();
  return requests.map((request, index) => {
    if (!isServed(index)) return nothing.decide(request);
    return isKnown(index) ? present(inOrder.next().value) : TOO_MUCH;
  });
}

const TOO_MUCH = withoutEdge(
  "unknown",
  `more than ${MAX_OBJECTS} objects belong to the addresses of these requests. Ask about fewer addresses at once.`,
);

/** For each request, the edges that may take it: the edge of its address, and that of its Host header. */
async function edgesOf(view: View, requests: readonly DecisionRequest[]): Promise<string[][]> {
  const wanted = requests.map((request) => namesOf(request).map(candidatesOf));
  const [found, atPorts] = await pipelined([view.edgesAt(wanted.flat(2)), tcpEdgesOf(view, requests)]);
  const owners = new Map(found.map(({ value, resource_id }) => [value, resource_id]));
  return wanted.map(
    (names, index) =>
      atPorts.get(portIn(requests[index]))?.map(({ resource_id }) => resource_id) ??
      // All of them: the best one may serve nothing yet.
      names.flat().flatMap((candidate) => owners.get(candidate) ?? []),
  );
}

function namesOf({ address, host }: DecisionRequest): string[] {
  if (!isName(address)) return [];
  const other = host && `${host.replace(/:\d+$/, "")}:${readHostport(address).port}`;
  return other && isName(other) ? [address, other] : [address];
}

const isName = (text: string): boolean => isHostport(text) && !isWildcard(text);

const portIn = (request: DecisionRequest | undefined): string =>
  request && isAddress(request.address) ? String(readHostport(request.address).port) : "";

/** The TCP edges of the ports that are asked for: they take connections whatever name these use. */
async function tcpEdgesOf(view: View, requests: readonly DecisionRequest[]) {
  const ports = requests.map(portIn).filter((port) => port !== "");
  return grouped(await view.tcpEdgesAt(ports), ({ value }) => value);
}
