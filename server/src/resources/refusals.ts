import type { Kysely } from "kysely";
import {
  type Caller,
  projectOf,
  refuseForeignReach,
  refuseForeignRights,
  refuseLastAdmin,
  refuseLockOut,
} from "../auth";
import type { ObjectChange } from "../journal";
import type { Database } from "../storage";
import { refuseBeyondBounds } from "./bounds";
import { refuseBesideKeptSlashes } from "./keptSlashes";
import type { NameSettings } from "./nameSettings";
import { refuseLostProjects } from "./projects";
import { refuseForeignNames } from "./reserved";

interface Asked {
  readonly db: Kysely<Database>;
  /** The facts about the request; see `ChangeRequest`. */
  readonly request: {
    readonly caller: Caller;
    readonly client: string;
    readonly isForwarded?: boolean;
    readonly force?: boolean;
    readonly dryRun: boolean;
  };
  readonly changes: readonly ObjectChange[];
  readonly names: NameSettings;
}

/**
 * What a request may not change, in the order in which it is said. Each looks at the kinds that it is about,
 * and reads nothing for others.
 */
const REFUSALS: readonly ((asked: Asked) => void | Promise<void>)[] = [
  ({ request: { caller, dryRun }, changes }) => {
    for (const change of changes) refuseForeignRights(caller, dryRun ? "plan" : "write", change);
  },
  ({ db, request, changes }) => refuseForeignReach(db, request.caller, changes),
  ({ db, changes }) => refuseLastAdmin(db, changes),
  ({ db, changes }) => refuseBeyondBounds(db, changes),
  ({ db, request, changes }) => refuseLostProjects(db, changes, projectOf(request.caller)),
  ({ db, changes }) => refuseBesideKeptSlashes(db, changes),
  ({ db, request: { caller, client: ip, isForwarded = false, force = false }, changes }) =>
    refuseLockOut(db, { caller, origin: { ip, isForwarded }, force }, changes),
  ({ db, request, changes, names }) => refuseForeignNames(db, request.caller, changes, names),
];

/** @throws RequestError for the first thing that a request may not change */
export async function refuseForbidden(asked: Asked): Promise<void> {
  for (const refusal of REFUSALS) await refusal(asked);
}
