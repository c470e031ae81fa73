import { testModules } from "./everyModule";
import { serverOfThisFile } from "./support";

describe("The modules of a TLS edge", () => {
  testModules(serverOfThisFile(), "edgtls", ["backend", "ip_restriction", "mutual_tls", "tls_termination", "policies"]);
});
