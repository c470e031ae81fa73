import { modulesOf, registry } from "@tunnelplane/sdk/contract";
import { testModules } from "../support/api/everyModule";
import { serverOfThisFile } from "../support/api/expect";
import { onOneDatabase } from "../support/databases";

for (const definition of registry.filter((one) => modulesOf(one).length > 0))
  onOneDatabase(`The modules of each ${definition.title}`, (start) =>
    testModules(serverOfThisFile(start), definition),
  );
