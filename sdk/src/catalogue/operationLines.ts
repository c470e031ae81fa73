import type { SetOperation } from "../client/generated";
import { keysOf } from "../contract/core/narrow";
import { zeroWords } from "../contract/zeroes";

const SIGNS = { create: "+", update: "~", replace: "±", delete: "-", adopt: "=" } as const satisfies Record<
  SetOperation["op"],
  string
>;
const WORDS = {
  create: "to create",
  update: "to update",
  replace: "to replace",
  delete: "to delete",
  adopt: "to adopt",
} as const satisfies Record<SetOperation["op"], string>;
const DONE = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  adopt: "adopted",
} as const satisfies Record<SetOperation["op"], string>;

/** Longer values are cut off. */
const MAX_SHOWN_LENGTH = 100;

/** How many objects are created, updated and so on: "2 to create, 1 to delete". */
export function countsOf(operations: readonly SetOperation[], tense: "planned" | "done"): string {
  const labels: Readonly<Record<SetOperation["op"], string>> = tense === "planned" ? WORDS : DONE;
  const counts = keysOf(SIGNS).flatMap((op) => {
    const count = operations.filter((operation) => operation.op === op).length;
    return count > 0 ? [`${count} ${labels[op]}`] : [];
  });
  return counts.join(", ") || "nothing to do";
}

/** An operation for people: the object and what happens to it, then a line for each field. */
export function linesOf({ op, kind, key, id, replaced_id, changes }: SetOperation): string[] {
  const known = replaced_id ?? id;
  const why = op === "replace" ? ", a new one in the place of" : "";
  return [
    `${SIGNS[op]} ${op} ${kind}/${key}${known ? `${why} (${known})` : ""}`,
    ...changes.map((change) => `    ${change.path}: ${valuesOf(op, change)}`),
  ];
}

function valuesOf(op: SetOperation["op"], change: SetOperation["changes"][number]): string {
  if (!("old" in change) && !("new" in change)) return "a secret";
  const [old, now] = [change.old, change.new].map((value) => shown(value, change.path));
  return op === "create" ? String(now) : `${old} → ${now}`;
}

function shown(value: unknown, path: string): string {
  if (value === 0) return zeroWords(path) ?? "0";
  if (value === null || value === undefined) return "not set";
  const text = typeof value === "object" && "$key" in value ? String(value.$key) : JSON.stringify(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
