import { type BrokenGuarantee, type GuaranteeState, mistakeInGuarantee } from "@tunnelplane/sdk/meaning";
import type { Kysely } from "kysely";
import { projectNames, RESTRICTING, sharedProjects } from "../../auth";
import {
  type ChangeToJudge,
  type Compute,
  type Contradiction,
  contradictionAmong,
  type GuaranteesToCompare,
} from "../../compute";
import type { Document } from "../../documents";
import { portsOf } from "../../gateways";
import type { ObjectChange } from "../../journal";
import {
  type Asking,
  type Check,
  type Guard,
  lockAllNesting,
  NotEvaluated,
  type ServerContext,
} from "../../resources";
import { type Database, pipelined, Transaction } from "../../storage";
import { grouped, RequestError } from "../../util";
import { View } from "../../view";
import { objectsAround } from "../around";
import { addressKeysAt, addressKeysOf } from "./addressKeys";
import { KeptStates } from "./keeping";
import { MAX_COMPARED, MAX_EDGES, MAX_GUARANTEES, MAX_OBJECTS, tooMany } from "./limits";
import { contradicts, ofAnotherProject, ofProject, refusalOf, type StoredGuarantee } from "./refusals";
import { withCredentials, worldOf } from "./stored";
import {
  fieldsIn,
  forgetAddressKeys,
  guaranteesAt,
  guaranteesOf,
  insertAddressKeys,
  lockGuarantees,
  refuseGuaranteed,
  strictest,
  touchAll,
  touchAt,
  touchGuarantee,
} from "./table";
import { decidingAmong, differ, hostportsNamed, hostportsTouched, isOfEveryProject } from "./touched";

/**
 * How long a transaction waits for its changes to be judged, in milliseconds; most take 2 to 5 (a route with
 * 50 guarantees, on 2 cores). Only one transaction waits at a time, and only where other writers do not wait
 * for it.
 */
const BRIEF_MS = 25;

/** The runs of one transaction, which begins anew after long judging. */
interface Run {
  readonly asking: Asking;
  /** What was judged, as texts. */
  readonly judged: Set<string>;
  /** Guarantees that refuse nothing in it, by their ids. */
  readonly excused: Set<string>;
  readonly now: number;
}

/** The guarantees of one project that changes touch, and those of the changes that it may see. */
interface Touched {
  readonly project: string;
  readonly guarantees: readonly StoredGuarantee[];
  readonly seen: readonly ObjectChange[];
}

/**
 * Refuses changes after which an enforced guarantee would not hold. A transaction reads everything that a
 * change touches. If judging takes long, it is done between two runs of the transaction, so that no lock is
 * held meanwhile.
 */
export class Guarantees implements Guard {
  readonly #judging: Compute["guarantees"];
  readonly #kept: KeptStates;

  constructor(private readonly context: Pick<ServerContext, "store" | "documents" | "compute">) {
    this.#judging = context.compute.guarantees;
    this.#kept = new KeptStates(context, this.#judging);
  }

  begin(asking: Asking): Check {
    const compared = new Map<string, Set<string>>();
    // One time for all runs: what was judged is known by its text.
    const run: Run = { asking, judged: new Set(), excused: new Set(), now: Date.now() };
    const { project } = asking;
    return async (db, changes) => {
      await this.#checkGuarantees(db, changes, { ...asking, compared });
      const deciding = decidingAmong(changes);
      if (deciding.length === 0) return;
      const isOptimistic = db instanceof Transaction && db.facts.isOptimistic;
      const named = hostportsNamed(deciding)?.flatMap(addressKeysAt);
      if (named && isOptimistic) {
        await touchAt(db, named, project);
        return refuseGuaranteed(db, named);
      }
      const [there] = await strictest(db, {});
      if (!there) return;
      const keys = named ?? (await keysTouched(db, deciding, Number(there.enforced) === 1));
      const found = keys ? (await this.#at(db, keys, changes)).filter(({ id }) => !run.excused.has(id)) : [];
      // Edges and routes belong to one project; what they refer to may be lent to others.
      const lent = named ? [] : (await isShared(db, project)) ? changes : changes.filter(isOfEveryProject);
      for (const [theirs, guarantees] of grouped(found, (guarantee) => guarantee.project)) {
        // Others see of the changes what is lent to them, and what holds for everybody's edges.
        const seen = theirs === project ? changes : lent;
        if (seen.length > 0) await this.#refuseBroken(db, run, { project: theirs, guarantees, seen });
      }
      if (!(db instanceof Transaction)) return;
      const whose = lent.length > 0 ? undefined : project;
      if (keys) await touchAt(db, keys, whose);
      else await touchAll(db, { project: whose ?? "" });
    };
  }

  /** Refuses what breaks guarantees of a project. What takes long is judged between two runs. */
  async #refuseBroken(db: Kysely<Database>, run: Run, touched: Touched): Promise<void> {
    const { asking, judged, now } = run;
    const { project, guarantees, seen } = touched;
    const { store, documents } = this.context;
    // The refusal for a guarantee of another project says nothing of what was read.
    const knowsRestrictions = project === asking.project ? asking.knowsRestrictions : true;
    const view = View.ofProject({ db, documents }, project, knowsRestrictions);
    const around = await this.#around(db, view, seen, { guarantees, now });
    const order = JSON.stringify(around);
    if (judged.has(order)) return;
    const isBrief = db instanceof Transaction && store.isParallel && this.#judging.isFree(asking);
    const judging = this.#judging.brokenBy(asking, order, asking.gone);
    judging.catch(() => undefined); // if nobody waits for it; a transaction that waits fails by itself
    if (isBrief && (await within(BRIEF_MS, judging))?.length === 0) return;
    throw new NotEvaluated(async () => {
      await this.#settle(await judging, run, touched, around);
      judged.add(order);
    });
  }

