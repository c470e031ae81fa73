import { oncePer } from "../contract/core/once";
import { nameAndId } from "../contract/core/spelling";
import { registry } from "../contract/registry";
import type { Model, ModelObject } from "./model";
import { isObject, textIn, textsIn } from "./values";

/** An object in findings and exposures. */
export interface Named {
  readonly kind: string;
  readonly name: string;
  /** Absent for an object that does not exist yet. */
  readonly id?: string;
}

const MAX_NAME_LENGTH = 100;

/**
 * Prepares a user's text for quotation in a sentence: one line, limited length, no characters that end the
 * quotation.
 */
export const quotable = (text: string, most = MAX_NAME_LENGTH): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}`]+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/** Puts a text in backticks, on one line. */
export const code = (text: string): string => `\`${text.replace(/[\s`]+/g, " ")}\``;

/** The name of an object for people: its name in the program, or else one of its fields, or else its id. */
export const nameOf = oncePer(({ object, fields, kind }: ModelObject): string => {
  if (object.name !== undefined) return quotable(object.name);
  const own =
    textIn(fields.description) ??
    textIn(fields.name) ??
    textIn(fields.subject_common_name) ??
    textsIn(fields.hostports)[0];
  return quotable(
    own ?? ofKind(kind, fields) ?? object.id ?? referenceName(object.urn ?? kind.replaceAll("_", " ")),
  );
});

/** A reference for people where its object is not known: of a URN, the name at its end. */
export function referenceName(reference: string): string {
  const [, , , ...name] = reference.split("::");
  return name.length > 0 ? name.join("::") : reference;
}

function ofKind(kind: string, fields: ModelObject["fields"]): string | undefined {
  if (kind === "tunnel_group_backend" && isObject(fields.labels)) {
    return Object.entries(fields.labels)
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(", ");
  }
  return textIn(fields.match) ?? textIn(fields.cidr) ?? textIn(fields.address);
}

/** The names of one or two worlds. If several objects of a kind share a name, the id is added. */
export class Names {
  readonly #holders = new Map<string, Set<string>>();
  readonly #models: readonly Model[];

  constructor(...models: readonly Model[]) {
    this.#models = models;
    for (const model of models) {
      for (const thing of model.all) {
        const key = `${thing.kind} ${nameOf(thing)}`;
        const holders = this.#holders.get(key);
        if (holders) holders.add(thing.identity);
        else this.#holders.set(key, new Set([thing.identity]));
      }
    }
  }

  /** The name of a referenced object, in the newest world that has it; the reference itself for others. */
  readonly of = (reference: string): string => {
    const thing = this.#models.map((model) => model.find(reference)).findLast((found) => found !== undefined);
    return thing ? nameOf(thing) : referenceName(reference);
  };

  isShared(thing: ModelObject): boolean {
    return (this.#holders.get(`${thing.kind} ${nameOf(thing)}`)?.size ?? 0) > 1;
  }

  /** The object in a sentence: its name, and its id if the name is not unique. */
  quote(thing: ModelObject): string {
    const { id } = thing.object;
    const name = nameOf(thing);
    return `\`${name}\`${id !== undefined && id !== name && this.isShared(thing) ? ` (${id})` : ""}`;
  }

  /** The same with the title of its kind before it: "TLS edge `shop`". */
  titled(thing: ModelObject): string {
    return `${titleOf(thing.kind)} ${this.quote(thing)}`;
  }
}

/**
 * An object for people: `TLS edge "shop" (edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue)`; without an id if it has
 * none.
 */
export const objectText = ({ kind, name, id }: Omit<Named, "id"> & { readonly id?: string | null }): string =>
  `${titleOf(kind)} ${id == null ? JSON.stringify(name) : nameAndId(name, id)}`;

/** A newer server may know further kinds. */
const titleOf = (kind: string): string =>
  registry.find((definition) => definition.kind === kind)?.title ?? kind;

export const named = (thing: ModelObject): Named => ({
  kind: thing.kind,
  name: nameOf(thing),
  ...(thing.object.id !== undefined && { id: thing.object.id }),
});
