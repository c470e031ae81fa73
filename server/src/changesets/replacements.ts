import { isDeepStrictEqual } from "node:util";
import { fieldsWhere, own } from "@tunnelplane/sdk/contract";
import { holderOf } from "../auth";
import type { Document } from "../documents";
import { amendmentOf, referencesOf } from "../resources";
import { inOrder, newId, yieldToEventLoop } from "../util";
import { begin, type Item } from "./items";
import { moveIds } from "./keys";
import type { Planning } from "./planning";

/** Puts objects in the order of their references. */
export function orderedByReferences(planning: Planning, items: readonly Item[]): Item[] {
  const byId = new Map(items.map((item) => [item.old?.id ?? item.id, item]));
  for (const item of items) begin(planning, item);
  for (const item of items) item.references = referencesOf(item.definition, item.sent);
  return inOrder(items, ({ references }) => references.flatMap(({ id }) => byId.get(id) ?? []));
}

/**
 * Finds the objects that have to be replaced, because a field differs that is set at creation only, and lets
 * references follow.
 * @param items in the order of their references
 * @returns the new id of each object that is replaced, by its old one
 */
export async function replaceWhatMust(
  planning: Planning,
  items: readonly Item[],
): Promise<Map<string, string>> {
  const moved = new Map<string, string>();
  for (const item of items) {
    await yieldToEventLoop();
    const { definition, old, name } = item;
    if (planning.faults.has(name)) continue;
    if (moved.size > 0) follow(planning, item, moved);
    if (!old || !item.amendment) continue;
    const { sentBefore, problems } = item.amendment;
    const isOther = (field: string) => !isDeepStrictEqual(own(sentBefore, field), own(item.sent, field));
    if (fieldsWhere(definition, (marks) => marks.immutable).some(isOther)) {
      item.isReplaced = true;
      item.id = newId(definition.idPrefix);
      item.sent = await contentOfNew(planning, item, sentBefore, moved);
      moved.set(old.id, item.id);
    } else for (const problem of problems) planning.faults.add(name, problem);
  }
  return moved;
}

/** Lets an object refer to the new ones in place of those that are replaced. */
function follow({ documents }: Planning, item: Item, moved: ReadonlyMap<string, string>): void {
  const { definition, old, patch } = item;
  if (!item.references.some(({ id }) => moved.has(id))) return;
  const now = moveIds(definition, item.sent, moved);
  if (old) {
    const fields = Object.fromEntries(Object.keys(definition.fields).map((name) => [name, own(now, name)]));
    item.amendment = amendmentOf(documents, definition, old.before, { ...patch, ...fields });
    item.sent = item.amendment.sent;
  } else item.sent = now;
  item.references = referencesOf(definition, item.sent);
}

/** The fields of a replacement: the declared ones, and of the others only those that a creation requires. */
async function contentOfNew(
  planning: Planning,
  item: Item,
  sentBefore: Document,
  moved: ReadonlyMap<string, string>,
): Promise<Document> {
  const { definition, body, lacking, name, isWanted } = item;
  const declared = isWanted ? body.value : onlyDeclared(item, sentBefore);
  const whole = {
    ...declared,
    ...Object.fromEntries(lacking.map((field) => [field, own(sentBefore, field)])),
  };
  const { value, problems, derived } = await planning.context.compute.bodies.validate(
    holderOf(planning.caller),
    { kind: definition.kind, what: "create" },
    moveIds(definition, whole, moved),
    planning.gone,
  );
  for (const problem of problems) planning.faults.add(name, problem);
  item.derived = derived;
  return value;
}

/**
 * The fields of a member that the request leaves out: those that the set declared for it, and those that a
 * creation needs besides.
 */
function onlyDeclared({ definition, declared }: Item, sent: Document): Document {
  const chosenByServer = fieldsWhere(definition, (marks) => marks.serverDefault);
  return Object.fromEntries(
    Object.entries(sent).filter(([field]) => declared.includes(field) || !chosenByServer.includes(field)),
  );
}
