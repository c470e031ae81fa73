import { present } from "@tunnelplane/sdk/contract";
import {
  type Comparison,
  type Finding,
  findingSetAside,
  type World,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import type { Kysely } from "kysely";
import { type Caller, holderOf, projectNames } from "../auth";
import type { Documents } from "../documents";
import { portsOf } from "../gateways";
import type { ObjectChange } from "../journal";
import type { ChangeRequest, ServerContext } from "../resources";
import type { Database } from "../storage";
import { pipelined } from "../util";
import { View } from "../view";
import { CLIMBED, keyOf, objectsAround } from "./around";

/** The objects that a change touches, before and after it. */
interface Touched {
  readonly before: World;
  readonly after: World;
  /** Sentences about parts that were not examined; usually empty. */
  readonly limits: readonly string[];
}

/** Ids in findings. */
const IDS = /\b[a-z]+_[0-9A-Za-z]{27}\b/g;

/** Finds the effects of a dry run on callers, and adds them to its answer. */
export class DryRunConsequences {
  #touched: Touched = { before: { objects: [] }, after: { objects: [] }, limits: [] };
  /** The names of objects that do not exist yet, by the ids that they have only in this run. */
  #new: ReadonlyMap<string, string> = new Map();
  /** About guarantees that the change sets aside. */
  #setAside: readonly Finding[] = [];

  constructor(
    private readonly context: ServerContext,
    private readonly caller: Caller,
  ) {}

  readonly onDryRun: ChangeRequest["onDryRun"] = async (
    transaction,
    changes,
    { names = new Map<string, string>(), setAside },
  ) => {
    const projects = setAside.length > 0 ? await projectNames(transaction) : undefined;
    this.#setAside = setAside.map((one) =>
      findingSetAside({ ...one, project: projects?.get(one.project) ?? one.project }),
    );
    const made = new Set(changes.flatMap(({ change, id }) => (change === "created" ? id : [])));
    this.#new = new Map([...names].filter(([id]) => made.has(id)));
    this.#touched = await touchedBy(
      transaction,
      { documents: this.context.documents, caller: this.caller, names },
      changes,
    );
  };

  /**
   * The JSON of an object, with the findings in it.
   * @param gone aborts when nobody waits for them any more
   */
  async addTo(json: string, gone: AbortSignal): Promise<string> {
    const { before, after, limits: unseen } = this.#touched;
    const order = { before, after, now: new Date() };
    const compared = await this.context.compute.decisions.compare(holderOf(this.caller), order, gone);
    const all = { ...compared, findings: [...this.#setAside, ...compared.findings] };
    const { findings, access, limits } = inPart(all, unseen);
    const added = JSON.stringify(
      { findings, access, ...(limits.length > 0 && { finding_limits: limits }) },
      this.#withoutNewIds,
    );
    return json === "{}" ? added : `${json.slice(0, -1)},${added.slice(1)}`;
  }

  #withoutNewIds = (field: string, value: unknown): unknown => {
    if (typeof value !== "string" || this.#new.size === 0) return value;
    if (field === "id" && this.#new.has(value)) return null;
    return value.replace(IDS, (id) => this.#new.get(id) ?? id);
  };
}

/** Reads the objects that a change affects, in the transaction of the change. */
async function touchedBy(
  transaction: Kysely<Database>,
  { documents, caller, names }: { documents: Documents; caller: Caller; names: ReadonlyMap<string, string> },
  changes: readonly ObjectChange[],
): Promise<Touched> {
  const limits: string[] = [];
  const view = View.of({ db: transaction, documents }, caller);
  const around = await objectsAround(view, changes, {
    names,
    limits,
    // A credential may have been the last one to serve an edge.
    mattersEverywhere: (changed) => changed.some(({ kind }) => kind.endsWith("_credential")),
  });
  const { credentials, full } = await view.credentials(caller);
  if (full) limits.push("Only the newest 500 credentials of each kind were examined.");
  const now = new Map([...credentials.map((object) => [keyOf(object), object] as const), ...around.objects]);
  await markUsed(view, now);
  const admins = await view.adminsAmong(ownersAmong(around.changed));
  const ports = await portsOf(transaction);
  const world = (objects: WorldObject[]) => ({
    objects,
    partial: limits.length > 0,
    admins,
    caller: caller.ownerId,
    ...(ports && { ports }),
  });
  const { before, after } = around.sidesOf(now);
  return { before: world(before), after: world(after), limits };
}

/**
 * Marks the policies, backends and authorities that are in use, also by objects that were not read. Of a
 * shared project all are: others may use them.
 */
async function markUsed(view: View, objects: Map<string, WorldObject>): Promise<void> {
  const usable = [...objects].flatMap(([key, { id, kind }]) => (id && CLIMBED.test(kind) ? [key] : []));
  const [found, isLent] = await pipelined([view.referrersOf(usable, 1), view.isLent()]);
  for (const [index, id] of usable.entries()) {
    if (isLent || (found[index] ?? []).length > 0)
      objects.set(id, { ...present(objects.get(id)), used: true });
  }
}

/** The owners of changed API keys. */
const ownersAmong = (changed: readonly WorldObject[]): string[] => [
  ...new Set(changed.flatMap(({ kind, fields }) => (kind === "api_key" ? String(fields.owner_id) : []))),
];

/** The limit on findings in an answer, the most severe first. */
const MAX_FINDINGS = 500;
/** The limit on each list of the comparison in an answer. */
const MAX_CHANGES = 50;

/** The effects of a change in an answer. */
interface Consequences extends Pick<Comparison, "access"> {
  readonly findings: readonly Finding[];
  readonly limits: readonly string[];
}

/** The part that fits into an answer. */
function inPart({ findings, access }: Comparison, unseen: readonly string[]): Consequences {
  const limits = [...unseen];
  const first = <T>(all: readonly T[], most: number, label: string): readonly T[] => {
    if (all.length > most) limits.push(`${all.length - most} further ${label} are not listed.`);
    return all.slice(0, most);
  };
  return {
    findings: first(findings, MAX_FINDINGS, "findings"),
    access: {
      ...access,
      opened: first(access.opened, MAX_CHANGES, "addresses that open"),
      closed: first(access.closed, MAX_CHANGES, "addresses that close"),
      moved: first(access.moved, MAX_CHANGES, "addresses whose traffic moves"),
      unproved: first(access.unproved, MAX_CHANGES, "addresses that are not proved"),
    },
    limits,
  };
}
