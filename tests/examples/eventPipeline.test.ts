import { eventPipeline } from "../../examples/event-pipeline/program";
import { itKeepsItsPromises } from "./support";

describe("The example event-pipeline", () => {
  itKeepsItsPromises({
    program: eventPipeline,
    creates: 5,
    update: { edit: { watchDeletions: true }, changes: ["update policies sources[2]"] },
    replace: {
      edit: { office: "deny", logGroup: "arn:aws:logs:eu-central-1:123456789012:log-group:other" },
      changes: [
        "update record target.logService.logGroupRef",
        "delete-replaced berlin",
        "replace berlin action",
        "create-replacement berlin action",
      ],
    },
    fail: { edit: { moreTypes: ["ip_policy_painted.v0"] }, says: "sources[3].type is no event type" },
  });
});
