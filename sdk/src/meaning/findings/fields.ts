import { UNNOTICED_FIELDS } from "../../contract/core/fields";
import { fieldsOf } from "../../contract/core/marks";
import { schemaOf } from "../changes/declared";
import { type Difference, differencesOf, keyOf, type ObjectChange, pairedIn } from "../changes/differences";
import { changesText, type FieldChange, fieldChange } from "../changes/fieldText";
import { ASPECTS, type Exposure } from "../exposure/exposure";
import type { Part, Reading } from "../judgement/reading";
import type { ModelObject } from "../model";
import { nameOf } from "../names";
import { canonical, inOrder, isObject, shortHash } from "../values";
import { type AddressChange, type Context, type Draft, differs, isReplaced } from "./finding";

/** An object with declared fields that no finding names. */
export interface Remaining {
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  /** The URN of the resource that declares them. */
  readonly urn?: string;
  readonly fields: readonly FieldChange[];
}

/** The differences in the declared fields of two worlds, and those that findings name. */
export class ChangedFields {
  readonly #pairs: ReadonlyMap<string, ObjectChange>;
  readonly #named = new Set<Difference>();

  constructor(private readonly context: Context) {
    this.#pairs = pairedIn(context.before.all, context.after.all);
  }

  /** The fields on which a finding depends: those from which its aspect is read, or those of its objects. */
  of(draft: Draft): readonly Difference[] {
    const things = draft.readings ? this.#read(draft.readings) : this.#about(draft);
    return things.filter(({ field, secret }) =>
      draft.secret === undefined ? !secret : secret && field === draft.secret,
    );
  }

