import { unknownChoice } from "../../contract/core/choices";
import { own } from "../../contract/core/narrow";
import { createSchema } from "../../contract/core/shape";
import { formatPath } from "../../contract/core/spelling";
import { definitionNamed } from "../../contract/registry";
import { ASPECTS } from "../aspects";
import { hasEffect, unknownAction } from "../judgement/rules/policies";
import { Unservable } from "../judgement/rules/unservable";
import type { Model, ModelObject } from "../model";
import { isObject } from "../values";
import { UNKNOWN } from "../world";

/** @throws Unservable if an edge, or one of its routes, has an enabled module or a value that is not known */
export function refuseUnknown(edge: ModelObject, model: Model): void {
  refuseUnknownIn(edge, "the edge", DECIDED, UNKNOWN);
  for (const route of model.belongingTo(edge))
    if (route.kind === "https_edge_route")
      refuseUnknownIn(route, `the route ${JSON.stringify(route.fields.match)}`, DECIDED, UNKNOWN);
}

/** The modules and actions that a program can decide or enforce. */
export interface Known {
  /** @param kind of the object */
  module(kind: string, name: string): boolean;
  action(type: string): boolean;
}

/**
 * @param owner of the fields, for people
 * @param known the modules and actions that are known
 * @param placeholder for a value that is not known yet, which passes
 * @throws Unservable if an enabled module, an action or a value is not known
 */
export function refuseUnknownIn(
  { kind, fields }: { readonly kind: string; readonly fields: Readonly<Record<string, unknown>> },
  owner: string,
  known: Known,
  placeholder?: string,
): void {
  for (const name in fields)
    if (isEnabled(own(fields, name)) && !known.module(kind, name))
      throw new Unservable(
        `the module ${JSON.stringify(name)} of ${owner} is not known to this gateway: upgrade this gateway, or disable the module`,
      );
  // Includes policies whose conditions never hold, and actions after one that ends the request.
  if (isEnabled(fields.policies))
    for (const type of actionsIn(fields.policies))
      if (type !== placeholder && !known.action(type)) throw unknownAction(type);
  const choice = unknownChoice(schemaOf(kind), fields, isDeclared);
  if (choice && choice.value !== placeholder)
    throw new Unservable(
      `the value ${JSON.stringify(choice.value)} of ${formatPath(choice.path)} of ${owner} is not known to this gateway: upgrade this gateway, or choose another`,
    );
}

const actionsIn = (policies: unknown): string[] =>
  [listIn(policies, "inbound"), listIn(policies, "outbound")]
    .flat()
    .flatMap((policy) => listIn(policy, "actions"))
    .flatMap((action) => (isObject(action) && typeof action.type === "string" ? action.type : []));

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = isObject(value) ? own(value, name) : undefined;
  return Array.isArray(list) ? list : [];
}

const schemaOf = (kind: string) => createSchema(definitionNamed(kind));

/** A value that is neither true nor false counts as on. */
const isEnabled = (value: unknown): boolean =>
  isObject(value) && "enabled" in value && value.enabled !== false;

/** A disabled module has nothing to enforce. */
const isDeclared = (value: unknown): boolean => !isObject(value) || isEnabled(value);

const DECIDED: Known = {
  module: (kind, name) =>
    Object.hasOwn(ASPECTS, name) && Object.hasOwn(ASPECTS[name as keyof typeof ASPECTS].of, kind),
  action: hasEffect,
};
