import { type Definition, fieldsWhere, modulesOf, registry } from "@tunnelplane/sdk/contract";
import { callerOperation } from "./caller";
import { collectionOperations } from "./collection";
import { deliveryOperations } from "./delivery";
import { entryOperations } from "./entry";
import { exposureOperations } from "./exposure";
import { journalOperations } from "./journal";
import { moduleOperations } from "./module";
import type { Operation } from "./operation";

/** Every operation of the API. */
export const allOperations = (): Operation[] => [
  ...registry.flatMap(operationsOf),
  ...deliveryOperations,
  ...journalOperations,
  callerOperation,
  ...exposureOperations,
];

/** Every operation of a resource type: its collection, its objects, their modules and entries. */
function operationsOf(definition: Definition): Operation[] {
  return [
    ...collectionOperations(definition),
    ...modulesOf(definition).flatMap((name) => moduleOperations(definition, name)),
    ...fieldsWhere(definition, (marks) => marks.entries).flatMap((name) => entryOperations(definition, name)),
  ];
}
