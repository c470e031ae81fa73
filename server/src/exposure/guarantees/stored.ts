import { present, readGuaranteedAddress } from "@tunnelplane/sdk/contract";
import { coversHost, type GuaranteeState, type World } from "@tunnelplane/sdk/meaning";
import type { Kysely } from "kysely";
import type { Document } from "../../documents";
import { portsOf } from "../../gateways";
import type { Database } from "../../storage";
import { yieldToEventLoop } from "../../util";
import type { View } from "../../view";
import { worldOfEdges } from "../gather";
import { MAX_OBJECTS } from "./limits";

/** The world at the addresses of guarantees of a project, as it is stored. */
export async function worldOf(
  db: Kysely<Database>,
  view: View,
  guarantees: readonly Document[],
): Promise<World> {
  const hosts = new Set(
    guarantees.flatMap(({ addresses }) =>
      (Array.isArray(addresses) ? addresses : []).flatMap((address: unknown) => {
        const read = readGuaranteedAddress(String(address));
        return typeof read === "string" ? [] : read.host;
      }),
    ),
  );
  const edges = new Set<string>();
  for (let from = ""; ; ) {
    const page = await view.hostportsFrom(from, AT_ONCE);
    for (const { value, resource_id } of page)
      if (isNear(value.slice(0, value.lastIndexOf(":")), hosts)) edges.add(resource_id);
    const last = page.at(-1);
    if (page.length < AT_ONCE || !last) break;
    from = `${last.value} `;
    await yieldToEventLoop();
  }
  const ports = await portsOf(db);
  const world = await worldOfEdges(view, [...edges], MAX_OBJECTS);
  return { ...world, ...(ports && { ports }) };
}

/** Nobody whose credentials these are: all are looked at, and none is shown. */
const NOBODY = { role: "viewer", ownerId: "" } as const;

/** A world with the newest credentials of its project. */
export async function withCredentials(view: View, world: World): Promise<World> {
  const { credentials, full } = await view.credentials(NOBODY);
  const known = new Set(world.objects.map(({ id }) => id));
  return {
    ...world,
    objects: [...world.objects, ...credentials.filter(({ id }) => !known.has(id))],
    ...(full && { partial: true, knowsEdges: true }),
  };
}

/**
 * States with examples that say whether a credential lets somebody answer. Whether a guarantee holds does
 * not depend on credentials, so that they are read only for the examples that need them.
 *
 * @param judge judges the same guarantees again
 */
export async function withAnswers(
  states: readonly GuaranteeState[],
  toJudge: { readonly world: World; readonly guarantees: readonly Document[] },
  view: View,
  judge: (toJudge: {
    readonly world: World;
    readonly guarantees: readonly Document[];
  }) => Promise<readonly GuaranteeState[]>,
): Promise<readonly GuaranteeState[]> {
  const isOpen = ({ example }: GuaranteeState) => example?.decision.outcome === "unserved";
  if (!states.some(isOpen)) return states;
  const world = await withCredentials(view, toJudge.world);
  const guarantees = toJudge.guarantees.filter((_, index) => isOpen(present(states[index])));
  const again = (await judge({ world, guarantees })).values();
  return states.map((state) => (isOpen(state) ? present(again.next().value) : state));
}

/** A state with a reason where its world says more about it. */
export function withReason(judged: GuaranteeState, { partial }: World): GuaranteeState {
  const { state, covered, reason } = judged;
  if (partial && state === "unproved")
    return {
      ...judged,
      reason: `More than ${MAX_OBJECTS.toLocaleString("en-US")} objects decide at its addresses.`,
    };
  return covered === 0 && reason === undefined
    ? { ...judged, reason: "It covers no address that is declared now." }
    : judged;
}

/** Whether a hostport is covered, serves a name that is, or takes names of a wildcard that is. */
function isNear(host: string, wanted: ReadonlySet<string>): boolean {
  for (const pattern of wanted)
    if (coversHost(pattern, host) || (host.startsWith("*.") && pattern.endsWith(host.slice(1)))) return true;
  return false;
}

const AT_ONCE = 500;
