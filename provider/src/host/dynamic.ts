import { messageOf } from "@tunnelplane/sdk/contract";
import "@tunnelplane/sdk/node";

import type { dynamic } from "@pulumi/pulumi";
import type { Transport } from "@tunnelplane/sdk";
import { ConflictError } from "@tunnelplane/sdk";
import { type Creation, intentOf } from "../core/creation";
import { Lifecycle } from "../core/lifecycle";
import { targetOf } from "../core/target";
import type { Properties } from "../core/values";
import type * as SetHandler from "./catalogueSetHandler";
import { Connection } from "./connection";
import { describe, Failure } from "./failure";
import { holdersOf, hostportsOf, movingHostports, noteHostports, refusalsToServe, type Wanted } from "./hostports";
import type { Adopted, Origin } from "./origin";
import { isAccount, resolveSettings, validatesOnServer } from "./settings";
import { type RecordedResource, recordedResources, stateBackend } from "./stateBackend";
import { warn } from "./warn";

/** The engine's placeholder, in a preview, for a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** Stack and operation that this process serves; it never serves a second one. */
let origin: Origin | undefined;
/** The URNs of resources that are in the state and were checked in this run. */
const present = new Set<string>();
/** The state at the first time that this run needed it; read once. */
let recorded: Promise<readonly RecordedResource[]> | undefined;
let warnedOfMissingKey = false;

/** The kind of resources that are whole catalogues. */
const CATALOGUE_SET = "catalogue_set";

/** The dynamic provider for a kind, as Pulumi's host calls it. */
function handler(kind: string): dynamic.ResourceProvider {
  const connection = new Connection();
  if (kind === CATALOGUE_SET) {
    // Loaded here: the parser of catalogues would slow the start of programs that have none.
    const { catalogueSetHandler } = require("./catalogueSetHandler") as typeof SetHandler;
    return catalogueSetHandler(connection) as dynamic.ResourceProvider;
  }
  const lifecycle = new Lifecycle(targetOf(kind));
  const withServer = <T>(step: string, run: (transport: Transport) => Promise<T>) => connection.withServer(step, run);

  /** Runs a step that needs no server. An error there is a bug in this package. */
  function offline<T>(step: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw new Failure(`${describe(error, undefined)} (a bug in @tunnelplane/pulumi; please report it)`, step);
    }
  }

  /** In a preview with `validateOnServer`: sends the change as a dry run, so that the server's refusals show now. */
  async function dryRun(step: string, id: string | undefined, olds: Properties, news: Properties): Promise<void> {
    if (!origin?.preview || !offline(step, () => validatesOnServer(connection.setting, process.env))) return;
    const wanted = wantedBy(olds, news, (resource) => resource.id === id);
    await withServer(step, async (transport) => {
      try {
        await lifecycle.dryRun(transport, id, olds, news, isUnknown);
      } catch (error) {
        // The server refuses a hostport that another edge holds. The run moves it if that edge is in this stack.
        const moves = error instanceof ConflictError && holdersOf(wanted.isItself, wanted.hostports, await wanted.recorded()).length > 0;
        if (!moves) throw error;
      }
    });
  }

  const served = (properties: Properties): string[] => hostportsOf(lifecycle.definition, properties, isUnknown);

  /** The hostports that a change adds. None for explicit accounts: the state does not say which server their edges are on. */
  function wantedBy(olds: Properties, news: Properties, isItself: Wanted["isItself"]): Wanted {
    const before = new Set(served(olds));
    const hostports = isAccount(connection.setting) ? [] : served(news).filter((hostport) => !before.has(hostport));
    return { hostports, isItself, recorded: stateOfStack };
  }

  /** Why the run would fail over hostports of other edges in the stack, as far as a preview can see. */
  async function refusalsInPreview(from: Origin, olds: Properties, news: Properties): Promise<string[]> {
    const { hostports: added } = wantedBy(olds, news, () => false);
    // Without the state, leave this check to the run.
    const recorded = added.length > 0 ? await stateOfStack().catch(() => []) : [];
    return refusalsToServe(from, { all: served(news), added }, recorded);
  }

  /** In a preview, warns once that the run would fail because there is no API key. */
  async function warnOfMissingKey(urn: string | undefined): Promise<void> {
    if (!origin?.preview || warnedOfMissingKey) return;
    try {
      resolveSettings(connection.setting, process.env);
    } catch (error) {
      warnedOfMissingKey = true;
      await warn(messageOf(error), urn);
    }
  }

  /** Checks a new resource that imports an existing object: the object has to be as declared. */
  async function adopt({ urn }: Origin, { id, hidden }: Adopted, news: Properties): Promise<dynamic.CheckResult> {
    const found = await withServer("import", (transport) => lifecycle.read(transport, id, news));
    if (!found) return checked(news, [noSuchObject(id)]);
    const { inputs, problems, warnings } = offline("check", () => lifecycle.check(found.outputs, news, isUnknown));
    for (const warning of warnings) await warn(warning, urn);
    const refusal = problems.length > 0 ? undefined : lifecycle.refusalToAdopt(id, found.outputs, inputs, hidden, isUnknown);
    const intent = intentOf(stateBackend(process.env), urn);
    return checked({ ...inputs, __intent: intent, __adopts: id }, refusal === undefined ? problems : [refusal]);
  }

  /** Creates a resource that imports an object. Changes nothing on the server; compares the values that the check did not know. */
  async function takeOver(transport: Transport, id: string, desired: Properties): Promise<{ id: string; outputs: Properties }> {
    const found = await lifecycle.read(transport, id, desired);
    if (!found) throw new Error(noSuchObject(id));
    // Only the check knows which values are secret, so hide all of them here.
    const refusal = lifecycle.refusalToAdopt(id, found.outputs, desired, Object.keys(desired), isUnknown);
    if (refusal) throw new Error(refusal);
    return { id, outputs: found.outputs };
  }

  /** The host's part of a creation, from its inputs. */
  const creationOf = ({ __intent }: Properties): Creation => ({ intent: __intent as string | undefined, isRecorded });

  return {
    // The host does not wait for this promise before the first call, so only assign here.
    async configure(request) {
      connection.configure(request.config);
    },
    async check(olds, news) {
      const isNew = Object.keys(olds ?? {}).length === 0;
      const { __origin } = news as { __origin?: Origin };
      origin = __origin ?? origin;
      // The engine checks a replacement without old inputs. Leave the dry run to `diff`, which has both.
      const isReplacement = isNew && __origin !== undefined && present.has(__origin.urn);
      if (isNew && !isReplacement && __origin?.adopts) return adopt(__origin, __origin.adopts, declared(news));
      const {
        inputs,
        problems: found,
        warnings,
      } = offline("check", () => lifecycle.check(declared(olds ?? {}), declared(news), isUnknown));
      const problems = [...found];
      if (!isReplacement) for (const warning of warnings) await warn(warning, __origin?.urn);
      if (__origin) noteHostports(__origin.urn, served(inputs));
      if (isNew) await warnOfMissingKey(__origin?.urn);
      if (!isNew && __origin) present.add(__origin.urn);
      if (problems.length === 0 && __origin?.preview && !isReplacement) {
        problems.push(...(await refusalsInPreview(__origin, declared(olds ?? {}), inputs)));
        if (isNew && problems.length === 0) await dryRun("preview", undefined, {}, inputs);
      }
      const intent = isNew ? __origin && intentOf(stateBackend(process.env), __origin.urn) : olds.__intent;
      return checked({ ...inputs, ...own({ __intent: intent, __adopts: olds?.__adopts }) }, problems);
    },
    async diff(id, olds, news) {
      const { changes, replaces, deleteBeforeReplace } = offline("diff", () => lifecycle.plan(declared(olds), declared(news), isUnknown));
      if (changes) await warnOfMissingKey(undefined);
      await dryRun("preview", id, declared(olds), declared(news));
      // With `changes` undefined, the engine compares old and new inputs itself and shows each property that differs.
      return { changes: changes ? undefined : false, replaces: [...replaces], deleteBeforeReplace };
    },
    async create(inputs) {
      const { id, outputs } = await withServer("create", (transport) =>
        typeof inputs.__adopts === "string"
          ? takeOver(transport, inputs.__adopts, declared(inputs))
          : movingHostports(
              transport,
              wantedBy({}, inputs, () => false),
              () => lifecycle.create(transport, declared(inputs), creationOf(inputs)),
            ),
      );
      return { id, outs: { ...outputs, ...own(inputs) } };
    },
    async read(id, properties) {
      const found = await withServer("refresh", (transport) => lifecycle.read(transport, id, declared(properties ?? {})));
      const kept = own(properties ?? {});
      return found ? { id, props: { ...found.outputs, ...kept }, inputs: { ...found.inputs, ...kept } } : { id: "" };
    },
    async update(id, olds, news) {
      const outputs = await withServer("update", (transport) =>
        movingHostports(
          transport,
          wantedBy(olds, news, (resource) => resource.id === id),
          () => lifecycle.update(transport, id, declared(olds), declared(news)),
        ),
      );
      return { outs: { ...outputs, ...own(news) } };
    },
    async delete(id, properties) {
      await withServer("delete", (transport) => lifecycle.delete(transport, id, declared(properties ?? {})));
    },
  };
}

