import { isEdgeKind } from "@tunnelplane/sdk/contract";
import {
  type Decider,
  type Decision,
  type DecisionRequest,
  decisions,
  type World,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import { isHostport, isWildcard, readHostport, wildcardsAbove } from "@tunnelplane/sdk/rules";
import type { EdgeState } from "../envoy/model";
import type { Answer } from "./agreement";
import { Trial } from "./trial";

export interface Side {
  readonly said: Decision;
  readonly envoy: Answer;
}

export interface Tried {
  readonly request: DecisionRequest;
  readonly before: Side;
  readonly after: Side;
  /** Whether both Envoys did what was decided. */
  readonly agrees: boolean;
}

interface Options {
  /** Envoy's. */
  readonly program: string;
  /** Called with each edge that is rejected. */
  readonly onRejected: (side: "before" | "after", edge: EdgeState) => void;
}

/** Sends requests to two Envoys, one for each of two worlds, and says of each request what was decided. */
export async function* tryChange(
  before: World,
  after: World,
  requests: readonly DecisionRequest[],
  { program, onRejected }: Options,
): AsyncIterable<Tried> {
  const trials: Trial[] = [];
  const start = async (world: World, name: "before" | "after") => {
    const trial = await Trial.start(program);
    trials.push(trial);
    const edges = await trial.serve(partFor(world, requests));
    for (const edge of edges) if (edge.state === "rejected") onRejected(name, edge);
    return { trial, decider: decisions(world) };
  };
  try {
    const [was, is] = [await start(before, "before"), await start(after, "after")];
    for (const request of requests) {
      const [one, other] = await Promise.all([ask(was, request), ask(is, request)]);
      yield {
        request,
        before: one.side,
        after: other.side,
        agrees: one.agrees && other.agrees,
      };
    }
  } finally {
    await Promise.all(trials.map((trial) => trial.stop()));
  }
}

async function ask(
  { trial, decider }: { readonly trial: Trial; readonly decider: Decider },
  request: DecisionRequest,
): Promise<{ readonly side: Side; readonly agrees: boolean }> {
  const side = { said: decider.decide(request), envoy: await trial.ask(request) };
  return { side, agrees: trial.agrees(side.said, side.envoy) };
}

/**
 * The part of a world that may matter for these requests: each edge with a hostport that could take one of
 * them, by the name in TLS or by the Host header, and all other objects.
 */
function partFor(world: World, requests: readonly DecisionRequest[]): World {
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
