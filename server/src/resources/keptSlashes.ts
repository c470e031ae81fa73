import type { Answers } from "@tunnelplane/sdk";
import { asksPath, KEEPS_SLASHES, settle, Unservable } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import { isChangeOf, type ObjectChange } from "../journal";
import { type Database, inParts, isListed, statement } from "../storage";
import { refuseFaults } from "../util";
import { childrenOf } from "./rows";

type Route = Pick<Answers["https_edge_route"], "match" | "match_type" | "policies">;

/** Refuses what depends on the path, on an edge that keeps encoded slashes. */
export async function refuseBesideKeptSlashes(
  db: Kysely<Database>,
  changes: readonly ObjectChange[],
): Promise<void> {
  const edges = changes.filter((change) => isChangeOf(change, "https_edge"));
  const routes = changes.filter((change) => isChangeOf(change, "https_edge_route"));
  const keeping = new Set(edges.filter(({ after }) => after?.escaped_slashes === "keep").map(({ id }) => id));
  const others = new Set(routes.flatMap(({ after }) => after?.edge_id ?? []));
  for (const { id } of edges) others.delete(id);
  for (const { id } of await inParts([...others], (ids) => storedKeeping(db, { ids }))) keeping.add(id);
  for (const id of keeping) {
    const own = new Map<string, Route>();
    for (const row of await childrenOf(db, { id })) own.set(row.id, JSON.parse(row.document) as Route);
    for (const { id: route, before, after } of routes)
      if (after?.edge_id === id) own.set(route, after);
      else if (before?.edge_id === id) own.delete(route);
    if ([...own].some(([route, fields]) => dependsOnPath(route, fields)))
      refuseFaults([{ error: "invalid_field", path: ["escaped_slashes"], message: KEEPS_SLASHES }]);
  }
}

const storedKeeping = statement<{ ids: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select("id")
    .where(isListed(db, "id", parameter("ids")))
    .where("document", "like", '%"escaped_slashes":"keep"%'),
);

function dependsOnPath(id: string, { match, match_type: type, policies }: Route): boolean {
  if (match !== "/" || type === "exact_path") return true;
  try {
    return policies?.enabled === true && asksPath(settle(policies, id));
  } catch (error) {
    if (error instanceof Unservable) return false; // gateways reject it for that
    throw error;
  }
}
