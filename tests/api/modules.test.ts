import { modulesOf, registry } from "@tunnelplane/sdk/contract";
import { testModules } from "../support/api/everyModule";
import { serverOfThisFile } from "../support/api/expect";
import { onOneDatabase } from "../support/databases";

onOneDatabase("The modules", (start) => {
  const server = serverOfThisFile(start);
  for (const definition of registry.filter((one) => modulesOf(one).length > 0))
    describe(`of each ${definition.title}`, () => testModules(server, definition));
});
