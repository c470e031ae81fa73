import { mutualTls } from "../../examples/mutual-tls/program";
import { makeCertificates } from "../support/provider";
import { itKeepsItsPromises } from "./support";

describe("The example mutual-tls", () => {
  const { authority, leaf } = makeCertificates("renewed");
  itKeepsItsPromises({
    program: mutualTls,
    creates: 3,
    update: { edit: { minVersion: "1.3" }, changes: ["update partners tlsTermination.minVersion"] },
    replace: {
      edit: { caPem: authority },
      changes: [
        "create-replacement partners caPem",
        "replace partners caPem",
        "update partners mutualTls.certificateAuthorityIds[0]",
        "delete-replaced partners",
      ],
    },
    fail: { edit: { caPem: leaf }, says: "caPem is a leaf certificate" },
  });
});
