import { modulesOf, registry } from "@tunnelplane/sdk/contract";
import { onEveryDatabase } from "../../support/databases";
import { testModules } from "./everyModule";
import { serverOfThisFile } from "./support";

for (const definition of registry.filter((one) => modulesOf(one).length > 0))
  onEveryDatabase(`The modules of each ${definition.title}`, (start) => testModules(serverOfThisFile(start), definition));
