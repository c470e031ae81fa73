import { own } from "../../contract/core/narrow";
import { CREDENTIALS, Credentials } from "../judgement/backends/binding";
import type { Model, ModelObject } from "../model";
import { isObject } from "../values";

/** Fields that no decision looks at, of any object. */
export const NOT_DECIDING = new Set(["description", "metadata", "created_at", "uri", "expired"]);

/**
 * The objects that a change may make decide differently: those that differ, and those that refer to them,
 * near or far. By identity, which is the same in both worlds.
 */
export function touchedBy(before: Model, after: Model): ReadonlySet<string> {
  const touched = changedBetween(before, after);
  if (touched.size === 0) return touched;
  const referrers = new Map<string, string[]>();
  // An object that did not change refers to the same objects in both worlds.
  for (const thing of [...after.all, ...before.all.filter(({ identity }) => touched.has(identity))])
    for (const reference of textsBelow(thing.fields)) {
      const found = (after.find(reference) ?? before.find(reference))?.identity;
      if (found !== undefined && found !== thing.identity) push(referrers, found, thing.identity);
    }
  for (const model of [before, after])
    for (const policy of model.of("ip_policy"))
      for (const rule of model.belongingTo(policy)) push(referrers, rule.identity, policy.identity);
  for (const identity of touched) for (const referrer of referrers.get(identity) ?? []) touched.add(referrer);
  const isOfAll = ({ kind, identity }: ModelObject) => kind === "ip_restriction" && touched.has(identity);
  if ([...before.of("ip_restriction"), ...after.of("ip_restriction")].some(isOfAll))
    for (const model of [before, after])
      for (const { identity } of [...model.edges, ...model.of("https_edge_route")]) touched.add(identity);
  return touched;
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function changedBetween(before: Model, after: Model): Set<string> {
  const changed = new Set<string>();
  const past = new Map(before.all.map((thing) => [thing.identity, thing]));
  for (const thing of after.all) {
    const was = past.get(thing.identity);
    past.delete(thing.identity);
    if (!was || !isSame(was, thing)) changed.add(thing.identity);
  }
  for (const gone of past.keys()) changed.add(gone);
  if (
    CREDENTIALS.some((kind) =>
      [...before.of(kind), ...after.of(kind)].some((credential) => changed.has(credential.identity)),
    )
  )
    for (const group of groupsServedOtherwise(before, after)) changed.add(group.identity);
  return changed;
}

/** The tunnel groups that other credentials may serve now: this is not visible in the group itself. */
function groupsServedOtherwise(before: Model, after: Model): ModelObject[] {
  const [served, serves] = [new Credentials(before), new Credentials(after)];
  const isServed = (credentials: Credentials, { fields }: ModelObject) =>
    isObject(fields.labels) && credentials.ofLabels(fields.labels).length > 0;
  return after
    .of("tunnel_group_backend")
    .filter((group) => isServed(served, group) !== isServed(serves, group));
}

const isSame = (a: ModelObject, b: ModelObject): boolean =>
  (a.object === b.object && a.modules.size + b.modules.size === 0) ||
  (a.kind === b.kind &&
    a.object.id === b.object.id &&
    a.object.hidden === b.object.hidden &&
    equal(a.fields, b.fields));

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => equal(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => NOT_DECIDING.has(name) || equal(own(a, name), own(b, name)));
}

/** All texts in a value, the names of a map among them: each may refer to an object. */
function* textsBelow(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsBelow(item);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      yield name;
      yield* textsBelow(member);
    }
}
