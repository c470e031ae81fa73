import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@tunnelplane/sdk";
import { ConflictError, PreconditionFailedError } from "@tunnelplane/sdk";
import { type Definition, registry } from "@tunnelplane/sdk/contract";
import type { Properties } from "../core/values";
import { edgeMark, MOST_EDGES, type Origin } from "./origin";
import type { RecordedResource } from "./stateBackend";

/** If the program declares nothing for so long, it is waiting for this resource, and declares nothing more before it is done. */
const QUIET_MS = 3000;
/** How often to retry when somebody else changes the same edge at the same time. */
const MOST_TRIES = 10;

/** The hostports that resources of this run declare, by URN, in lower case. */
const declared = new Map<string, ReadonlySet<string>>();
let lastDeclared = 0;

/** Notes the hostports of a resource. Call it for every resource: each one shows that the program is still declaring. */
export function noteHostports(urn: string, served: readonly string[]): void {
  lastDeclared = Date.now();
  declared.set(urn, new Set(served.map((hostport) => hostport.toLowerCase())));
}

const nameIn = (urn: string): string => urn.split("::").at(-1) ?? "";

/** The known hostports that a resource declares; empty unless it is an edge. */
export function hostportsOf(definition: Definition, { hostports }: Properties, isUnknown: (value: unknown) => boolean): string[] {
  if (!definition.fields.hostports || !Array.isArray(hostports)) return [];
  return hostports.filter((hostport): hostport is string => typeof hostport === "string" && !isUnknown(hostport));
}

/** An edge in the state that serves a hostport which another resource of the stack declares. */
interface Holder {
  readonly hostport: string;
  readonly definition: Definition;
  readonly name: string;
  readonly resource: RecordedResource;
}

const edges = new Map(registry.filter(({ fields }) => fields.hostports).map((definition) => [definition.type, definition]));

/** Whether a resource in the state is the one that is being changed. */
type IsItself = (resource: RecordedResource) => boolean;

export function holdersOf(isItself: IsItself, hostports: readonly string[], recorded: readonly RecordedResource[]): Holder[] {
  const wanted = new Map(hostports.map((hostport) => [hostport.toLowerCase(), hostport]));
  return recorded.flatMap((resource) => {
    const definition = edges.get(resource.type.split(":").at(-1) ?? "");
    // A resource with an explicit account may be on another server, where the same hostport is free.
    if (!definition || isItself(resource) || !resource.provider?.includes("::default")) return [];
    const served = resource.outputs?.hostports ?? resource.inputs?.hostports;
    return (Array.isArray(served) ? served : []).flatMap((hostport) => {
      const found = wanted.get(String(hostport).toLowerCase());
      return found === undefined ? [] : [{ hostport: found, definition, name: nameIn(resource.urn), resource }];
    });
  });
}

/** Whether the program declares the holder without the hostport. Waits, because the engine checks resources while it creates others. */
async function isGivenUp({ resource, hostport }: Holder): Promise<boolean> {
  while (!declared.has(resource.urn) && Date.now() - lastDeclared < QUIET_MS) await sleep(50);
  return declared.get(resource.urn)?.has(hostport.toLowerCase()) === false;
}

/**
 * Why a run could not give a resource its hostports: another resource declares the same one, or an edge of the stack that the
 * program no longer declares still serves it. That edge is often the resource itself under its old name.
 */
export function refusalsToServe(
  { urn, edges }: Origin,
  { all, added }: { all: readonly string[]; added: readonly string[] },
  recorded: readonly RecordedResource[],
): string[] {
  const twice = all.flatMap((hostport) => {
    const [other] = [...declared].find(([otherUrn, served]) => otherUrn !== urn && served.has(hostport.toLowerCase())) ?? [];
    return other === undefined
      ? []
      : [`hostports: "${hostport}" is declared by this stack's \`${nameIn(other)}\`, too; declare it in one of them only`];
  });
  const knowsAll = edges !== undefined && edges.length < MOST_EDGES;
  const undeclared = holdersOf((resource) => resource.urn === urn, knowsAll ? added : [], recorded)
    .filter(({ definition, name, resource }) => !declared.has(resource.urn) && !edges?.includes(edgeMark(definition.type, name)))
    .map(({ hostport, name, definition }) => {
      const alias = urn.includes(`:${definition.type}::`)
        ? `add an alias, \`{ aliases: [{ name: "${name}" }] }\`, if this resource had that name before; otherwise `
        : "";
      return `hostports: "${hostport}" is served by this stack's \`${name}\`: ${alias}remove it there in an earlier run`;
    });
  return [...twice, ...undeclared];
}

/** The hostports that may have to be taken from other edges of the stack. */
export interface Wanted {
  readonly hostports: readonly string[];
  readonly isItself: IsItself;
  readonly recorded: () => Promise<readonly RecordedResource[]>;
}

/**
 * Carries out a change. If the server refuses it because another edge of the stack still serves a hostport, and the program
 * removes it from that edge in the same run, removes it there first. So the order of the two does not matter, and two edges
 * can swap hostports.
 */
export async function movingHostports<T>(
  transport: Transport,
  { hostports, isItself, recorded }: Wanted,
  run: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConflictError) || hostports.length === 0 || tries === MOST_TRIES) throw error;
      const holders = holdersOf(isItself, hostports, await recorded());
      const givenUp = await Promise.all(holders.map(isGivenUp));
      // The other edge may have been updated just before the state was read; then there is no holder, and one retry helps.
      if ((holders.length === 0 && tries > 1) || givenUp.includes(false)) throw error;
      for (const holder of holders) await takeFrom(transport, holder);
    }
  }
}

/** Removes a hostport from an edge, unless it is gone there already. */
async function takeFrom(transport: Transport, { definition, resource, hostport }: Holder): Promise<void> {
  const path = `${definition.path}/${resource.id}`;
  for (let tries = 1; ; tries++) {
    const { body, etag } = await transport.request<{ hostports: string[] }>("GET", path);
    const remaining = body.hostports.filter((served) => served.toLowerCase() !== hostport.toLowerCase());
    if (remaining.length === body.hostports.length) return;
    try {
      await transport.request("PATCH", path, { hostports: remaining }, { ifMatch: etag });
      return;
    } catch (error) {
      if (!(error instanceof PreconditionFailedError) || tries === MOST_TRIES) throw error;
    }
  }
}
