import { ApiError, BadRequestError, ConflictError, type Transport } from "@tunnelplane/sdk";
import { ERRORS, holdsUniqueValues, waits } from "@tunnelplane/sdk/contract";
import {
  type Creation,
  expectLocation,
  locationIn,
  nameIn,
  type Properties,
  recordOfLocation,
} from "../core";
import { toFollow, updateToFollow } from "./apart";
import { describe } from "./describe";
import { withCure } from "./guarantees";
import type { Kind } from "./kind";
import { InDoubt, lostCreation } from "./lost";
import { IN_DOUBT, isInDoubt, PARTLY, PartialFailure } from "./partial";
import { refuseToStrand } from "./parts";
import { retried } from "./stateBackend";
import { createOverLeftRule, endsWithPolicy, wholeLeaving, wholesOf } from "./whole";

/** What a run does with a resource of one kind. */
export class Run {
  constructor(private readonly kind: Kind) {}

  /**
   * @param intent names the resource in its program and state, the same in each run that tries to create it
   */
  create(
    urn: string | undefined,
    intent: string | undefined,
    desired: Properties,
  ): Promise<{ id: string; outputs: Properties }> {
    const { operation } = this.kind;
    const { isRecorded } = operation;
    const wanted = this.kind.wantedBy({}, desired, () => false);
    const name = urn && nameIn(urn);
    const closedWithout = toFollow(operation, urn, desired);
    return this.recording(async (transport) => {
      let sent: Pick<Creation, "name" | "replaces" | "closedWithout"> = {};
      const create = (replaces?: string) => {
        sent = { name, replaces, closedWithout };
        return operation.hostports.during(transport, wanted, () =>
          this.kind.lifecycle.create(transport, desired, { intent, ...sent, isRecorded }),
        );
      };
      try {
        const made = await this.#createInPlace(create, urn, intent).catch((error: unknown) =>
          createOverLeftRule(this.kind.operation, this.kind.lifecycle, transport, { create, desired, error }),
        );
        if (intent !== undefined) operation.current.set(intent, made.id);
        for (const whole of wholesOf(this.kind.name, made.id, desired)) operation.wholes.add(whole);
        this.kind.noteModules(made.id, desired);
        if (urn !== undefined) await this.kind.declareModules(urn, [made.id], desired);
        await this.kind.warnOfGuarantee(made.outputs, urn);
        return made;
      } catch (error) {
        await this.#recordModuleInDoubt(error, transport, desired);
        const failure = await this.#withHolder(error, urn);
        const isObject = intent !== undefined && !this.kind.name.includes(".");
        throw isObject ? lostCreation(error, failure, sent, desired) : failure;
      }
    });
  }

  /**
   * Creates an object, in place of the one that the resource had before where that one holds a
   * unique value. The engine tells which one that is for ordinary replacements only; for `--replace` and
   * taint, which ask no diff, the state does.
   */
  async #createInPlace<T>(
    create: (replaces?: string) => Promise<T>,
    urn: string | undefined,
    intent: string | undefined,
  ): Promise<T> {
    const known = urn === undefined ? undefined : this.kind.operation.replaced.get(urn);
    try {
      return await create(known);
    } catch (error) {
      // The user had the old one deleted first, or it is gone.
      if (known !== undefined && error instanceof BadRequestError && error.field === "replaces")
        return create();
      if (known !== undefined || !holdsUniqueValues(this.kind.lifecycle.definition)) throw error;
      const own = await this.kind.ownBehind(error, intent);
      if (own === undefined) throw error;
      return create(own);
    }
  }

  /**
   * A creation of an object finds it again by its idempotency key; that of a module may have left it behind.
   */
  async #recordModuleInDoubt(error: unknown, transport: Transport, desired: Properties): Promise<void> {
    const id = this.kind.lifecycle.ownerIn(desired);
    if (id === undefined || !isInDoubt(error)) return;
    const found = await this.kind.lifecycle.afterDoubt(transport, id, {}, desired);
    if (found) throw new PartialFailure(error, { id, ...found, outputs: { ...found.outputs, ...PARTLY } });
  }

  /** Runs a step that brings an object into the state, and records its server and project. */
  recording<T extends { readonly outputs: Properties }>(
    run: (transport: Transport) => Promise<T>,
  ): Promise<T> {
    return this.kind.operation.withServer(async (transport) => {
      const location = await recordOfLocation(transport, this.kind.lifecycle.definition);
      const made = await run(transport);
      return { ...made, outputs: { ...made.outputs, ...location } };
    }, `create ${this.kind.name}`);
  }

  /** The object as it is now, or undefined when it is gone. Without anything recorded, all of it. */
  async read(
    id: string,
    recorded: Properties,
  ): Promise<{ outputs: Properties; inputs: Properties } | undefined> {
    if (id === IN_DOUBT) return new InDoubt(this.kind).read(recorded);
    return this.kind.operation.withServer(async (transport) => {
      await expectLocation(transport, this.kind.named(id), recorded);
      const found = await this.kind.lifecycle.read(transport, id, recorded);
      if (!found) return undefined;
      const isRecorded = Object.keys(recorded).length > 0;
      const { hidden, ...rest } = found;
      if (!isRecorded && hidden !== undefined) throw new Error(hidden);
      const location = isRecorded
        ? locationIn(recorded)
        : await recordOfLocation(transport, this.kind.lifecycle.definition);
      const { __leaving } = recorded;
      return {
        ...rest,
        outputs: { ...found.outputs, ...location, ...(__leaving !== undefined && { __leaving }) },
      };
    }, `read ${this.kind.name}`);
  }

  update(
    urn: string | undefined,
    id: string,
    recorded: Properties,
    desired: Properties,
  ): Promise<Properties> {
    const { operation } = this.kind;
    this.kind.noteModules(id, desired);
    const wanted = this.kind.wantedBy(recorded, desired, (resource) => resource.id === id);
    return operation.withServer(async (transport) => {
      await expectLocation(transport, this.kind.named(id), recorded);
      const location = await recordOfLocation(transport, this.kind.lifecycle.definition);
      const before = await this.kind.withoutApart(urn, id, recorded, desired, true);
      const { definition } = this.kind.lifecycle;
      const follows = updateToFollow(operation, { definition, urn }, before, desired);
      const how = { name: urn && nameIn(urn), follows };
      const update = () => this.kind.lifecycle.update(transport, id, before, desired, how);
      try {
        const outputs = await operation.hostports.during(transport, wanted, update);
        if (urn !== undefined) operation.hostports.settle(urn);
        await this.kind.warnOfGuarantee(outputs, urn);
        return { ...outputs, ...location };
      } catch (error) {
        const failure = await this.#withHolder(error, urn);
        if (!isInDoubt(error)) throw failure;
        const found = await this.kind.lifecycle.afterDoubt(transport, id, before, desired);
        if (!found) throw failure;
        throw new PartialFailure(failure, {
          id,
          ...found,
          outputs: { ...found.outputs, ...location, ...PARTLY },
        });
      }
    }, `update ${this.kind.name}`);
  }

  /**
   * Leaves a module that another resource of the program declares by now: a renamed one, or the object
   * itself.
   */
  async delete(id: string, recorded: Properties, intent: string | undefined): Promise<void> {
    // A new object takes over from the one that it replaces only if the program declares it in this run: an
    // earlier run may have made it and left it without its modules.
    const current = intent === undefined ? undefined : this.kind.operation.current.get(intent);
    const isReplaced = current !== undefined && current !== id;
    if (intent !== undefined) this.kind.operation.deleted.add(`${intent} ${id}`);
    if (this.kind.operation.declared.has(`${this.kind.name} ${id}`)) return;
    await this.kind.operation.withServer(async (transport) => {
      if (id === IN_DOUBT) return new InDoubt(this.kind).delete(transport, recorded, intent);
      await expectLocation(transport, this.kind.named(id), recorded);
      if (await endsWithPolicy(this.kind.operation, this.kind.name, recorded)) return;
      if (isReplaced && intent !== undefined && waits(this.kind.lifecycle.definition))
        await refuseToStrand(this.kind.operation, this.kind.named(id), id, intent);
      try {
        const closes = await wholeLeaving(this.kind.operation, this.kind.name, id);
        const how = { withReplacement: !isReplaced, closes };
        await onceUnused(() => this.kind.lifecycle.delete(transport, id, recorded, how));
      } catch (error) {
        throw withCure(error, "deletion");
      }
    }, `delete ${this.kind.name}`);
  }

  /** A refusal with its cure; one over a unique value with the resource of the stack that has it. */
  async #withHolder(error: unknown, urn: string | undefined): Promise<unknown> {
    if (!(error instanceof ConflictError) || urn === undefined) return withCure(error);
    const [held] = await this.kind.refusals(urn);
    return held === undefined
      ? withCure(error)
      : new Error(`${describe(error, undefined)}. ${held}`, { cause: error });
  }
}

/** With their pauses, these take some 3 s. */
const ATTEMPTS = 6;

/**
 * Deletes an object; if it is in use, tries again for some 3 s. Where a resource ends with another one
 * (`deletedWith`), the engine takes it for deleted before the server has deleted either, and goes on with
 * what the two use.
 */
const onceUnused = (remove: () => Promise<void>): Promise<void> =>
  retried(ATTEMPTS, remove, (error) => error instanceof ApiError && error.code === ERRORS.in_use.code);
