import { DEFAULT_PROJECT, definitionOf, type Kind, plural } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { MAX_RESTRICTIONS } from "../auth";
import type { ObjectChange } from "../journal";
import { type Database, statement, Transaction } from "../storage";
import { grouped, RequestError } from "../util";

/**
 * The most objects of a kind, where the server looks through all of them: through identities for each token,
 * and it keeps the names of projects in memory, beside `default`.
 */
const MAX_OF: Readonly<Partial<Record<Kind, number>>> = {
  workload_identity: 1000,
  project: 1000,
  membership: 10_000,
  ip_restriction: MAX_RESTRICTIONS,
};

/** The most objects of a kind in each project. */
const MAX_PER_PROJECT: Readonly<Partial<Record<Kind, number>>> = { reserved_addr: 100 };

/**
 * Of what several projects share, one project holds at most a tenth; and of the last tenth, no project takes
 * more than a hundredth, so that each finds room.
 */
const SHARED_OUT: readonly Kind[] = ["workload_identity", "membership"];
const SHARE = 0.1;
const SMALL_SHARE = 0.01;

/** Refuses creations beyond a limit on objects; requests at the same time may go a little beyond it. */
export async function refuseBeyondBounds(
  db: Kysely<Database>,
  changes: readonly ObjectChange[],
): Promise<void> {
  const made = changes.filter(({ change }) => change === "created");
  for (const [kind, some] of grouped(made, ({ definition }) => definition.kind)) {
    if (MAX_OF[kind] !== undefined)
      refuseAbove(db, MAX_OF[kind], kind, some.length, await countOf(db, { kind }));
    if (SHARED_OUT.includes(kind)) await refuseBeyondShare(db, kind, some);
    if (MAX_PER_PROJECT[kind] === undefined) continue;
    for (const [project, own] of grouped(some, ({ storedAs }) => storedAs.project))
      refuseAbove(db, MAX_PER_PROJECT[kind], kind, own.length, await countIn(db, { kind, project }));
  }
}

async function refuseBeyondShare(
  db: Kysely<Database>,
  kind: Kind,
  made: readonly ObjectChange[],
): Promise<void> {
  const most = MAX_OF[kind] ?? 0;
  const [projects] = await otherProjects(db, {});
  if (Number(projects?.count) === 0) return; // there is nobody to share with
  const [all] = await countOf(db, { kind });
  const isFull = Number(all?.count) > most * (1 - SHARE);
  for (const [project, own] of grouped(made, ({ storedAs }) => storedAs.project))
    refuseAbove(
      db,
      most * (isFull ? SMALL_SHARE : SHARE),
      kind,
      own.length,
      await countIn(db, { kind, project }),
      " in this project",
    );
}

function refuseAbove(
  db: Kysely<Database>,
  most: number,
  kind: Kind,
  made: number,
  [row]: readonly Count[],
  where = "",
): void {
  // Planned objects are not stored.
  const all = Number(row?.count) + (db instanceof Transaction ? 0 : made);
  if (all > most)
    throw new RequestError(
      "taken",
      `There are at most ${most.toLocaleString("en-US")} ${plural(definitionOf(kind).title)}${where}, and this would make ${all.toLocaleString("en-US")}; delete some first`,
    );
}

interface Count {
  readonly count: number | string | bigint;
}

const countOf = statement<{ kind: string }, Count>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", parameter("kind")),
);

const countIn = statement<{ kind: string; project: string }, Count>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", parameter("kind"))
    .where("project_id", "=", parameter("project")),
);

const otherProjects = statement<object, Count>((db) =>
  db
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", "project")
    .where("id", "!=", DEFAULT_PROJECT.id),
);
