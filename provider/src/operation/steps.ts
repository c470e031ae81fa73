import { BadRequestError, ConflictError, type Transport } from "@tunnelplane/sdk";
import { camelCase, holdsUniqueValues, modulesOf, waits } from "@tunnelplane/sdk/contract";
import {
  type Checked,
  type Creation,
  expectPlace,
  inputsOf,
  intentOf,
  Lifecycle,
  lacksProject,
  nameIn,
  type Plan,
  type Properties,
  placeIn,
  recordOfPlace,
  targetOf,
} from "../core";
import { gapWarning, modulesLeaving, toFollow, withoutModulesApart } from "./apart";
import { type Claim, claimsOf, isHostport } from "./claim";
import { describe } from "./describe";
import { warnOfFindings } from "./findings";
import { mayCover, refusedAlone, warningsAbout, withCure } from "./guarantees";
import { holdersBehind, type Wanted } from "./hostports";
import { deleteLost, IN_DOUBT, lostCreation, sentIn } from "./lost";
import { movesHere } from "./move";
import type { Operation } from "./operation";
import { isInDoubt, PARTLY, PartialFailure } from "./partial";
import { refuseToStrand } from "./parts";
import { stateBackend } from "./stateBackend";
import { onceUnused } from "./unused";
import { createOverLeftRule, endsWithPolicy, wholeLeaving } from "./whole";

/**
 * The steps of one kind of resource in an operation: the lifecycle, with the work around it that every host
 * needs.
 */
export class Steps {
  readonly lifecycle: Lifecycle;

  constructor(
    private readonly operation: Operation,
    private readonly kind: string,
  ) {
    this.lifecycle = new Lifecycle(targetOf(kind));
  }

  #claims = (properties: Properties): Claim[] =>
    claimsOf(this.lifecycle.definition, properties, this.operation.host.isUnknown);

  /**
   * Why a run cannot give a checked resource its unique values, as far as the program and the stack's state
   * tell.
   *
   * @param declares whether the program declares another resource; undefined where that is not known. By
   *   default, waits for that
   */
  refusals = (
    urn: string,
    declares: (urn: string) => Promise<boolean | undefined> = this.operation.claims.declares,
  ): Promise<string[]> =>
    this.operation.claims.refusals({
      urn,
      definition: this.lifecycle.definition,
      declares,
      // Without the state, leave this to the run.
      holders: () => this.operation.holders().catch(() => new Map()),
    });

  /**
   * Checks the declared properties offline, and shows the warnings.
   *
   * @param recorded the properties declared before, with their defaults; empty for a new resource
   * @param isReplacement whether the same was checked already, beside the object that it replaces
   */
  async check(
    urn: string | undefined,
    recorded: Properties,
    news: Properties,
    isReplacement: boolean,
  ): Promise<Checked> {
    const { host, claims } = this.operation;
    const name = urn && nameIn(urn);
    const before = await this.#withoutApart(urn, undefined, recorded, news);
    const checked = this.operation.offline(() => this.lifecycle.check(before, news, host.isUnknown, name));
    const moved = this.lifecycle.ownerIn(checked.inputs);
    if (moved !== undefined && this.operation.leaving.has(`${this.kind} ${moved}`))
      await host.warn(gapWarning(this.kind, moved), urn);
    if (!isReplacement) for (const warning of checked.warnings) await host.warn(warning, urn);
    const isThere = !isReplacement && Object.keys(recorded).length > 0;
    if (urn === undefined) return checked;
    claims.note(urn, this.#claims(checked.inputs), isThere ? this.#claims(recorded) : undefined);
    const objects = [urn, this.operation.owners.get(urn), moved];
    const refusal = await this.#declareModules(urn, objects, checked.inputs);
    return refusal === undefined ? checked : { ...checked, problems: [...checked.problems, refusal] };
  }

  /** Notes the modules that the program declares for an object; answers why not where others declare them. */
  async #declareModules(
    urn: string,
    objects: readonly (string | undefined)[],
    properties: Properties,
  ): Promise<string | undefined> {
    const { definition } = this.lifecycle;
    const { refusal, warning } = this.operation.modules.note(this.kind, definition, objects, urn, properties);
    if (warning !== undefined) await this.operation.warnOnce(warning, urn);
    return refusal;
  }

