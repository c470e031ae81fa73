import { join } from "node:path";
import type { Caller } from "../../../server/src/auth";
import { StoredObjects } from "../../../server/src/resources/stored";
import { refusedBeside } from "../../support/refusal";

// As it is built: a thread has no loader for TypeScript.
const { Compute }: typeof import("../../../server/src/compute") = require(
  join(__dirname, "../../../server/dist/compute"),
);

describe("A body that waits to be checked", () => {
  const compute = new Compute();
  after(() => compute.close());

  it("is not checked once its caller has hung up", async () => {
    const caller = { project: "proj_a", ownerId: "usr_a" } as Caller;
    const check = async (gone?: AbortSignal) => {
      const objects = new StoredObjects(
        { documents: undefined as never, compute },
        {
          ...{ caller, dryRun: false },
          ...(gone && { gone }),
        },
      );
      const body = { description: "office", metadata: "x".repeat(1_000) };
      await objects.validate({ kind: "ip_policy", what: "create" }, body);
      return 200;
    };
    await refusedBeside({ refused: () => check(AbortSignal.abort()), as: /aborted/, allowed: () => check() });
  });
});
