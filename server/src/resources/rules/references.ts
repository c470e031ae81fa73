import {
  createSchema,
  DEFAULT_PROJECT,
  type Definition,
  definitionOfId,
  type Kind,
  referencesIn,
  targetsOf,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { isShareable, missingTarget } from "../../auth";
import type { Document } from "../../documents";
import { type Fault, takeTurn } from "../../util";
import type { Coming, FaultList, ResolvableReference } from "./coming";
import type { BriefRow, Existing } from "./existing";

/**
 * The references of a body that are checked and kept; without those to users, which are no resources, and to
 * the project that nobody can delete.
 */
export const referencesOf = (definition: Definition, sent: Document): ResolvableReference[] =>
  referencesIn(createSchema(definition), sent)
    .filter(({ id }) => !id.startsWith("usr_") && id !== DEFAULT_PROJECT.id)
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
  const projects = new Set(coming.map(({ project }) => project));
  const others = [...stored.values()].filter(({ project_id }) => !projects.has(project_id));
  const shared = new Set(await existing.sharedAmong(others.map(({ project_id }) => project_id)));
  for (const [index, { name, project, references }] of coming.entries()) {
    if (index > 0) await takeTurn(); // a single write must not hold the database over a turn of others
    for (const reference of references) {
      const row = stored.get(reference.id);
      const kind =
        kinds.get(reference.id) ??
        (row && (isReachable(row, project) || (isLendable(reference) && shared.has(row.project_id)))
          ? row.kind
          : undefined);
      const isThere = reference.targets.some((target) => target.kind === kind);
      if (isRightKind(reference) && !isThere) faults.add(name, missingTarget(reference.path, reference.id));
    }
  }
}

/**
 * The kinds of objects that may be named from other projects, because they have a role there or are a project
 * themselves. `auth/reach.ts` and `auth/ownership.ts` decide who may name which.
 */
export const NAMED_EVERYWHERE: readonly Kind[] = ["project", "bot_user"];

/** Whether a reference may lead into a shared project: to what others may read, and not as a part of it. */
export const isLendable = ({ reference, targets }: ResolvableReference): boolean =>
  !reference.cascade && targets.every(isShareable);

const isReachable = ({ kind, project_id }: BriefRow, project: string): boolean =>
  project_id === project || NAMED_EVERYWHERE.some((one) => one === kind);
