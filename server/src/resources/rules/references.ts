import {
  createSchema,
  DEFAULT_PROJECT,
  type Definition,
  definitionOfId,
  type Kind,
  may,
  referencesIn,
  targetsOf,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { type Caller, isShareable, missingTarget, ONLY_LENT, plansForOthers, roleIn } from "../../auth";
import type { Document } from "../../documents";
import { type Fault, yieldToEventLoop } from "../../util";
import type { BriefRow, Existing } from "./existing";
import type { FaultList, PendingWrite, ResolvableReference } from "./pending";

/**
 * The references of a body that are checked and kept. Where a user may stand, users are left out, which are
 * no resources; where a project may stand, the one that nobody can delete.
 */
export const referencesOf = (definition: Definition, sent: Document): ResolvableReference[] =>
  referencesIn(createSchema(definition), sent)
    .map((found) => ({ ...found, targets: targetsOf(found.reference.to) }))
    .filter(
      ({ id, reference: { to } }) =>
        !(to.includes("user") && id.startsWith("usr_")) &&
        !(to.includes("project") && id === DEFAULT_PROJECT.id),
    );

/** Finds references whose id is of another type than may stand there. Reads nothing. */
export function checkKinds(writes: readonly PendingWrite[], faults: FaultList): void {
  for (const { name, references } of writes)
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

/**
 * Finds references to objects that do not exist, or not for the caller, and that the write does not create;
 * and those with which the caller would do more than it may.
 */
export async function checkTargets(
  existing: Existing,
  writes: readonly PendingWrite[],
  faults: FaultList,
  caller: Caller,
): Promise<void> {
  const kinds = new Map<string, string>(writes.map(({ id, definition }) => [id, definition.kind]));
  const outside = new Set(
    writes.flatMap(({ references }) => references.map(({ id }) => id)).filter((id) => !kinds.has(id)),
  );
  const stored = new Map((await existing.rowsOf([...outside])).map((row) => [row.id, row]));
  const projects = new Set(writes.map(({ project }) => project));
  const others = [...stored.values()].filter(({ project_id }) => !projects.has(project_id));
  const shared = new Set(await existing.sharedAmong(others.map(({ project_id }) => project_id)));
  const world = { existing, caller, shared };
  for (const [index, one] of writes.entries()) {
    if (index > 0) await yieldToEventLoop(); // a single write must not hold the database over a turn of others
    const known = knownTo(one);
    for (const reference of one.references) {
      if (!isRightKind(reference)) continue;
      const { id, targets } = reference;
      const row = stored.get(id);
      const kind = kinds.get(id) ?? row?.kind;
      const isThere = targets.some((target) => target.kind === kind);
      const fault = !isThere
        ? missingTarget(reference.path, id)
        : row && (await faultOf(world, one, reference, row, known.has(id)));
      if (fault) faults.add(one.name, fault);
    }
  }
}

/** The ids that an object named before. */
const knownTo = ({ definition, before }: PendingWrite): ReadonlySet<string> =>
  new Set(before ? referencesOf(definition, before).map(({ id }) => id) : []);

interface Looking {
  readonly existing: Existing;
  readonly caller: Caller;
  /** The ids of projects that are shared. */
  readonly shared: ReadonlySet<string>;
}

/** Why a caller may not name a stored object of a right kind there. */
async function faultOf(
  { existing, caller, shared }: Looking,
  { project, definition }: PendingWrite,
  reference: ResolvableReference,
  row: BriefRow,
  isKnown: boolean,
): Promise<Fault | undefined> {
  const { path, id } = reference;
  const missing = missingTarget(path, id);
  if (NAMED_EVERYWHERE.some((kind) => kind === row.kind))
    return isKnown || (await existing.mayName(row, caller)) ? undefined : missing;
  if (row.project_id === project) return undefined;
  const isShown = shared.has(row.project_id) && reference.targets.every(isShareable);
  if (!isShown) return missing;
  if (reference.reference.cascade)
    return { error: "forbidden", path, message: `names ${id}, which ${ONLY_LENT}` };
  if (!reference.reference.usesPrivateKey || isKnown) return undefined;
  const role = roleIn(caller, row.project_id);
  if (may({ ...caller, role }, plansForOthers(caller, { definition }) ? "plan" : "write", definition))
    return undefined;
  const where = JSON.stringify(await existing.projectName(row.project_id));
  return {
    error: "forbidden",
    path,
    message: `names ${id}, whose private key would be used: that needs the role member in its project ${where}, and you have ${role ? `the role ${role}` : "no role"} there`,
  };
}

/**
 * The kinds of objects that may be named from other projects, because they have a role there or are a project
 * themselves. `Existing.mayName`, `auth/reach.ts` and `auth/ownership.ts` decide who may name which.
 */
export const NAMED_EVERYWHERE: readonly Kind[] = ["project", "bot_user"];

/** Whether a reference may lead into a shared project: to what others may read, and not as a part of it. */
export const isLendable = ({ reference, targets }: ResolvableReference): boolean =>
  !reference.cascade && targets.every(isShareable);
