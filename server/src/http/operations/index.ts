import { type Definition, fieldsWhere, modulesOf, registry, removablesOf } from "@tunnelplane/sdk/contract";
import { callerOperation } from "./caller";
import { changeSetOperations } from "./changesets";
import { collectionOperations } from "./collection";
import { decisionOperations } from "./decisions";
import { deliveryOperations } from "./delivery";
import { entryOperations } from "./entry";
import { exposureOperations } from "./exposure";
import { gatewayOperations } from "./gateways";
import { journalOperations } from "./journal";
import { moduleOperations, removalOperation } from "./module";
import type { ApiOperation } from "./operation";
import { referenceOperations } from "./references";
import { searchOperation } from "./search";
import { sessionOperations } from "./sessions";
import { userOperations } from "./users";

/** Every operation of the API. */
export const allOperations = (): ApiOperation[] => [
  ...registry.flatMap(operationsOf),
  ...changeSetOperations,
  ...deliveryOperations,
  ...journalOperations,
  callerOperation,
  ...exposureOperations,
  ...decisionOperations,
  ...gatewayOperations,
  ...sessionOperations,
  ...referenceOperations,
  searchOperation,
  ...userOperations,
];

/** Every operation of a resource type: its collection, its objects, their modules and entries. */
function operationsOf(definition: Definition): ApiOperation[] {
  return [
    ...collectionOperations(definition),
    ...modulesOf(definition).flatMap((name) => moduleOperations(definition, name)),
    ...removablesOf(definition).map((one) => removalOperation(definition, one)),
    ...fieldsWhere(definition, (marks) => marks.entries).flatMap((name) => entryOperations(definition, name)),
  ];
}