  /** Refuses what broke guarantees, or sets these aside if the caller may and wants that. */
  async #settle(
    found: readonly BrokenGuarantee[],
    { asking, excused }: Run,
    { project, guarantees, seen }: Touched,
    around: ChangeToJudge,
  ): Promise<void> {
    const { setAside, knowsExposure, knowsGuarantees } = asking;
    const theirs = { project, knowsRestrictions: true };
    const broken = await this.#withAnswers(found, theirs, around, asking);
    for (const one of await this.#heldBefore({ ...asking, project }, guarantees, broken)) excused.add(one);
    const left = broken.flatMap((one) => {
      const guarantee = guarantees[one.index];
      return guarantee && !excused.has(guarantee.id) ? [{ ...one, guarantee }] : [];
    });
    const mayForce = seen.every(({ definition }) => RESTRICTING.includes(definition.kind));
    if (left.length > 0 && !(setAside && mayForce)) {
      if (project === asking.project) throw refusalOf(left, { withExamples: knowsExposure });
      if (!knowsGuarantees) throw ofAnotherProject();
      const name = (await projectNames(this.context.store.reader)).get(project);
      throw ofProject(name ?? project, left, mayForce);
    }
    for (const { guarantee, example, reason } of left) {
      setAside?.({ ...guarantee, project, example, reason });
      excused.add(guarantee.id);
    }
  }

  states: Guard["states"] = (ids, gone) => this.#kept.read(ids, gone);

  judge: Guard["judge"] = (holder, toJudge, gone) => this.#judging.statesToTell(holder, toJudge, gone);

  start: Guard["start"] = (logger) => this.#kept.start(logger);

  close: Guard["close"] = () => this.#kept.stop();

  /**
   * The guarantees of keys as they will be; a guarantee that the same changes create refuses none of them.
   */
  async #at(
    db: Kysely<Database>,
    keys: readonly string[],
    changes: readonly ObjectChange[],
  ): Promise<(StoredGuarantee & { readonly project: string })[]> {
    const found = await guaranteesAt(db, keys);
    const made = new Set(changes.flatMap(({ change, id }) => (change === "created" ? id : [])));
    const rows = await lockGuarantees(
      db,
      found.filter((id) => !made.has(id)),
    );
    const later = new Map(changes.map(({ id, after }) => [id, after]));
    return rows.flatMap(({ id, document, project_id: project }) => {
      const fields = later.has(id) ? later.get(id) : fieldsIn(document);
      return fields ? [{ id, fields, project }] : [];
    });
  }

  /** Without credentials, because they decide who may serve an address and not who is let in. */
  async #around(
    db: Kysely<Database>,
    view: View,
    changes: readonly ObjectChange[],
    { guarantees, now }: { readonly guarantees: readonly StoredGuarantee[]; readonly now: number },
  ): Promise<ChangeToJudge> {
    const limits: string[] = [];
    const [{ objects, sidesOf }, ports] = await pipelined([
      objectsAround(view, changes, {
        limits,
        most: { referrers: MAX_EDGES, objects: MAX_OBJECTS },
      }),
      portsOf(db),
    ]);
    if (limits.length > 0) throw tooMany();
    const { before, after } = sidesOf(objects);
    const known = { now, ...(ports && { ports }) };
    return {
      before: { objects: before, ...known },
      after: { objects: after, ...known },
      guarantees: guarantees.map(({ fields }) => fields),
    };
  }

  /** What a change breaks, with examples that say whether a credential lets somebody answer. */
  async #withAnswers(
    broken: readonly BrokenGuarantee[],
    { project, knowsRestrictions }: { readonly project: string; readonly knowsRestrictions: boolean },
    { before, after, guarantees }: ChangeToJudge,
    { gone, ...holder }: Asking,
  ): Promise<readonly BrokenGuarantee[]> {
    const isOpen = ({ example }: BrokenGuarantee) =>
      [example?.before, example?.after].some((one) => one?.outcome === "unserved");
    if (!broken.some(isOpen)) return broken;
    const { store, documents } = this.context;
    const view = View.ofProject({ db: store.reader, documents }, project, knowsRestrictions);
    const [was, is] = [await withCredentials(view, before), await withCredentials(view, after)];
    return this.#judging.brokenBy(holder, JSON.stringify({ before: was, after: is, guarantees }), gone);
  }

  /** The guarantees that a change breaks and that did not hold before: they refuse nothing. */
  async #heldBefore(
    asking: Asking,
    guarantees: readonly StoredGuarantee[],
    broken: readonly BrokenGuarantee[],
  ): Promise<string[]> {
    if (broken.length === 0) return [];
    const candidates = broken.flatMap(({ index, example }) => {
      const guarantee = guarantees[index];
      return guarantee ? [{ ...guarantee, example }] : [];
    });
    const fields = candidates.map((one) => one.fields);
    const states = await this.#statesNow(asking, fields);
    return candidates
      .filter((one, index) => {
        const state = states[index]?.state;
        return state === "broken" || (state === "unproved" && !one.example);
      })
      .map(({ id }) => id);
  }

  /** Checks guarantees that are created or changed, and stores the keys under which they are found. */
  async #checkGuarantees(
    db: Kysely<Database>,
    changes: readonly ObjectChange[],
    { compared, ...asking }: Asking & { readonly compared: Map<string, Set<string>> },
  ): Promise<void> {
    const { project } = asking;
    const own = changes.filter(
      ({ definition, before, after }) => definition.kind === "guarantee" && differ(before, after),
    );
    if (own.length === 0) return;
    const ids = new Set(own.map(({ id }) => id));
    const written = own.flatMap(({ id, after }) => (after ? [{ id, fields: after }] : []));
    for (const { fields } of written) {
      const mistake = mistakeInGuarantee(fields);
      if (mistake) throw new RequestError("invalid_field", mistake, { field: "except_networks" });
    }
    // One at a time: two that contradict each other must not both find the other one missing.
    if (db instanceof Transaction) await lockAllNesting(db);
    const all = (await guaranteesOf(db, { project, limit: MAX_GUARANTEES + 1 })).filter(
      ({ id }) => !ids.has(id),
    );
    if (all.length + written.length > MAX_GUARANTEES)
      throw new RequestError(
        "invalid_field",
        `There are ${all.length} guarantees, and at most ${MAX_GUARANTEES} may be; one may have up to 100 addresses`,
        { field: "addresses" },
      );
    const others = all.filter(({ document }) => isEnforced(fieldsIn(document)));
    const strict = written.filter(({ fields }) => isEnforced(fields));
    const some = strict.map(({ fields }) => fields);
    const text = JSON.stringify(some);
    const known = compared.get(text);
    const each = [...strict.map(({ id, fields }) => ({ id, document: JSON.stringify(fields) })), ...others];
    // Others may be made while this waits to be judged; only these are compared when it runs again.
    const rivals = known ? each.filter(({ document }) => !known.has(document)) : each;
    const order: GuaranteesToCompare = {
      some,
      others: rivals.map(({ document }) => fieldsIn(document)),
    };
    const refuse = (found: Contradiction | undefined) => {
      const other = found && rivals[found.other];
      if (other) throw contradicts({ id: other.id, fields: fieldsIn(other.document) }, found.request);
    };
    if (!known || some.length * rivals.length > MAX_COMPARED)
      throw new NotEvaluated(async () => {
        refuse(await this.#judging.contradiction(asking, order, asking.gone));
        compared.set(text, new Set([...(known ?? []), ...rivals.map(({ document }) => document)]));
      });
    refuse(contradictionAmong(order));
    if (!(db instanceof Transaction)) return;
    for (const id of ids) await forgetAddressKeys(db, { id });
    for (const { id } of written) await touchGuarantee(db, { guarantee_id: id, project_id: project });
    const rows = written.flatMap(({ id, fields }) =>
      addressKeysOf(fields).map((key) => ({
        address_key: key,
        guarantee_id: id,
        enforced: isEnforced(fields) ? (1 as const) : (0 as const),
      })),
    );
    await insertAddressKeys(db, rows);
  }

  /** Whether guarantees hold for what is stored. */
  async #statesNow(asking: Asking, guarantees: readonly Document[]): Promise<readonly GuaranteeState[]> {
    const { store, documents } = this.context;
    const view = View.ofProject({ db: store.reader, documents }, asking.project, asking.knowsRestrictions);
    const world = await worldOf(store.reader, view, guarantees);
    return this.#judging.states(asking, { world, guarantees }, asking.gone);
  }
}

const isEnforced = ({ mode }: Document): boolean => mode !== "report";

/**
 * The keys of guarantees that changes may touch; undefined if these are too many to be known. Where a
 * guarantee is enforced, such changes are refused.
 */
const keysTouched = (
  db: Kysely<Database>,
  deciding: readonly ObjectChange[],
  isAnyEnforced: boolean,
): Promise<string[] | undefined> =>
  hostportsTouched(db, deciding).then(
    (hostports) => hostports.flatMap(addressKeysAt),
    (error: unknown) => {
      if (isAnyEnforced || !(error instanceof RequestError)) throw error;
      return undefined;
    },
  );

const isShared = async (db: Kysely<Database>, project: string): Promise<boolean> =>
  (await sharedProjects(db)).includes(project);

/** The value of a promise, or undefined if it takes longer than this or fails. */
function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    promise.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer));
  });
}
