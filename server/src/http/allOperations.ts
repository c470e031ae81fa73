import { type Definition, fieldsWhere, modulesOf, registry } from "@tunnelplane/sdk/contract";
import { callerOperation } from "./callerOperation";
import { collectionOperations } from "./collectionOperations";
import { deliveryOperations } from "./deliveryOperations";
import { entryOperations } from "./entryOperations";
import { journalOperations } from "./journalOperations";
import { moduleOperations } from "./moduleOperations";
import type { Operation } from "./operations";

/** Every operation of the API. */
export const allOperations = (): Operation[] => [
  ...registry.flatMap(operationsOf),
  ...deliveryOperations,
  ...journalOperations,
  callerOperation,
];

/** Every operation of a resource type: its collection, its objects, their modules and entries. */
function operationsOf(definition: Definition): Operation[] {
  return [
    ...collectionOperations(definition),
    ...modulesOf(definition).flatMap((name) => moduleOperations(definition, name)),
    ...fieldsWhere(definition, (marks) => marks.entries).flatMap((name) => entryOperations(definition, name)),
  ];
}
