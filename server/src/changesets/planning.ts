import type { Definition } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Belonging, Caller } from "../auth";
import type { Document, Documents } from "../documents";
import type { ServerContext } from "../resources";
import type { Database } from "../storage";
import { grouped, yieldToEventLoop } from "../util";
import { type MemberRow, type PlanFacts, wholeRows } from "./facts";
import type { Faults } from "./faults";

/** An object as it is stored. */
export interface Loaded extends Belonging {
  readonly id: string;
  readonly version: number;
  readonly before: Document;
  /** Its name; null for none. */
  readonly name: string | null;
}

/** The state of planning, which its steps share. */
export interface Planning {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly documents: Documents;
  readonly reader: Kysely<Database>;
  readonly mode: "merge" | "own";
  /** Whether nothing will be carried out, so nothing is made. */
  readonly dryRun: boolean;
  /** Aborts when nobody waits for the answer any more. */
  readonly gone: AbortSignal | undefined;
  readonly faults: Faults;
  /** The stored objects of the plan, by id. */
  readonly loaded: Map<string, Loaded>;
  /** The members that the request leaves out. */
  readonly undeclared: readonly MemberRow[];
  readonly facts: PlanFacts;
}

/** Reads objects with everything that answers show of them. */
export async function load(
  { reader, documents, loaded, facts }: Planning,
  wanted: readonly { definition: Definition; id: string }[],
): Promise<void> {
  const unread = wanted.filter(({ id }) => !loaded.has(id));
  for (const [definition, some] of grouped(unread, (one) => one.definition)) {
    const ids = some.map(({ id }) => id);
    for (const id of ids) facts.versions.set(id, null);
    for (const row of await wholeRows(reader, definition, ids)) {
      await yieldToEventLoop();
      facts.versions.set(row.id, row.version);
      if (row.kind !== definition.kind) continue;
      const { document: before } = await documents.readToChange(
        reader,
        definition,
        row.document,
        `${row.id} ${row.version}`,
      );
      const { id, owner_id, project_id, version, name } = row;
      loaded.set(id, { id, owner_id, project_id, version, before, name });
    }
  }
}