function declared({ __provider, __origin, __intent, __adopts, ...properties }: Properties): Properties {
  return properties;
}

/**
 * The hidden properties of the provider. Inputs and outputs both hold them, so that a refresh finds no difference. The host
 * cannot write undefined values, and a resource from an import file has no intent.
 */
const own = ({ __intent, __adopts }: Properties): Properties =>
  Object.fromEntries(Object.entries({ __intent, __adopts }).filter(([, value]) => value !== undefined));

/** Names no `property`, because the host prints its value, even a secret one. The reason names it instead. */
const checked = (inputs: Properties, problems: readonly string[]): dynamic.CheckResult => ({
  inputs,
  failures: problems.map((reason) => ({ property: "", reason })),
});

const noSuchObject = (id: string): string =>
  `cannot import ${id}: there is no such object, or this API key may not see it; check the id, or leave \`import\` out to create a new object`;

/** Whether the stack held an object before this run. In doubt yes: a superfluous object is better than two resources that share one. */
async function isRecorded(id: string): Promise<boolean> {
  try {
    return (await stateOfStack()).some((resource) => resource.id === id);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    await warn(
      `An earlier run may have created ${id}, but the stack's state could not be read (${reason}), so a new object is created. Delete ${id} if nothing uses it`,
      undefined,
    );
    return true;
  }
}

function stateOfStack(): Promise<readonly RecordedResource[]> {
  recorded ??= recordedResources(origin?.stack ?? "");
  return recorded;
}

export = handler;