  /**
   * How a change of the object with an id will be carried out. A resource that the program moved here from a
   * provider of another server or project is replaced, with nothing in the way of the new object.
   *
   * @throws where only the address of the server or the name of the project changed
   */
  async plan(
    id: string,
    recorded: Properties,
    desired: Properties,
    urn: string | undefined,
    intent: string | undefined,
  ): Promise<Plan & { readonly moves: boolean }> {
    const { host } = this.operation;
    const { type } = this.lifecycle.definition;
    if (id === IN_DOUBT) {
      const reason =
        "the server did not answer its creation; the run sends the same once more, and takes what that has made";
      await host.warn(reason, urn);
      const { replaces } = sentIn(recorded);
      if (replaces !== undefined && urn !== undefined) this.operation.replaced.set(urn, replaces);
      return { changes: true, replaces: ["id"], takesOver: false, reasons: [reason], moves: false };
    }
    const moves = await movesHere(this.operation, { id, type, named: this.#named(id), urn }, recorded);
    const plan = this.operation.offline(() => this.lifecycle.plan(recorded, desired, host.isUnknown));
    if (moves || plan.replaces.length > 0) this.operation.replacing.add(id);
    if (moves) return { ...plan, moves, replaces: [...plan.replaces, "provider"], takesOver: false };
    for (const reason of plan.reasons) await host.warn(reason, urn);
    if (intent !== undefined) this.operation.current.set(intent, id);
    if (plan.takesOver && urn !== undefined) this.operation.replaced.set(urn, id);
    if (plan.replaces.length === 0) {
      this.#noteModules(id, desired);
      const refusal = urn && (await this.#declareModules(urn, [id], desired));
      if (refusal) throw new Error(refusal);
      const before = await this.#withoutApart(urn, id, recorded, desired);
      for (const { name } of modulesLeaving(this.lifecycle.definition, before, desired))
        this.operation.leaving.add(`${this.kind}.${name} ${id}`);
    }
    return { ...plan, moves };
  }

  /** Recorded properties without the modules that this object's resource gives to others. */
  #withoutApart(
    urn: string | undefined,
    id: string | undefined,
    recorded: Properties,
    desired: Properties,
    isRun = false,
  ): Promise<Properties> {
    const { definition } = this.lifecycle;
    return withoutModulesApart(this.operation, { definition, urn, id }, recorded, desired, isRun);
  }

  /** The part of recorded outputs that a program declares. */
  inputsOf = (outputs: Properties): Properties => inputsOf(this.lifecycle.definition, outputs);

  /** The hostports that a change adds. */
  #wantedBy(olds: Properties, news: Properties, isItself: Wanted["isItself"]): Wanted {
    const before = new Set(this.#claims(olds).map(({ id }) => id));
    const hostports = this.#claims(news).filter((claim) => isHostport(claim) && !before.has(claim.id));
    return { hostports, isItself, holders: this.operation.holders };
  }

  /**
   * In a preview with `validateOnServer`: sends the change as a dry run, so that the server's refusals show
   * now. Those of guarantees are warnings.
   *
   * @param id the object that is changed or replaced; undefined for a new one
   * @param intent as for a creation
   */
  async dryRun(
    urn: string | undefined,
    id: string | undefined,
    olds: Properties,
    news: Properties,
    intent?: string,
  ): Promise<void> {
    const { operation } = this;
    if (!operation.validatesOnServer || !operation.knowsServer || id === IN_DOUBT) return;
    const wanted = this.#wantedBy(olds, news, (resource) => resource.id === id);
    await operation.withServer(async (transport) => {
      try {
        const before = await this.#withoutApart(urn, id, olds, news);
        const answer = await this.lifecycle.dryRun(transport, id, before, news, operation.host.isUnknown);
        await warnOfFindings(operation, this.lifecycle, answer, { olds, news }, urn);
        // Other objects of the program will exist after the run.
        const isToBeThere =
          Array.isArray(news.addresses) && mayCover(news.addresses, operation.claims.hostports());
        if (!isToBeThere || answer?.covered !== 0) await this.#tellOf(answer, urn);
      } catch (error) {
        if (await lacksProject(transport, error))
          return operation.warnOnce(
            `there is no project ${transport.project} at ${transport.baseUrl} for this API key yet, so the preview asks nothing about what belongs there`,
            urn,
          );
        const warning = refusedAlone(error);
        if (warning !== undefined)
          return operation.host.warn(`${this.lifecycle.definition.type}: ${warning}`, urn);
        // The run hands the value over.
        if ((await this.#ownBehind(error, intent)) !== undefined) return;
        // The server refuses a hostport that another edge holds. The run moves it if that edge is in this
        // stack.
        if ((await holdersBehind(error, wanted)).length === 0) throw error;
      }
    });
  }

  /**
   * @param intent names the resource in its program and state, the same in each run that tries to create it
   */
  create(
    urn: string | undefined,
    intent: string | undefined,
    desired: Properties,
  ): Promise<{ id: string; outputs: Properties }> {
    const { operation } = this;
    const { isRecorded } = operation;
    const wanted = this.#wantedBy({}, desired, () => false);
    const name = urn && nameIn(urn);
    const closedWithout = toFollow(operation, urn, desired);
    return this.recording(async (transport) => {
      let sent: Pick<Creation, "name" | "replaces" | "closedWithout"> = {};
      const create = (replaces?: string) => {
        sent = { name, replaces, closedWithout };
        return operation.hostports.during(transport, wanted, () =>
          this.lifecycle.create(transport, desired, { intent, ...sent, isRecorded }),
        );
      };
      try {
        const made = await this.#createInPlace(create, urn, intent).catch((error: unknown) =>
          createOverLeftRule(this.operation, this.lifecycle, transport, { create, desired, error }),
        );
        if (intent !== undefined) operation.current.set(intent, made.id);
        this.#noteModules(made.id, desired);
        if (urn !== undefined) await this.#declareModules(urn, [made.id], desired);
        await this.#tellOf(made.outputs, urn);
        return made;
      } catch (error) {
        await this.#recordModuleInDoubt(error, transport, desired);
        const failure = await this.#withHolder(error, urn);
        const isObject = intent !== undefined && !this.kind.includes(".");
        throw isObject ? lostCreation(error, failure, sent, desired) : failure;
      }
    });
  }

  /**
   * Creates an object, in the place of the one that the resource had before where that one holds a
   * unique value. The engine tells which one that is for ordinary replacements only; for `--replace` and
   * taint, which ask no diff, the state does.
   */
  async #createInPlace<T>(
    create: (replaces?: string) => Promise<T>,
    urn: string | undefined,
    intent: string | undefined,
  ): Promise<T> {
    const known = urn === undefined ? undefined : this.operation.replaced.get(urn);
    try {
      return await create(known);
    } catch (error) {
      // The user had the old one deleted first, or it is gone.
      if (known !== undefined && error instanceof BadRequestError && error.field === "replaces")
        return create();
      if (known !== undefined || !holdsUniqueValues(this.lifecycle.definition)) throw error;
      const own = await this.#ownBehind(error, intent);
      if (own === undefined) throw error;
      return create(own);
    }
  }

  /**
   * A creation of an object finds it again by its idempotency key; that of a module may have left it behind.
   */
  async #recordModuleInDoubt(error: unknown, transport: Transport, desired: Properties): Promise<void> {
    const id = this.lifecycle.ownerIn(desired);
    if (id === undefined || !isInDoubt(error)) return;
    const found = await this.lifecycle.afterDoubt(transport, id, {}, desired);
    if (found) throw new PartialFailure(error, { id, ...found, outputs: { ...found.outputs, ...PARTLY } });
  }

  /** Runs a step that brings an object into the state, and records its server and project. */
  recording<T extends { readonly outputs: Properties }>(
    run: (transport: Transport) => Promise<T>,
  ): Promise<T> {
    return this.operation.withServer(async (transport) => {
      const place = await recordOfPlace(transport, this.lifecycle.definition);
      const made = await run(transport);
      return { ...made, outputs: { ...made.outputs, ...place } };
    });
  }

  /** The object as it is now, or undefined when it is gone. Without anything recorded, all of it. */
  async read(
    id: string,
    recorded: Properties,
  ): Promise<{ outputs: Properties; inputs: Properties } | undefined> {
    if (id === IN_DOUBT) return { outputs: recorded, inputs: this.inputsOf(recorded) };
    return this.operation.withServer(async (transport) => {
      await expectPlace(transport, this.#named(id), recorded);
      const found = await this.lifecycle.read(transport, id, recorded);
      if (!found) return undefined;
      const isRecorded = Object.keys(recorded).length > 0;
      const { hidden, ...rest } = found;
      if (!isRecorded && hidden !== undefined) throw new Error(hidden);
      const place = isRecorded
        ? placeIn(recorded)
        : await recordOfPlace(transport, this.lifecycle.definition);
      return { ...rest, outputs: { ...found.outputs, ...place } };
    });
  }

  update(
    urn: string | undefined,
    id: string,
    recorded: Properties,
    desired: Properties,
  ): Promise<Properties> {
    const { operation } = this;
    this.#noteModules(id, desired);
    const wanted = this.#wantedBy(recorded, desired, (resource) => resource.id === id);
    return operation.withServer(async (transport) => {
      await expectPlace(transport, this.#named(id), recorded);
      const place = await recordOfPlace(transport, this.lifecycle.definition);
      const before = await this.#withoutApart(urn, id, recorded, desired, true);
      const update = () => this.lifecycle.update(transport, id, before, desired, urn && nameIn(urn));
      try {
        const outputs = await operation.hostports.during(transport, wanted, update);
        if (urn !== undefined) operation.hostports.settle(urn);
        await this.#tellOf(outputs, urn);
        return { ...outputs, ...place };
      } catch (error) {
        const failure = await this.#withHolder(error, urn);
        if (!isInDoubt(error)) throw failure;
        const found = await this.lifecycle.afterDoubt(transport, id, before, desired);
        if (!found) throw failure;
        throw new PartialFailure(failure, {
          id,
          ...found,
          outputs: { ...found.outputs, ...place, ...PARTLY },
        });
      }
    });
  }

  /**
   * Leaves a module that another resource of the program declares by now: a renamed one, or the object
   * itself.
   */
  async delete(id: string, recorded: Properties, intent: string | undefined): Promise<void> {
    // A new object takes over from the one that it replaces only if the program declares it in this run: an
    // earlier run may have made it and left it without its modules.
    const current = intent === undefined ? undefined : this.operation.current.get(intent);
    const isReplaced = current !== undefined && current !== id;
    if (intent !== undefined) this.operation.deleted.add(`${intent} ${id}`);
    if (this.operation.declared.has(`${this.kind} ${id}`)) return;
    await this.operation.withServer(async (transport) => {
      if (id === IN_DOUBT) return this.#deleteLost(transport, recorded, intent);
      await expectPlace(transport, this.#named(id), recorded);
      if (await endsWithPolicy(this.operation, this.kind, recorded)) return;
      if (isReplaced && intent !== undefined && waits(this.lifecycle.definition))
        await refuseToStrand(this.operation, this.#named(id), id, intent);
      try {
        const closes = await wholeLeaving(this.operation, this.kind, id);
        const how = { withReplacement: !isReplaced, closes };
        await onceUnused(() => this.lifecycle.delete(transport, id, recorded, how));
      } catch (error) {
        throw withCure(error, "deletion");
      }
    });
  }

  async #deleteLost(transport: Transport, recorded: Properties, intent: string | undefined): Promise<void> {
    const { isRecorded, current, host } = this.operation;
    const isKept = (id: string) => [...current.values()].includes(id);
    const how = { intent, isRecorded, recorded };
    const warning = await deleteLost(this.lifecycle, transport, how, isKept);
    if (warning !== undefined) await host.warn(warning, undefined);
  }

  /** A refusal with its cure; one over a unique value with the resource of the stack that has it. */
  async #withHolder(error: unknown, urn: string | undefined): Promise<unknown> {
    if (!(error instanceof ConflictError) || urn === undefined) return withCure(error);
    const [held] = await this.refusals(urn);
    return held === undefined
      ? withCure(error)
      : new Error(`${describe(error, undefined)}. ${held}`, { cause: error });
  }

  /** Warns of a guarantee that does not hold, or has nothing to guard. */
  async #tellOf(answer: object | undefined, urn: string | undefined): Promise<void> {
    if (this.kind !== "guarantee" || !answer) return;
    for (const warning of warningsAbout(answer)) await this.operation.host.warn(warning, urn);
  }

  /** Notes the modules that the program declares for an object. */
  #noteModules(id: string, desired: Properties): void {
    const { kind, operation } = this;
    const declared = modulesOf(this.lifecycle.definition).filter(
      (module) => desired[camelCase(module)] !== undefined,
    );
    for (const module of kind.includes(".") ? [kind] : declared.map((name) => `${kind}.${name}`))
      operation.declared.add(`${module} ${id}`);
  }

  /**
   * The id of the resource's own object, if the server refused a value because that one holds it, or one that
   * it was to replace in an earlier run.
   */
  async #ownBehind(error: unknown, intent: string | undefined): Promise<string | undefined> {
    if (!(error instanceof ConflictError) || intent === undefined) return undefined;
    const recorded = await this.operation.stateOfStack().catch(() => []);
    const backend = stateBackend(process.env);
    const own = recorded.filter(
      ({ urn, id }) => id !== undefined && id !== IN_DOUBT && intentOf(backend, urn) === intent,
    );
    const holder = own.find(({ id }) => error.message.includes(`(${id?.split("/").at(-1)})`));
    return holder && (own.find((one) => !one.delete) ?? holder).id;
  }

  #named = (id: string): string => `${this.lifecycle.definition.title} ${id}`;
}
