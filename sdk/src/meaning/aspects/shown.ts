import { z } from "zod";
import { documented } from "../../contract/core/fields";
import type { Reading } from "../judgement/reading";
import type { Model, ModelObject } from "../model";

export { documented };
export const text = (doc: string) => documented(z.string(), doc);
export const texts = (doc: string) => documented(z.array(z.string()), doc);

/** The place where an aspect is read for rows of exposures. */
export interface Seen {
  readonly model: Model;
  /** The edge or route that has the module, or may have it. */
  readonly holder: ModelObject;
}

/** The part of a module that exposures show: a field of their rows, and words for it. */
export interface Shown<Field extends string = string, Value = unknown, Exposed = unknown> {
  /** The field of a row. */
  readonly field: Field;
  /** What people call it, as the title of a table's row: `Client certificate`. */
  readonly title: string;
  /** The shape of the field, with a description. Made when it is first asked for. */
  schema(): z.ZodType;
  read(seen: Seen): Reading<Value>;
  /** The value where no object of an address may have the module. */
  readonly absent: Value;
  /** Whether it does not apply if TLS ends upstream. */
  readonly readsTraffic?: true;
  /**
   * The field of a row, as it is answered.
   *
   * @param isUnknown whether more may belong to the value than is known
   */
  exposed(value: Value, isUnknown: boolean): Exposed;
  /** One line for people; null if nothing is asked of callers. */
  words(exposed: Exposed): string | null;
  /** The check that callers have to pass, in a word or two: `client certificate`. */
  check?(exposed: Exposed): string | null | undefined;
}

/** Keeps the name of the field, and the types of its values. */
export const showing = <const Field extends string, Value, Exposed>(
  shown: Shown<Field, Value, Exposed>,
): Shown<Field, Value, Exposed> => shown;

/** The first of some texts in one line, and how many more there are. */
export function listedText(items: readonly string[], most = 5): string {
  return items.length > most
    ? `${items.slice(0, most).join(", ")} and ${items.length - most} more`
    : items.join(", ");
}
