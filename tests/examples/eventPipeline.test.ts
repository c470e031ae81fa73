import { eventPipeline } from "../../examples/event-pipeline/program";
import { itKeepsItsPromises } from "./support";

describe("The example event-pipeline", () => {
  itKeepsItsPromises({
    program: eventPipeline,
    creates: 4,
    update: { edit: { watchDeletions: true }, changes: ["update policies sources[2]"] },
    replace: {
      // Every field of a destination can change in place; the target is replaced as a whole on the server.
      edit: { logGroup: "arn:aws:logs:eu-central-1:123456789012:log-group:other" },
      changes: ["update record target.logService.logGroupRef"],
    },
    fail: { edit: { moreTypes: ["ip_policy_painted.v0"] }, says: "sources[3].type is no event type" },
  });
});
