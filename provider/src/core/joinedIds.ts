import { camelCase, type Definition, pathFieldsOf } from "@tunnelplane/sdk/contract";
import type { Wire } from "./target";

/**
 * Takes the id of an object out of the `id` of its resource, which holds the ids above it too: a program may
 * pass either to a module.
 *
 * @returns the mistake, if the ids above contradict the others of the module
 */
export function withPlainId(definition: Definition, wire: Wire): { wire: Wire; mistake?: string } {
  const { idField } = definition;
  const joined = wire[idField];
  const above = pathFieldsOf(definition);
  const ids = typeof joined === "string" ? joined.split("/") : [];
  if (above.length === 0 || ids.length !== above.length + 1) return { wire };
  const wrong = above.find(
    (field, index) => typeof wire[field] === "string" && isId(wire[field]) && wire[field] !== ids[index],
  );
  const plain = { ...wire, [idField]: ids.at(-1) };
  if (wrong === undefined) return { wire: plain };
  const mistake = `${camelCase(idField)} is ${joined}, which does not belong to the ${camelCase(wrong)} ${wire[wrong]}; pass the ids of one object`;
  return { wire: plain, mistake };
}

/** Whether a value is an id, and not a mark for one that is not known yet. */
const isId = (value: string): boolean => /^[a-z]+_[0-9A-Za-z]+$/.test(value);
