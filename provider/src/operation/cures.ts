import type { Definition } from "@tunnelplane/sdk/contract";
import { nameIn, typesIn } from "../core";
import type { Holder } from "./claim";

/** Longer values, such as keys, are cut. */
const MAX_VALUE_LENGTH = 60;

/** A value in a sentence. */
export const shown = (value: string): string =>
  JSON.stringify(value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value);

/** Why no second resource can have a value that the program declares for another one. */
export const declaredToo = (other: string): string =>
  `is declared by this stack's \`${nameIn(other)}\`, too; declare it in one of them only`;

interface Claiming {
  readonly urn: string;
  readonly definition: Definition;
  /** Whether it is not in the state. */
  readonly isNew: boolean;
  /** Whether the program declares the holder. */
  readonly isThere: boolean;
  /** Whether it is known that the program declares another value there. */
  readonly givesUp: boolean;
}

/** Says which resource holds a claimed value, and which line of code to add. */
export function cureOf(
  { resource, definition, claim }: Holder,
  { urn, definition: own, isNew, isThere, givesUp }: Claiming,
): string {
  const holder = `belongs to this stack's ${namedBeside(resource, urn)}`;
  if (own.type !== definition.type || (!isNew && !isThere))
    return `${holder}: remove it there in an earlier run`;
  const alias = `{ aliases: [${aliasOf(resource, urn)}] }`;
  if (isNew && !isThere)
    return `${holder}: add an alias, \`${alias}\`, if this resource was that one before; if not, remove it there in an earlier run`;
  const byValue = `name each resource by its value, so that none has to move in a run that changes the two in any order, here \`new ${own.type}(${shown(claim.value)}, …, ${alias})\`; or give it up there in an earlier run`;
  return givesUp
    ? `${holder}: ${byValue}`
    : `${holder}: declare it in one of them only, or, if that one gets another value now, ${byValue}`;
}

/** The name of a resource, with its parent if another one has the same name. */
function namedBeside({ urn, parent }: Holder["resource"], other: string): string {
  const parentText =
    isInside(urn) && parent !== undefined ? `below \`${nameIn(parent)}\`` : "without a parent";
  return `\`${nameIn(urn)}\`${nameIn(urn) === nameIn(other) ? ` ${parentText}` : ""}`;
}

/** The alias of a resource that had another name or another parent. */
function aliasOf(before: Holder["resource"], urn: string): string {
  const types = typesIn(before.urn);
  const parts = [
    ...(nameIn(before.urn) === nameIn(urn) ? [] : [`name: ${JSON.stringify(nameIn(before.urn))}`]),
    ...(types === typesIn(urn) ? [] : [parentOf(before)]),
  ];
  return `{ ${parts.join(", ")} }`;
}

const parentOf = ({ urn, parent }: Holder["resource"]): string =>
  isInside(urn) && parent !== undefined
    ? `parent: ${JSON.stringify(parent)}`
    : "parent: pulumi.rootStackResource";

/** Whether a resource has another parent than the stack. */
const isInside = (urn: string): boolean => typesIn(urn).includes("$");
