import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@tunnelplane/sdk";
import { ConflictError, PreconditionFailedError } from "@tunnelplane/sdk";
import { type Definition, registry } from "@tunnelplane/sdk/contract";
import type { Properties } from "../core/values";
import { edgeMark, MOST_EDGES, type Origin } from "./origin";
import type { RecordedResource } from "./stateBackend";

/** A program that has declared nothing for so long has declared all that it declares before something here is done. */
const QUIET_MS = 3000;
/** How often a hostport is taken from an edge that somebody else changes at the same time. */
const MOST_TRIES = 10;

/** The hostports that resources of this run declare, by URN, in small letters. */
const declared = new Map<string, ReadonlySet<string>>();
let lastDeclared = 0;

/** Notes what a resource declares; every resource, because those that come show that the program goes on. */
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

/** An edge of the stack, as the state has it, which serves a hostport that another one of the stack declares. */
interface Holder {
  readonly hostport: string;
  readonly definition: Definition;
  readonly name: string;
  readonly resource: RecordedResource;
}

const edges = new Map(registry.filter(({ fields }) => fields.hostports).map((definition) => [definition.type, definition]));

/** Tells the resource itself from others of the state. */
type IsItself = (resource: RecordedResource) => boolean;

export function holdersOf(isItself: IsItself, hostports: readonly string[], recorded: readonly RecordedResource[]): Holder[] {
  const wanted = new Map(hostports.map((hostport) => [hostport.toLowerCase(), hostport]));
  return recorded.flatMap((resource) => {
    const definition = edges.get(resource.type.split(":").at(-1) ?? "");
    // Another account may be another server, where the same hostport is another.
    if (!definition || isItself(resource) || !resource.provider?.includes("::default")) return [];
    const served = resource.outputs?.hostports ?? resource.inputs?.hostports;
    return (Array.isArray(served) ? served : []).flatMap((hostport) => {
      const found = wanted.get(String(hostport).toLowerCase());
      return found === undefined ? [] : [{ hostport: found, definition, name: nameIn(resource.urn), resource }];
    });
  });
}

/** Whether the program declares the edge that has a hostport, without it. The engine checks one resource after the other, while it makes others. */
async function isGivenUp({ resource, hostport }: Holder): Promise<boolean> {
  while (!declared.has(resource.urn) && Date.now() - lastDeclared < QUIET_MS) await sleep(50);
  return declared.get(resource.urn)?.has(hostport.toLowerCase()) === false;
}

/**
 * Why a run would fail to give a resource what it declares: hostports that another resource declares, too, and those that an
 * edge of the stack has that the program does not declare any more, which is often the resource itself under its old name.
 */
export function refusalsToServe(
  { urn, edges }: Origin,
  { all, added }: { all: readonly string[]; added: readonly string[] },
  recorded: readonly RecordedResource[],
): string[] {
  const twice = all.flatMap((hostport) => {
    const [other] = [...declared].find(([otherUrn, served]) => otherUrn !== urn && served.has(hostport.toLowerCase())) ?? [];
    return other === undefined ? [] : [`hostports: "${hostport}" is declared by this stack's \`${nameIn(other)}\`, too; declare it once`];
  });
  const knowsAll = edges !== undefined && edges.length < MOST_EDGES;
  const left = holdersOf((resource) => resource.urn === urn, knowsAll ? added : [], recorded)
    .filter(({ definition, name, resource }) => !declared.has(resource.urn) && !edges?.includes(edgeMark(definition.type, name)))
    .map(({ hostport, name, definition }) => {
      const alias = urn.includes(`:${definition.type}::`)
        ? `add an alias, \`{ aliases: [{ name: "${name}" }] }\`, if that is what this resource was called before; otherwise `
        : "";
      return `hostports: "${hostport}" is served by this stack's \`${name}\`: ${alias}take it from there in a run before this one`;
    });
  return [...twice, ...left];
}

/** The hostports that may have to be taken from other edges of the stack. */
export interface Wanted {
  readonly hostports: readonly string[];
  readonly isItself: IsItself;
  readonly recorded: () => Promise<readonly RecordedResource[]>;
}

/**
 * Carries out what may be refused because another edge of the stack serves a hostport that it gives up in the same run:
 * whichever of the two comes first, it is taken from there. Two edges may so exchange what they serve.
 */
export async function moving<T>(transport: Transport, { hostports, isItself, recorded }: Wanted, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConflictError) || hostports.length === 0 || tries === MOST_TRIES) throw error;
      const holders = holdersOf(isItself, hostports, await recorded());
      const givenUp = await Promise.all(holders.map(isGivenUp));
      // The state may be that after the other edge's update, which came between.
      if ((holders.length === 0 && tries > 1) || givenUp.includes(false)) throw error;
      for (const holder of holders) await takeFrom(transport, holder);
    }
  }
}

/** Takes a hostport from the edge that has it, unless that has given it up by itself meanwhile. */
async function takeFrom(transport: Transport, { definition, resource, hostport }: Holder): Promise<void> {
  const path = `${definition.path}/${resource.id}`;
  for (let tries = 1; ; tries++) {
    const { body, etag } = await transport.request<{ hostports: string[] }>("GET", path);
    const left = body.hostports.filter((served) => served.toLowerCase() !== hostport.toLowerCase());
    if (left.length === body.hostports.length) return;
    try {
      await transport.request("PATCH", path, { hostports: left }, { ifMatch: etag });
      return;
    } catch (error) {
      if (!(error instanceof PreconditionFailedError) || tries === MOST_TRIES) throw error;
    }
  }
}
