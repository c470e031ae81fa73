import { createHash } from "node:crypto";
import { isObject } from "@tunnelplane/sdk/contract";
import { yieldToEventLoop } from "../util";
import type { PlanFacts } from "./facts";
import type { ObjectOperation } from "./operations";
import type { ChangeSetRequest } from "./request";

/**
 * A digest of the request, of the operations that follow from it, and of the versions of all objects that
 * were read. Neither tokens nor the ids of new objects are in it, so that an apply has the digest of its
 * plan.
 * @param version of the set as it was read, 0 if it is new
 */
export async function digestOf(
  { set, mode, objects }: ChangeSetRequest,
  version: number,
  facts: PlanFacts,
  operations: readonly ObjectOperation[],
): Promise<string> {
  const digest = createHash("sha256");
  digest.update(JSON.stringify([set, mode, version]));
  for (const { name, id, fields } of objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    digest.update(canonical([name, id ?? null, fields]));
    await yieldToEventLoop();
  }
  for (const { op, kind, key, replaced_id, id, changes } of operations) {
    digest.update(
      canonical([
        op,
        kind,
        key,
        replaced_id ?? null,
        op === "create" || op === "replace" ? null : id,
        changes,
      ]),
    );
    await yieldToEventLoop();
  }
  for (const [id, version] of [...facts.versions].sort(([a], [b]) => (a < b ? -1 : 1)))
    digest.update(`${id} ${version}\n`);
  return digest.digest("base64url");
}

/** JSON in which the order of fields does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, item) => (isObject(item) ? sorted(item) : item));

const sorted = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
