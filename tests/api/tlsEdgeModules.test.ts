import { onEveryDatabase } from "../../support/databases";
import { testModules } from "./everyModule";
import { serverOfThisFile } from "./support";

onEveryDatabase("The modules of a TLS edge", (start) => {
  testModules(serverOfThisFile(start), "edgtls", ["backend", "ip_restriction", "mutual_tls", "tls_termination", "policies"]);
});
