import type { Kysely } from "kysely";
import type { Database } from "../storage/schema";
import { mintSecret } from "./mintSecret";

/**
 * What a resource type does beyond being stored. Runs in the creation's transaction; what it returns
 * is told in the creation's answer and kept nowhere.
 */
export type Behaviour = (transaction: Kysely<Database>, id: string) => Promise<Record<string, unknown>>;

/** By kind; most kinds have none. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  tunnel_credential: mintSecret("tpt"),
  api_key: mintSecret("tpk"),
};
