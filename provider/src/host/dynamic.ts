import { messageOf } from "@tunnelplane/sdk/contract";
import "@tunnelplane/sdk/node";

import type { dynamic } from "@pulumi/pulumi";
import { ConflictError, Transport } from "@tunnelplane/sdk";
import { type Creation, intentOf } from "../core/creation";
import { Lifecycle } from "../core/lifecycle";
import { targetOf } from "../core/target";
import type { Properties } from "../core/values";
import { describe, Failure } from "./failure";
import { holdersOf, hostportsOf, moving, noteHostports, refusalsToServe, type Wanted } from "./hostports";
import type { Adopted, Origin } from "./origin";
import { isAccount, resolveSettings, type Settings, validatesOnServer } from "./settings";
import { type RecordedResource, recordedResources, stateBackend } from "./stateBackend";
import { warn } from "./warn";

/** How the engine writes a value that it does not know yet, in a preview. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** One for each server and key, for the life of the process: its connections serve a whole operation. */
const transports = new Map<string, Transport>();

/** Where this process works: it serves one operation on one stack. */
let origin: Origin | undefined;
/** The URNs of the resources that the state holds, as far as they were checked. */
const present = new Set<string>();
/** The state as it was when it was first asked for here: before anything of this run that depends on it. */
let recorded: Promise<readonly RecordedResource[]> | undefined;
/** Whether it was told that there is no API key. */
let keyIsMissed = false;

