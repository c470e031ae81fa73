import { modulesOf } from "@tunnelplane/sdk/contract";
import { testModules } from "../support/api/everyModule";
import { serverOfThisFile } from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { onOneDatabase } from "../support/databases";

onOneDatabase("The modules", (start) => {
  const server = serverOfThisFile(start);
  for (const type of TYPES.filter(({ definition }) => modulesOf(definition).length > 0))
    describe(`of ${type.name}`, () => testModules(server, type));
});