  /** A draft with a sentence and fields that name the differences. */
  finished<D extends Draft>(
    draft: D,
  ): D & { readonly fields?: readonly FieldChange[]; readonly digest: string } {
    if (draft.isUnchanged) return { ...draft, digest: "" };
    const all = this.of(draft);
    // A finding that describes an object says nothing about its fields.
    if (draft.isUnchanged === false) return { ...draft, digest: digestOf(all) };
    for (const difference of all) this.#named.add(difference);
    const shown = all.filter(({ thing }) => this.#isInBoth(thing));
    const fields = shown.map((difference) => this.#shown(difference));
    const { sentence, about, namesFields } = draft;
    const text =
      namesFields && fields.length > 0 && changesText(fields, { kind: about.kind, name: nameOf(about) });
    return {
      ...draft,
      ...(text && { sentence: `${sentence.replace(/\.$/, "")}: ${text}.` }),
      ...(fields.length > 0 && { fields }),
      digest: digestOf(all),
    };
  }

  /** For each aspect of an address: the differences that the exposures do not show. */
  unseen({ before, after }: AddressChange, shown: readonly [Exposure, Exposure]): AspectFields[] {
    if (!before || !after) return [];
    return ASPECTS.flatMap(([aspect, read]) => {
      const readings = [read(before), read(after)] as const;
      if (!differs(...readings) || canonical(shown[0][aspect]) !== canonical(shown[1][aspect])) return [];
      const fields = this.#read(readings).filter(({ secret }) => !secret);
      // A difference that no finding names is only another notation, such as a network in two halves.
      const both = fields.filter(
        (difference) => this.#named.has(difference) && this.#isInBoth(difference.thing),
      );
      return both.length > 0 ? [{ aspect, fields: both.map((difference) => this.#shown(difference)) }] : [];
    });
  }

  /** The differences that no finding names, of objects that exist before and after. */
  remaining(objects: readonly ObjectChange[]): Remaining[] {
    return objects.flatMap((sides) => {
      const { before, after } = sides;
      if (!before || !after) return [];
      const groups = new Map<string | undefined, Difference[]>();
      for (const difference of differencesOf(sides, this.context)) {
        if (this.#named.has(difference)) continue;
        const urn = (after.modules.get(difference.field.split(".")[0] ?? "") ?? after.object).urn;
        groups.set(urn, [...(groups.get(urn) ?? []), difference]);
      }
      return [...groups].map(([urn, differences]) => ({
        kind: after.kind,
        name: nameOf(after),
        ...(after.object.id !== undefined && { id: after.object.id }),
        ...(urn !== undefined && { urn }),
        fields: differences.map((difference) => this.#shown(difference)),
      }));
    });
  }

  /** Whether only fields differ that no caller and no owner can notice. */
  areUnnoticed(objects: readonly ObjectChange[]): boolean {
    return objects.every(
      (sides) =>
        sides.before &&
        sides.after &&
        !isReplaced(sides) &&
        !hasUndeclared(sides) &&
        differencesOf(sides, this.context).every(({ field }) => UNNOTICED_FIELDS.includes(field)),
    );
  }

  /** One hash of every declared field that differs. */
  digest(objects: readonly ObjectChange[]): string {
    return digestOf(objects.flatMap((sides) => differencesOf(sides, this.context)));
  }

  #about({ about, address, cause }: Draft): Difference[] {
    const { before, after } = this.context.rows;
    const rows = address === undefined ? [] : [before.get(address), after.get(address)];
    const serving = rows.flatMap((row) => (row ? [row.holder, ...(row.edge ? [row.edge] : [])] : []));
    const things = [about, ...this.#ofObject(cause.object), ...serving];
    const each = new Map(things.map((thing) => [thing.identity, this.#sidesOf(thing)]));
    return sorted([...each.values()].flatMap((sides) => differencesOf(sides, this.context)));
  }

  #read(readings: readonly (Reading<unknown> | undefined)[]): Difference[] {
    const [was, is] = readings.map(
      (reading) => new Map((reading?.parts ?? []).map((part) => [keyOfPart(part), part])),
    );
    const changed = new Map<string, Part>();
    for (const [key, part] of [...(was ?? []), ...(is ?? [])])
      if (was?.get(key)?.content !== is?.get(key)?.content) changed.set(key, part);
    const all = [...changed.values()].flatMap((part) =>
      differencesOf(this.#sidesOf(part.of), this.context).filter(({ field }) =>
        part.module === undefined
          ? !UNNOTICED_FIELDS.includes(field)
          : field === part.module || field.startsWith(`${part.module}.`),
      ),
    );
    return sorted([...new Set(all)]);
  }

  #sidesOf = (thing: ModelObject): ObjectChange => this.#pairs.get(keyOf(thing)) ?? {};

  #isInBoth(thing: ModelObject): boolean {
    const { before, after } = this.#sidesOf(thing);
    return before !== undefined && after !== undefined;
  }

  #shown(difference: Difference): FieldChange {
    return fieldChange(difference, nameOf(difference.thing));
  }

  *#ofObject(object: Draft["cause"]["object"]): Generator<ModelObject> {
    for (const model of [this.context.before, this.context.after]) {
      const reference = object.id ?? object.urn;
      const thing = reference === undefined ? undefined : model.find(reference);
      if (thing) yield thing;
    }
  }
}

/** The declared fields behind an aspect of an address. */
export interface AspectFields {
  readonly aspect: keyof Exposure;
  readonly fields: readonly FieldChange[];
}

const textOf = ({ thing, key }: Difference): string => canonical([thing.kind, nameOf(thing), key]);

const sorted = (differences: readonly Difference[]): Difference[] =>
  [...differences].sort((a, b) => inOrder(textOf(a), textOf(b)));

const keyOfPart = ({ identity, module, property }: Part): string =>
  module === undefined ? `${identity} ${property}` : identity;

const digestOf = (differences: readonly Difference[]): string =>
  shortHash(differences.map(textOf).sort(inOrder).join("\n"));

/** Whether modules differ that only a newer contract has. */
function hasUndeclared({ before, after }: ObjectChange): boolean {
  const [was, is] = [before, after].map((thing) => everyField(thing));
  const schema = schemaOf((after ?? before)?.kind ?? "");
  const declared = new Set((schema && fieldsOf(schema))?.map(([name]) => name));
  return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].some((name) => {
    const values = [was?.get(name), is?.get(name)];
    const isModule = values.some((value) => isObject(value) && "enabled" in value);
    return !declared.has(name) && isModule && canonical(values[0]) !== canonical(values[1]);
  });
}

const everyField = (thing: ModelObject | undefined): Map<string, unknown> =>
  new Map([
    ...Object.entries(thing?.fields ?? {}),
    ...[...(thing?.modules ?? [])].map(([name, { fields }]) => [name, fields] as const),
  ]);
