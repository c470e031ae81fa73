import { modulesOf } from "@tunnelplane/sdk/contract";
import { testModules } from "../support/api/everyModule";
import { apiOnOneDatabase } from "../support/api/expect";
import { TYPES } from "../support/api/types";

apiOnOneDatabase("The modules", (server) => {
  for (const type of TYPES.filter(({ definition }) => modulesOf(definition).length > 0))
    describe(`of ${type.name}`, () => testModules(server, type));
});
