import { type Definition, pathFieldsOf, present, waitedForBy, waits } from "@tunnelplane/sdk/contract";
import { type Document, textIn } from "../documents";
import type { ObjectChange } from "../journal";
import type { Transaction } from "../storage";
import { queryError, quoted } from "../util";
import { amendByServer } from "./byServer";
import { closedHostportsOf, closedWithout, lackedBy, leavingIn } from "./lacked";
import { parentOf } from "./parents";
import { findById } from "./rows";
import type { ServerContext } from "./transaction";

type Context = Pick<ServerContext, "documents">;

/** An object that a part is taken from: its own, or the one above it. */
interface Whole {
  readonly definition: Definition;
  readonly id: string;
}

/** The objects that serve something and that an object belongs to. */
const above = (definition: Definition, fields: Readonly<Document>): Whole[] =>
  pathFieldsOf(definition)
    .map((field) => ({ definition: parentOf(definition, field), id: textIn(fields, field) }))
    .filter((whole) => waits(whole.definition));

/** How an object above names one of its parts: `path_prefix /admin`. */
const labelOf = (definition: Definition, sent: Document): string => present(definition.unique(sent)[0]).key;

/**
 * The object that a deletion closes, because it will be deleted next.
 *
 * @param at the place of the object
 * @param isPart whether a part of the object at this place goes, and not the object itself
 * @param closes the id of the object to close
 */
export function toClose(
  definition: Definition,
  at: Readonly<Record<string, string>> & { readonly id: string },
  isPart: boolean,
  closes: string | undefined,
): Whole | undefined {
  if (closes === undefined) return undefined;
  const wholes = [...(isPart ? [{ definition, id: at.id }] : []), ...above(definition, at)];
  const whole = wholes.find(({ id }) => id === closes);
  if (whole) return whole;
  const accepted = wholes.map(({ id }) => id).join(" or ");
  throw queryError("closes", `closes names ${quoted(closes)}: expected ${accepted}, which this belongs to`);
}

/** Closes an object until it is deleted or has a part again that an object below it has lost. */
export async function close(
  context: Context,
  transaction: Transaction,
  changes: ObjectChange[],
  whole: Whole,
  part: { readonly definition: Definition; readonly document: Document; readonly field?: string },
): Promise<void> {
  const label = labelOf(part.definition, context.documents.sentOf(part.definition, part.document));
  const lost =
    part.field === undefined
      ? [label, ...lackedBy(part.document).map((field) => `${label} ${field}`)]
      : [`${label} ${part.field}`];
  await relabel(context, transaction, changes, whole, { lost });
}

/**
 * Notes that an object was created, or parts of it set or removed for good: what is above has them again. One
 * that waits for the object that it replaces has nothing to give yet.
 */
export async function noLongerLacked(
  context: Context,
  transaction: Transaction,
  changes: ObjectChange[],
  definition: Definition,
  sent: Document,
  fields: readonly string[] | "all",
): Promise<void> {
  if (waitedForBy(sent) !== undefined) return;
  for (const whole of above(definition, sent)) {
    const label = labelOf(definition, sent);
    const isNamed = (part: string) =>
      part === label || (fields !== "all" && fields.some((field) => part === `${label} ${field}`));
    const goes = (part: string) => isNamed(part) || (fields === "all" && part.startsWith(`${label} `));
    await relabel(context, transaction, changes, whole, { goes });
  }
}

/** The parts that an object lost, and those that it lacks no more. */
interface Relabelling {
  readonly lost?: readonly string[];
  readonly goes?: (part: string) => boolean;
}

async function relabel(
  context: Context,
  transaction: Transaction,
  changes: ObjectChange[],
  { definition, id }: Whole,
  { lost = [], goes = () => false }: Relabelling,
): Promise<void> {
  const [row] = await findById(transaction, { id });
  if (!row) return;
  const document = JSON.parse(row.document);
  const [before, leaving] = [lackedBy(document), leavingIn(document)];
  const lacked = [...before, ...lost].filter((part) => !goes(part));
  const after = leaving?.after.filter((part) => !goes(part)) ?? [];
  const isSame = lacked.join("\n") === before.join("\n");
  if (isSame && after.length === (leaving?.after.length ?? 0)) return;
  const hostports = lacked.length > before.length ? [] : closedHostportsOf(document);
  const gone = after.length === 0 ? (leaving?.modules ?? []) : [];
  await amendByServer(context, transaction, changes, definition, id, {
    ...(!isSame && closedWithout(definition, lacked, hostports)),
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...(leaving && { leaving: after.length > 0 ? { ...leaving, after } : null }),
  });
}
