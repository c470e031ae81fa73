import { type Choices, firstTunnel } from "../../examples/first-tunnel/program";
import { itKeepsItsPromises } from "./support";

describe("The example first-tunnel", () => {
  itKeepsItsPromises<Choices>({
    program: firstTunnel,
    creates: 7,
    update: { edit: { visitors: "192.0.2.0/24" }, changes: ["update visitors cidr"] },
    replace: {
      edit: { action: "deny" },
      changes: ["create-replacement visitors action", "replace visitors action", "delete-replaced visitors"],
    },
    fail: { edit: { host: "no host" }, says: "hostports[0]" },
  });
});
