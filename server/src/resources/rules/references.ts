import {
  createSchema,
  type Definition,
  definitionOfId,
  referencesIn,
  targetsOf,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Document } from "../../documents";
import { type Fault, takeTurn } from "../../util";
import type { Coming, FaultList, ResolvableReference } from "./coming";
import type { Existing } from "./existing";

/** The references of a body, without those to users, which are not resources. */
export const referencesOf = (definition: Definition, sent: Document): ResolvableReference[] =>
  referencesIn(createSchema(definition), sent)
    .filter(({ id }) => !id.startsWith("usr_"))
    .map((reference) => ({ ...reference, targets: targetsOf(reference.reference.to) }));

/** Finds references whose id is of another type than may stand there. Reads nothing. */
export function checkKinds(coming: readonly Coming[], faults: FaultList): void {
  for (const { name, references } of coming)
    for (const reference of references) if (!isRightKind(reference)) faults.add(name, wrongKind(reference));
}

function isRightKind({ id, targets }: ResolvableReference): boolean {
  const named = definitionOfId(id);
  return named !== undefined && targets.includes(named);
}

function wrongKind({ path, id: target, targets }: ResolvableReference): Fault {
  const expected = targets
    .map(({ title, idPrefix }) => `${withArticle(title)} ("${idPrefix}_…")`)
    .join(" or ");
  const message = `is ${JSON.stringify(target)}: expected the id of ${expected}`;
  return { error: "wrong_id_kind", path, message };
}

/** Finds references to objects that do not exist and that the write does not create. */
export async function checkTargets(
  existing: Existing,
  coming: readonly Coming[],
  faults: FaultList,
): Promise<void> {
  const kinds = new Map<string, string>(coming.map(({ id, definition }) => [id, definition.kind]));
  const outside = new Set(
    coming.flatMap(({ references }) => references.map(({ id }) => id)).filter((id) => !kinds.has(id)),
  );
  const stored = new Map((await existing.rowsOf([...outside])).map((row) => [row.id, row]));
  for (const [index, { name, project, references }] of coming.entries()) {
    if (index > 0) await takeTurn(); // a single write must not hold the database over a turn of others
    for (const reference of references) {
      const row = stored.get(reference.id);
      const kind = kinds.get(reference.id) ?? (row?.project_id === project ? row.kind : undefined);
      const isThere = reference.targets.some((target) => target.kind === kind);
      if (isRightKind(reference) && !isThere) faults.add(name, missingTarget(reference));
    }
  }
}

function missingTarget({ path, id }: ResolvableReference): Fault {
  const message = `names ${id}, but there is no such ${definitionOfId(id)?.title}; create it first`;
  return { error: "missing_target", path, message };
}
