import type { UniqueKey } from "../../contract/core/definition";
import { definitionNamed } from "../../contract/registry";
import { claimText, holdersIn, newClaims } from "../changes/claims";
import type { ObjectChange } from "../changes/differences";
import type { ModelObject } from "../model";
import { code } from "../names";
import { type Fields, fieldNamed } from "../values";
import { onObject, type Rule } from "./finding";

/** Rules about values that no two objects may have. */
export const takenRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "already-taken",
    evaluate: (change, { names, before, after }) => {
      const thing = change.after;
      if (!thing) return [];
      const elsewhere = new Set(after.world.taken);
      // A TCP edge claims a hostport and its port: one of them is enough to say.
      const reported = new Set<string>();
      return newClaims(change, before, after).flatMap((claim) => {
        const text = claimText(claim);
        const had = new Set((holdersIn(before).get(text) ?? []).map(({ identity }) => identity));
        // A holder that gives it up in the same change does not count.
        const holder = holdersIn(after)
          .get(text)
          ?.find(({ identity }) => identity !== thing.identity && had.has(identity));
        const path = claim.path.join(".");
        if ((!holder && !elsewhere.has(text)) || reported.has(path)) return [];
        reported.add(path);
        const value = valueAt(claim, thing.fields);
        const by = holder
          ? `held by ${heldBy(holder, names.quote(holder))}`
          : "taken by an object that cannot be seen from here";
        const sentence = `${code(value)} of ${names.quote(thing)} is ${by}: the server refuses it.`;
        const meaning = [text.includes(thing.identity) ? claim.path : text, holder && names.quote(holder)];
        return [onObject(thing, String(claim.path[0]), { sentence, after: value, meaning })];
      });
    },
  },
];

const heldBy = (holder: ModelObject, name: string): string => {
  const { id } = holder.object;
  return `the ${definitionNamed(holder.kind).title} ${name}${id === undefined || name.includes(id) ? "" : ` (${id})`}`;
};

/** The value as it is declared; its key where that is not text. */
function valueAt({ path, key }: UniqueKey, fields: Fields): string {
  const [name = "", index] = path;
  const value = fieldNamed(fields, String(name));
  const declared: unknown = typeof index === "number" && Array.isArray(value) ? value[index] : value;
  return typeof declared === "string" && !declared.includes("\n") ? declared : key;
}
