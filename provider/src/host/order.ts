import * as pulumi from "@pulumi/pulumi";
import { keepersBefore } from "./modules";
import { objectsIn } from "./objects";

/** What a resource waits for before it is registered. */
interface Needs {
  readonly parent: object | undefined;
  /** Those that its arguments name, it depends on, or waits for by this file; undefined if not known. */
  others: readonly object[] | undefined;
}

const needs = new WeakMap<object, Needs>();
/** With more resources behind it, nobody waits for a resource. */
const MAX_BEHIND = 1000;

/** Notes what a resource of the program waits for. */
export function noteNeeds(
  resource: object,
  args: object,
  { parent, dependsOn = [] }: pulumi.ResourceOptions,
): void {
  const explicit = Array.isArray(dependsOn) ? dependsOn : [dependsOn];
  const isKnown =
    explicit.every((one) => pulumi.Resource.isInstance(one)) &&
    Object.values(args).every((one) => !(one instanceof Promise));
  needs.set(resource, { parent, others: isKnown ? [...explicit, ...objectsIn(args)] : undefined });
}

/**
 * Waits until all is there that keeps callers out of some of a resource's addresses: they would get in by
 * this one before. No dependency, because that would be in the state, and one could not be deleted without
 * the other. Call it when the program has declared everything.
 */
export async function keptBefore(resource: object | undefined): Promise<void> {
  const own = resource && needs.get(resource);
  if (!own) return;
  // Whoever waits for this resource is not waited for.
  const keepers = [...new Set(keepersBefore(resource))].filter((one) => !mayNeed(one, resource));
  own.others = own.others && [...own.others, ...keepers];
  await Promise.all(keepers.map(registered));
}

const registered = ({ urn }: pulumi.Resource): Promise<unknown> =>
  (urn as unknown as { promise(): Promise<unknown> }).promise();

/** Whether a resource waits for another one, as far as the program shows. In doubt, it does. */
function mayNeed(resource: object, other: object): boolean {
  const around = needs.get(other)?.parent;
  const seen = new Set<object>();
  for (const todo = [resource]; ; ) {
    const one = todo.pop();
    if (one === undefined) return false;
    if (seen.has(one)) continue;
    const behind = needs.get(one);
    if (one === other || seen.size === MAX_BEHIND || !behind?.others) return true;
    seen.add(one);
    todo.push(...behind.others);
    if (behind.parent !== undefined && behind.parent !== around) todo.push(behind.parent);
  }
}
