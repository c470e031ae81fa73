import { z } from "zod";
import type { Definition } from "./definition";
import { mark } from "./marks";
import { isObject, own } from "./narrow";
import { oncePer } from "./once";
import { refSchema } from "./shape";

/**
 * The field of types whose objects serve something, and only as their modules allow, which may follow as
 * resources of their own: a new object in the place of another serves nothing until that one is deleted.
 */
export const waitsFor = () => ({
  waits_for: mark(refSchema.nullable(), { fleeting: true }).meta({
    description:
      "The object that it was created to replace (`?replaces=`) and that still serves: this one serves nothing until that one is deleted, and then takes over at once. Null otherwise.",
    examples: [null],
  }),
  closed_without: mark(z.array(z.string()).nullable(), { fleeting: true }).meta({
    description:
      "The parts without which it serves nothing: those that follow its creation (`?closed_without=`), and those that were deleted because it will be deleted next (`?closes=`). Null otherwise.",
    examples: [null],
  }),
  leaving: mark(z.object({ modules: z.array(z.string()), after: z.array(z.string()) }).nullable(), {
    fleeting: true,
  }).meta({
    description:
      "The modules that an update removed for the time `after` it has these other parts (`?remove_after=`): until then they apply. Null otherwise.",
    examples: [null],
  }),
});

/** The field of edges that serve only some of their hostports, until they have the parts that they lack. */
export const closedHostports = () => ({
  closed_hostports: mark(z.array(z.string()).nullable(), { fleeting: true }).meta({
    description:
      "The hostports that an update added, with parts that follow (`?closed_without=`): these serve nothing until the edge has the parts in `closed_without`, and all others go on. Null otherwise.",
    examples: [null],
  }),
});

/** Fields of an object that decide about no caller. */
export const UNDECIDING_FIELDS: readonly string[] = ["description", "metadata"];
/** Modules that decide about no caller: without them, nobody is let in who was kept out. */
export const UNDECIDING_MODULES: readonly string[] = [
  ...["backend", "request_headers", "response_headers", "compression", "circuit_breaker"],
];

/** Whether a new object of a type waits for the one that it replaces. */
export const waits = ({ computed }: Pick<Definition, "computed">): boolean =>
  Object.hasOwn(computed, "waits_for");

/** The id of the object that another one waits for, by its fields in answers; undefined where it serves. */
export function waitedForBy(fields: Readonly<Record<string, unknown>>): string | undefined {
  const waited = own(fields, "waits_for");
  return isObject(waited) ? String(waited.id) : undefined;
}

/** Whether an object serves nothing, by its fields in answers: it waits for another one or its deletion. */
export const isWithheld = (fields: object): boolean =>
  ("waits_for" in fields && isObject(fields.waits_for)) ||
  ("closed_without" in fields && Array.isArray(fields.closed_without) && closedIn(fields).length === 0);

/** The hostports of an edge that serve nothing, while others of it do; by its fields in answers. */
const closedIn = (fields: object): readonly unknown[] =>
  "closed_hostports" in fields && Array.isArray(fields.closed_hostports) ? fields.closed_hostports : [];

/** The fields of an object with only those hostports that serve. The same fields where all do. */
export const withServedHostports = oncePer(<Fields extends object>(fields: Fields): Fields => {
  const closed = closedIn(fields);
  if (closed.length === 0 || !("hostports" in fields) || !Array.isArray(fields.hostports)) return fields;
  return { ...fields, hostports: fields.hostports.filter((hostport) => !closed.includes(hostport)) };
}) as <Fields extends object>(fields: Fields) => Fields;
