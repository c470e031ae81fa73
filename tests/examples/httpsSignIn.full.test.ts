import { type Choices, httpsSignIn } from "../../examples/https-sign-in/program";
import { itKeepsItsPromises } from "./support";

describe("The example https-sign-in", () => {
  itKeepsItsPromises<Choices>({
    program: (choices) => httpsSignIn({ clientSecret: "given", ...choices }),
    creates: 6,
    update: { edit: { inactivityTimeout: 600 }, changes: ["update pages oidc.inactivityTimeout"] },
    replace: {
      edit: { separateApi: true },
      changes: ["create api", "delete-replaced api", "replace api edgeId", "create-replacement api edgeId"],
    },
    fail: { edit: { inactivityTimeout: 90_000 }, says: "oidc.inactivityTimeout must not be longer than" },
  });
});