/** The provider of a kind, as Pulumi's host for dynamic providers calls it. */
function handler(kind: string): dynamic.ResourceProvider {
  const lifecycle = new Lifecycle(targetOf(kind));
  let config: dynamic.Config | undefined;

  /** Runs a step against the server; whatever goes wrong becomes one line. */
  async function withServer<T>(step: string, run: (transport: Transport) => Promise<T>): Promise<T> {
    let settings: Settings | undefined;
    try {
      settings = resolveSettings((key) => config?.get(key), process.env);
      return await run(transportTo(settings));
    } catch (error) {
      throw new Failure(describe(error, settings), step);
    }
  }

  /** Runs a step that needs no server; what is thrown there is a mistake in this package. */
  function offline<T>(step: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw new Failure(`${describe(error, undefined)} (a mistake in @tunnelplane/pulumi; please report it)`, step);
    }
  }

  /** In a preview, where that is asked for: has the server refuse what it would refuse. */
  async function rehearse(step: string, id: string | undefined, olds: Properties, news: Properties): Promise<void> {
    if (!origin?.preview || !offline(step, () => validatesOnServer((key) => config?.get(key), process.env))) return;
    const wanted = wantedBy(olds, news, (resource) => resource.id === id);
    await withServer(step, async (transport) => {
      try {
        await lifecycle.rehearse(transport, id, olds, news, isUnknown);
      } catch (error) {
        // The server refuses a hostport that the run will move.
        const moves = error instanceof ConflictError && holdersOf(wanted.isItself, wanted.hostports, await wanted.recorded()).length > 0;
        if (!moves) throw error;
      }
    });
  }

  const served = (properties: Properties): string[] => hostportsOf(lifecycle.definition, properties, isUnknown);

  /** The hostports that a change adds. Which edges have them can be told where nothing says which account those have. */
  function wantedBy(olds: Properties, news: Properties, isItself: Wanted["isItself"]): Wanted {
    const before = new Set(served(olds));
    const hostports = isAccount((key) => config?.get(key)) ? [] : served(news).filter((hostport) => !before.has(hostport));
    return { hostports, isItself, recorded: stateOfStack };
  }

  /** The hostports of other edges of the stack, as a preview knows them. */
  async function refusalsInPreview(from: Origin, olds: Properties, news: Properties): Promise<string[]> {
    const { hostports: added } = wantedBy(olds, news, () => false);
    // A preview goes on without the state: the run will tell.
    const recorded = added.length > 0 ? await stateOfStack().catch(() => []) : [];
    return refusalsToServe(from, { all: served(news), added }, recorded);
  }

  /** In a preview, once: that a run would fail for want of a key. */
  async function missKey(urn: string | undefined): Promise<void> {
    if (!origin?.preview || keyIsMissed) return;
    try {
      resolveSettings((key) => config?.get(key), process.env);
    } catch (error) {
      keyIsMissed = true;
      await warn(messageOf(error), urn);
    }
  }

  /** Instead of the check of something new: what is declared stands for an object that exists, if that is as declared. */
  async function adopt({ urn }: Origin, { id, hidden }: Adopted, news: Properties): Promise<dynamic.CheckResult> {
    const found = await withServer("import", (transport) => lifecycle.read(transport, id, news));
    if (!found) return checked(news, [noSuchObject(id)]);
    const { inputs, problems, warnings } = offline("check", () => lifecycle.check(found.outputs, news, isUnknown));
    for (const warning of warnings) await warn(warning, urn);
    const refusal = problems.length > 0 ? undefined : lifecycle.refusalToAdopt(id, found.outputs, inputs, hidden, isUnknown);
    const intent = intentOf(stateBackend(process.env), urn);
    return checked({ ...inputs, __intent: intent, __adopts: id }, refusal === undefined ? problems : [refusal]);
  }

  /** The creation of what is adopted: nothing changes on the server. Values that the preview did not know are compared here. */
  async function takeOver(transport: Transport, id: string, desired: Properties): Promise<{ id: string; outputs: Properties }> {
    const found = await lifecycle.read(transport, id, desired);
    if (!found) throw new Error(noSuchObject(id));
    // Which values are secret was said to the check alone.
    const refusal = lifecycle.refusalToAdopt(id, found.outputs, desired, Object.keys(desired), isUnknown);
    if (refusal) throw new Error(refusal);
    return { id, outputs: found.outputs };
  }

  /** A creation as its inputs name it. */
  const creationOf = ({ __intent }: Properties): Creation => ({ intent: __intent as string | undefined, isRecorded });

  return {
    // The host does not wait for this before the first call, so it may only assign.
    async configure(request) {
      config = request.config;
    },
    async check(olds, news) {
      const isNew = Object.keys(olds ?? {}).length === 0;
      const { __origin } = news as { __origin?: Origin };
      origin = __origin ?? origin;
      // The replacement of an object is checked without the object; diff asks for it, knowing both.
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
      if (isNew) await missKey(__origin?.urn);
      if (!isNew && __origin) present.add(__origin.urn);
      if (problems.length === 0 && __origin?.preview && !isReplacement) {
        problems.push(...(await refusalsInPreview(__origin, declared(olds ?? {}), inputs)));
        if (isNew && problems.length === 0) await rehearse("preview", undefined, {}, inputs);
      }
      const intent = isNew ? __origin && intentOf(stateBackend(process.env), __origin.urn) : olds.__intent;
      return checked({ ...inputs, ...own({ __intent: intent, __adopts: olds?.__adopts }) }, problems);
    },
    async diff(id, olds, news) {
      const { changes, replaces, deleteBeforeReplace } = offline("diff", () => lifecycle.plan(declared(olds), declared(news), isUnknown));
      if (changes) await missKey(undefined);
      await rehearse("preview", id, declared(olds), declared(news));
      // Without `changes` the engine itself compares old and new inputs, and so shows each property that differs.
      return { changes: changes ? undefined : false, replaces: [...replaces], deleteBeforeReplace };
    },
    async create(inputs) {
      const { id, outputs } = await withServer("create", (transport) =>
        typeof inputs.__adopts === "string"
          ? takeOver(transport, inputs.__adopts, declared(inputs))
          : moving(
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
        moving(
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
 * What is kept beside the properties, in inputs and outputs alike, so that a refresh finds both the same. The host cannot
 * write what is undefined; an object of an import file has no intent.
 */
const own = ({ __intent, __adopts }: Properties): Properties =>
  Object.fromEntries(Object.entries({ __intent, __adopts }).filter(([, value]) => value !== undefined));

/** The host prints the value of a property that is named here, even of a secret one; the reason says where. */
const checked = (inputs: Properties, problems: readonly string[]): dynamic.CheckResult => ({
  inputs,
  failures: problems.map((reason) => ({ property: "", reason })),
});

const noSuchObject = (id: string): string =>
  `imports ${id}, but there is no such object, or this API key may not see it; look at its id, or leave \`import\` out to make a new one`;

/** Whether the stack held an object before this run. In doubt it did: an object too many is better than two resources that share one. */
async function isRecorded(id: string): Promise<boolean> {
  try {
    return (await stateOfStack()).some((resource) => resource.id === id);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    await warn(
      `A run before this one may have made ${id}, but the stack's state could not be asked (${reason}); a new object is made. Delete ${id} if nothing uses it`,
      undefined,
    );
    return true;
  }
}

function stateOfStack(): Promise<readonly RecordedResource[]> {
  recorded ??= recordedResources(origin?.stack ?? "");
  return recorded;
}

function transportTo(settings: Settings): Transport {
  const key = `${settings.baseUrl} ${settings.apiKey}`;
  let transport = transports.get(key);
  if (!transport) {
    transport = new Transport(settings);
    transports.set(key, transport);
  }
  return transport;
}

export = handler;
