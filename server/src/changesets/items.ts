import { randomBytes } from "node:crypto";
import {
  type Definition,
  definitionNamed,
  fieldsWhere,
  marksOf,
  own,
  present,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import { holderOf, isLent, ONLY_LENT, refuseUnlessMay } from "../auth";
import type { Findings } from "../compute";
import type { Document } from "../documents";
import { type Amendment, amendmentOf, type ResolvableReference } from "../resources";
import { newId, RequestError, yieldToEventLoop } from "../util";
import { isSeenBy } from "../view";
import type { MemberRow } from "./facts";
import { keysToIds, NO_KEY, writtenAs } from "./keys";
import type { Loaded, Planning } from "./planning";
import type { Wanted } from "./request";

/** One object of the set, before and after the change. */
export interface Item {
  /** `<kind>/<key>` */
  readonly name: string;
  readonly definition: Definition;
  readonly key: string;
  /** The stored object; undefined for a new one. */
  readonly old: Loaded | undefined;
  /** Its place in the set until now. */
  readonly member: MemberRow | undefined;
  /** Whether the request names it. A member that it leaves out may have to follow others. */
  readonly isWanted: boolean;
  /** The fields of the request, checked, with defaults. */
  readonly body: Findings;
  /** The fields that the set declares. */
  readonly declared: readonly string[];
  /** The fields that an update replaces. */
  readonly patch: Document;
  /** Fields that the request leaves out and a new object needs. */
  readonly lacking: readonly string[];
  /** The id after the change: a new one if the object is replaced. */
  id: string;
  /** The stored object after the change. */
  amendment?: Amendment;
  /** The complete fields that it will have. */
  sent: Document;
  references: readonly ResolvableReference[];
  isReplaced: boolean;
  /** Computed fields that follow from what is sent, for a new object. */
  derived: Document | undefined;
}

/** The end of ids that stand for missing objects. Their faults are in the list already. */
const MISSING = randomBytes(12).toString("hex");
export const isMissing = (id: string): boolean => id.endsWith(MISSING);

/** The members that no object of a request replaces. */
export const undeclaredMembers = (members: readonly MemberRow[], ids: ReadonlySet<string>): MemberRow[] =>
  members.filter((member) => !ids.has(member.resource_id));

export const nameOf = ({ kind, key }: Pick<MemberRow, "kind" | "key">): string => `${kind}/${key}`;

/** Finds the stored object for each object of the request: by the id that it names, or else by its key. */
export function identify(
  objects: readonly Wanted[],
  members: readonly MemberRow[],
): Map<Wanted, MemberRow | string | undefined> {
  const byId = new Map(members.map((member) => [member.resource_id, member]));
  const byName = new Map(members.map((member) => [nameOf(member), member]));
  const named = new Set(objects.flatMap(({ id }) => id ?? []));
  return new Map(
    objects.map((wanted) => {
      if (wanted.id !== undefined) return [wanted, byId.get(wanted.id) ?? wanted.id];
      const member = byName.get(wanted.name);
      return [wanted, member && !named.has(member.resource_id) ? member : undefined];
    }),
  );
}

/** The objects of the request, with ids in the place of keys, checked against the contract. */
export async function itemsOf(
  planning: Planning,
  identified: ReadonlyMap<Wanted, MemberRow | string | undefined>,
): Promise<Item[]> {
  const { faults, loaded, undeclared } = planning;
  const idOf = (found: MemberRow | string | undefined) =>
    typeof found === "object" ? found.resource_id : found;
  const ids = new Map<string, string>();
  for (const [wanted, found] of identified)
    ids.set(wanted.name, idOf(found) ?? newId(wanted.definition.idPrefix));
  const left = new Map(undeclared.map((member) => [nameOf(member), member.resource_id]));
  const items: Item[] = [];
  for (const [wanted, found] of identified) {
    await yieldToEventLoop();
    const { name, definition } = wanted;
    const id = idOf(found);
    const old = id === undefined ? undefined : loaded.get(id);
    try {
      refuseUnlessMay(planning.caller, "read", definition);
      if (id !== undefined && (!old || !isSeenBy(planning.caller, definition, old))) {
        if (old && isLent(definition, old, planning.caller)) {
          const message = `names ${id}, which ${ONLY_LENT}; leave it out to make a new one`;
          faults.add(name, { error: "forbidden", path: ["id"], message });
        } else if (typeof found === "object") {
          const message = "is the key of an object of another owner; choose another key";
          faults.add(name, { error: "taken", path: ["key"], message });
        } else {
          const message = `names ${id}, but there is no such ${definition.title}; leave it out to make a new one`;
          faults.add(name, { error: "missing_target", path: ["id"], message });
        }
        continue;
      }
      let missing = 0;
      const fields = keysToIds(definition, wanted.fields, ({ target, path, schema }) => {
        const known =
          target === undefined
            ? undefined
            : (ids.get(target) ?? (planning.mode === "merge" ? left.get(target) : undefined));
        const [kind] = (target ?? "").split("/");
        const prefix =
          targetsOf(marksOf(schema).reference?.to ?? []).find((one) => one.kind === kind) ?? definition;
        // Each missing object has its own id, so that two of them are two entries of a map.
        const stand = known ?? `${prefix.idPrefix}_${missing++}${MISSING}`;
        if (target !== undefined) faults.write(name, stand, writtenAs(target));
        if (known !== undefined) return known;
        if (target === undefined) faults.add(name, { error: "invalid_field", path, message: NO_KEY });
        else if (!faults.has(target)) {
          const message = left.has(target)
            ? `names ${target}, which this request would delete, because it leaves it out; declare it, or do not refer to it`
            : `names ${target}, but neither this request nor the set has such an object; add it to the request, or name another`;
          faults.add(name, { error: "missing_target", path, message });
        }
        return stand;
      });
      const member = typeof found === "object" ? found : undefined;
      items.push(await itemOf(planning, wanted, fields, { id: present(ids.get(name)), old, member }));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      faults.addRefusal(name, error);
    }
  }
  return items;
}

/** A member that the request leaves out and that stays: it may have to follow an object that is replaced. */
export function memberItem(planning: Planning, member: MemberRow): Item | undefined {
  const old = planning.loaded.get(member.resource_id);
  const definition = definitionNamed(member.kind);
  if (!old || !isSeenBy(planning.caller, definition, old)) return undefined;
  const body = { value: planning.documents.sentOf(definition, old.before), problems: [] };
  const declared = JSON.parse(member.declared);
  const about = { name: nameOf(member), definition, key: member.key, id: old.id, old, member };
  return newItem({ ...about, isWanted: false, body, declared, patch: {}, lacking: [] });
}

type NewItem = Omit<Item, "sent" | "references" | "isReplaced" | "derived">;

/** An item before planning changes anything. */
const newItem = (item: NewItem): Item => {
  const { value: sent, derived } = item.body;
  return { ...item, sent, references: [], isReplaced: false, derived };
};

interface Identity {
  readonly id: string;
  readonly old: Loaded | undefined;
  readonly member: MemberRow | undefined;
}

async function itemOf(
  planning: Planning,
  { name, definition, key }: Wanted,
  fields: Document,
  { id, old, member }: Identity,
): Promise<Item> {
  const body = await planning.context.compute.bodies.validate(
    holderOf(planning.caller),
    { kind: definition.kind, what: "create" },
    fields,
    planning.gone,
  );
  const before: readonly string[] = member ? JSON.parse(member.declared) : [];
  const isLeftOut = (field: string) => own(fields, field) === undefined || own(fields, field) === null;
  // Fields that were never declared are left alone, even if a new object would need them.
  const isLacking = (path: readonly PropertyKey[]) =>
    old !== undefined && path.length === 1 && isLeftOut(String(path[0])) && !before.includes(String(path[0]));
  const problems = body.problems.filter(({ path }) => !isLacking(path));
  for (const problem of problems) planning.faults.add(name, problem);
  const lacking = body.problems.filter(({ path }) => isLacking(path)).map(({ path }) => String(path[0]));
  const declared = Object.keys(definition.fields).filter(
    (field) => !isLeftOut(field) && own(body.value, field) !== undefined,
  );
  const chosenByServer = fieldsWhere(definition, (marks) => marks.serverDefault);
  const dropped = before.filter(
    (field) =>
      Object.hasOwn(definition.fields, field) && !declared.includes(field) && !chosenByServer.includes(field),
  );
  const patch = Object.fromEntries([...declared, ...dropped].map((field) => [field, own(body.value, field)]));
  const about = { name, definition, key, id, old, member };
  return newItem({ ...about, isWanted: true, body, declared, patch, lacking });
}

/** An object as the request declares it, before replacements. */
export function begin({ documents, faults }: Planning, item: Item): void {
  const { old, body, definition, patch, name } = item;
  if (!old || faults.has(name)) {
    item.sent = body.value;
    return;
  }
  item.id = old.id;
  item.isReplaced = false;
  item.amendment = amendmentOf(documents, definition, old.before, patch);
  item.sent = item.amendment.sent;
}
