import { readGuaranteedAddress } from "@tunnelplane/sdk/contract";
import { coversHost, type World } from "@tunnelplane/sdk/meaning";
import type { Kysely } from "kysely";
import type { Document, Documents } from "../documents";
import { worldOfEdges } from "../exposure";
import { portsOf } from "../gateways";
import { type Database, statement } from "../storage";
import { takeTurn } from "../util";
import { MOST_OBJECTS } from "./limits";

/** The world at the addresses of guarantees of a project, as it is stored. */
export async function worldOf(
  db: Kysely<Database>,
  { documents, project }: { readonly documents: Documents; readonly project: string },
  guarantees: readonly Document[],
): Promise<World> {
  const hosts = new Set(
    guarantees.flatMap(({ addresses }) =>
      (Array.isArray(addresses) ? addresses : []).flatMap((address: unknown) => {
        const read = readGuaranteedAddress(String(address));
        return typeof read === "string" ? [] : read.host;
      }),
    ),
  );
  const edges = new Set<string>();
  for (let after = ""; ; ) {
    const page = await hostportsAfter(db, { after, limit: AT_ONCE });
    for (const { value, resource_id } of page)
      if (isNear(value.slice(0, value.lastIndexOf(":")), hosts)) edges.add(resource_id);
    const last = page.at(-1);
    if (page.length < AT_ONCE || !last) break;
    after = last.value;
    await takeTurn();
  }
  const ports = await portsOf(db);
  const world = await worldOfEdges(db, documents, [...edges], { project, most: MOST_OBJECTS });
  return { ...world, ...(ports && { ports }) };
}

/** Whether a hostport is covered, serves a name that is, or takes names of a wildcard that is. */
function isNear(host: string, wanted: ReadonlySet<string>): boolean {
  for (const pattern of wanted)
    if (coversHost(pattern, host) || (host.startsWith("*.") && pattern.endsWith(host.slice(1)))) return true;
  return false;
}

const AT_ONCE = 500;

/** The hostports of all edges behind one, in their order. */
export const hostportsAfter = statement<
  { after: string; limit: number },
  { value: string; resource_id: string }
>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .select(["value", "resource_id"])
    .where("scope", "=", "hostport")
    .where("value", ">", parameter("after"))
    .orderBy("value")
    .limit(parameter("limit")),
);
