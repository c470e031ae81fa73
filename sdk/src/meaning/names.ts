import type { Model, Thing } from "./model";
import { isObject, textIn, textsIn } from "./values";

/** An object as findings and exposures name it. */
export interface Named {
  readonly kind: string;
  readonly name: string;
  /** Absent for what is not made yet. */
  readonly id?: string;
}

const LONGEST_NAME = 100;

/** A text of the user's own as sentences quote it: on one line, of bounded length, and without what would end the quotation. */
const quotable = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}`]+/gu, " ").trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}…` : line;
};

/** What people call an object: its name in the program, or else what it says of itself, or else its id. */
export function nameOf({ object, fields, kind }: Thing): string {
  if (object.name !== undefined) return quotable(object.name);
  const own = textIn(fields.description) ?? textIn(fields.name) ?? textIn(fields.subject_common_name) ?? textsIn(fields.hostports)[0];
  return quotable(own ?? ofKind(kind, fields) ?? object.id ?? object.urn?.split("::").at(-1) ?? kind.replaceAll("_", " "));
}

function ofKind(kind: string, fields: Thing["fields"]): string | undefined {
  if (kind === "tunnel_group_backend" && isObject(fields.labels)) {
    return Object.entries(fields.labels)
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(", ");
  }
  return textIn(fields.match) ?? textIn(fields.cidr) ?? textIn(fields.address);
}

/** The names of a world or two. Where several objects of a kind share a name, the id is said as well. */
export class Names {
  readonly #holders = new Map<string, Set<string>>();

  constructor(...models: readonly Model[]) {
    for (const model of models) {
      for (const thing of model.all) {
        const key = `${thing.kind} ${nameOf(thing)}`;
        const holders = this.#holders.get(key);
        if (holders) holders.add(thing.identity);
        else this.#holders.set(key, new Set([thing.identity]));
      }
    }
  }

  isShared(thing: Thing): boolean {
    return (this.#holders.get(`${thing.kind} ${nameOf(thing)}`)?.size ?? 0) > 1;
  }

  /** The object in a sentence: its name, and its id where the name is not enough. */
  quote(thing: Thing): string {
    const { id } = thing.object;
    const name = nameOf(thing);
    return `\`${name}\`${id !== undefined && id !== name && this.isShared(thing) ? ` (${id})` : ""}`;
  }
}

export const named = (thing: Thing): Named => ({
  kind: thing.kind,
  name: nameOf(thing),
  ...(thing.object.id !== undefined && { id: thing.object.id }),
});
