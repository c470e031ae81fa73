import type { Sent } from "../contract/core/definition";
import type { Kind } from "../contract/kinds";
import type { DefinitionOf } from "../contract/registry";

type NamesIn<T> = T extends readonly (infer Item)[]
  ? NamesIn<Item>
  : T extends object
    ? string extends keyof T
      ? NamesIn<T[keyof T]>
      : (keyof T & string) | { [N in keyof T]-?: NamesIn<T[N]> }[keyof T]
    : never;

/**
 * The part that a sent name and its answered name have in common: `backend_id` and `backend`, `ip_policy_ids`
 * and `ip_policies`.
 */
type AnsweredName<N> = N extends `${infer One}_id`
  ? One
  : N extends `${infer Many}y_ids`
    ? `${Many}ies`
    : N extends `${infer Many}_ids`
      ? `${Many}s`
      : never;

type SentName = {
  [K in Kind]: NamesIn<Sent<DefinitionOf<K>["fields"]>> | NamesIn<Sent<DefinitionOf<K>["computed"]>>;
}[Kind];

/**
 * The name of any field of the contract, in objects, modules and entries. So the compiler finds every use of
 * a renamed field.
 */
export type FieldName = SentName | AnsweredName<SentName>;

/**
 * The fields of an object, a module or an entry. Values come from a server or a program, and are not
 * validated.
 */
export type Fields = { readonly [N in FieldName]?: unknown };
