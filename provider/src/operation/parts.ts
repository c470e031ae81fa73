import { intentOf, nameIn } from "../core";
import type { Operation } from "./operation";
import { stateBackend } from "./stateBackend";

/** A message names this many resources. */
const MAX_NAMED = 5;

/**
 * Refuses to delete an object that this run has replaced, as long as resources of the state belong to it that
 * this run has neither replaced nor deleted: `--target-replace` of an edge leaves its routes and modules out,
 * and the new edge would take over without them.
 */
export async function refuseToStrand(
  { stateOfStack, current, deleted }: Operation,
  named: string,
  id: string,
  intent: string,
): Promise<void> {
  const backend = stateBackend(process.env);
  const left = (await stateOfStack().catch(() => [])).filter((resource) => {
    if (resource.id !== id && !resource.id?.startsWith(`${id}/`)) return false;
    const own = intentOf(backend, resource.urn);
    const now = current.get(own);
    return (
      own !== intent && !deleted.has(`${own} ${resource.id}`) && (now === undefined || now === resource.id)
    );
  });
  if (left.length === 0) return;
  const names = left.slice(0, MAX_NAMED).map(({ urn }) => `\`${nameIn(urn)}\``);
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  throw new Error(
    `${named} is replaced, but ${names.join(", ")}${more} still belong to it and are not part of this run, so the new one would serve without them. The old one goes on serving: run \`pulumi up\` without targets, or with \`--target-dependents\``,
  );
}
