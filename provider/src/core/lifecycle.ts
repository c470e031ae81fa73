import type { Transport } from "@tunnelplane/sdk";
import {
  camelCase,
  camelCasePath,
  createSchema,
  fieldsWhere,
  formatPath,
  isObject,
  own,
  partsOf,
  present,
  UNDECIDING_FIELDS,
  waits,
  writeOnlyPathsOf,
} from "@tunnelplane/sdk/contract";
import type { Creation } from "./creation";
import { Declaration, type IsUnknown } from "./declaration";
import { unlessForeign } from "./ownership";
import { withEnd } from "./renewal";
import { type Change, orGone, type Removal, type ResourceTarget, type Sending, type Wire } from "./target";
import {
  hiddenSecretsOf,
  holdsUnknown,
  inputsOf,
  outputsOf,
  type Properties,
  same,
  toWire,
  withoutEmpty,
  withoutHiddenChanges,
} from "./values";

/** The lifecycle of a resource, independent of its host (today Pulumi's dynamic provider). */
export class Lifecycle extends Declaration {
  /**
   * Sends the planned change as a dry run, because only the server knows which values are taken and which
   * objects exist. Skips requests that depend on values which are not known yet.
   *
   * @param id the object that is changed or replaced; undefined for a new one
   * @returns the answer about the object, if one was asked for
   */
  async dryRun(
    transport: Transport,
    id: string | undefined,
    recorded: Properties,
    desired: Properties,
    isUnknown: IsUnknown,
  ): Promise<Wire | undefined> {
    const plan = id === undefined ? undefined : this.plan(recorded, desired, isUnknown);
    if (plan && !plan.changes) return undefined;
    const change = this.changeBetween(recorded, desired);
    const isNew = !plan || plan.replaces.length > 0;
    if (holdsUnknown(isNew ? desired : change.changed, isUnknown)) return undefined;
    const answer = this.target.dryRun(
      transport,
      isNew ? undefined : id,
      change,
      plan?.takesOver ? id : undefined,
    );
    return isNew ? answer : this.#ofRecorded(transport, present(id), recorded, answer);
  }

  async create(
    transport: Transport,
    desired: Properties,
    creation: Creation,
  ): Promise<{ id: string; outputs: Properties }> {
    const { definition } = this.target;
    const wire = toWire(definition, withEnd(definition, {}, desired));
    const { id, answer } = await this.target.create(transport, wire, creation);
    return { id, outputs: outputsOf(definition, answer, desired) };
  }

  /**
   * The object as it is now, or undefined if it no longer exists. Reads all modules if nothing is recorded.
   * Where this API key may not read a secret, the recorded one stays, and `hidden` says why nobody may adopt
   * the object with the key.
   */
  async read(
    transport: Transport,
    id: string,
    recorded: Properties,
  ): Promise<{ outputs: Properties; inputs: Properties; hidden?: string } | undefined> {
    const answer = await orGone(this.#ofRecorded(transport, id, recorded, this.target.read(transport, id)));
    if (!answer) return undefined;
    const known = Object.keys(recorded).length > 0 ? recorded : undefined;
    const { definition } = this.target;
    const outputs = outputsOf(definition, answer, known);
    const unread = writeOnlyPathsOf(definition).map((path) =>
      formatPath(camelCasePath(createSchema(definition), path.split("."))),
    );
    const hidden = hiddenSecretsOf(definition, answer)
      .map(formatPath)
      .filter((path) => !unread.includes(path));
    return {
      outputs,
      inputs: inputsOf(definition, outputs),
      ...(hidden.length > 0 && {
        hidden: `cannot import ${id}: this API key reads no secrets, and the object has some (${hidden.join(", ")}); use the key of a member or an admin`,
      }),
    };
  }

  /**
   * @param follows the parts that the program declares for the object by resources of their own: what keeps
   *   callers out until then stays, and where more changes, the object serves nothing meanwhile
   */
  async update(
    transport: Transport,
    id: string,
    recorded: Properties,
    desired: Properties,
    { name, follows = [] }: { readonly name?: string | undefined; readonly follows?: readonly string[] } = {},
  ): Promise<Properties> {
    const { definition } = this.target;
    const change = this.changeBetween(recorded, desired);
    const update = this.target.update(transport, id, change, { name, ...untilThere(change, follows) });
    const answer = await this.#ofRecorded(transport, id, recorded, update);
    const outputs = outputsOf(definition, answer, { ...oneTimeSecretsOf(recorded, definition), ...desired });
    const leaving = own(answer, "leaving");
    const { removed } = change;
    return isObject(leaving)
      ? { ...outputs, __leaving: { modules: removed.map(camelCase), after: leaving.after } }
      : outputs;
  }

  /**
   * The object after an update that may have been carried out, or undefined if it was not. Where that cannot
   * be found out, whatever was to change differs from old and new.
   *
   * @param recorded empty for a module that was to be created
   */
  async afterDoubt(
    transport: Transport,
    id: string,
    recorded: Properties,
    desired: Properties,
  ): Promise<{ outputs: Properties; inputs: Properties } | undefined> {
    const { definition } = this.target;
    const known = { ...recorded, ...withoutEmpty(desired) };
    let outputs: Properties;
    try {
      const found = await this.read(transport, id, known);
      if (!found) return undefined;
      outputs = withoutHiddenChanges(definition, found.outputs, recorded, desired);
      if (same(inputsOf(definition, outputs), inputsOf(definition, recorded))) return undefined;
    } catch {
      const { changed } = this.compare(recorded, desired);
      const parts = partsOf(definition).map(camelCase);
      outputs = {
        ...recorded,
        ...Object.fromEntries(changed.map((name) => [name, parts.includes(name) ? {} : undefined])),
      };
      outputs = withoutEmpty(outputs);
    }
    return { outputs, inputs: inputsOf(definition, outputs) };
  }

  async delete(
    transport: Transport,
    id: string,
    recorded: Properties,
    { withReplacement = false, closes }: Removal = {},
  ): Promise<void> {
    const how = { withReplacement: withReplacement && waits(this.definition), closes };
    const request = this.target.delete(transport, id, how);
    await orGone(this.#ofRecorded(transport, id, recorded, request));
  }

  #ofRecorded<T>(transport: Transport, id: string, recorded: Properties, request: Promise<T>): Promise<T> {
    return unlessForeign(this.target.definition, transport, { id, recorded }, request);
  }
}

/** What applies until the modules and routes are there that follow an update. */
function untilThere({ changed, removed }: Change, follows: readonly string[]): Sending {
  if (follows.length === 0) return {};
  const isDeciding = Object.keys(changed).some((field) => !UNDECIDING_FIELDS.includes(field));
  return {
    ...(isDeciding && { closedWithout: follows }),
    ...(removed.length > 0 && { removeAfter: follows }),
  };
}

const oneTimeSecretsOf = (recorded: Properties, definition: ResourceTarget["definition"]): Properties =>
  Object.fromEntries(
    fieldsWhere(definition, (marks) => marks.once).map((name) => [
      camelCase(name),
      recorded[camelCase(name)],
    ]),
  );
