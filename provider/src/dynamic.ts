import type { dynamic } from "@pulumi/pulumi";
import { Transport } from "@tunnelplane/sdk";
import { Lifecycle } from "./core/lifecycle";
import { targetOf } from "./core/target";
import type { Properties } from "./core/values";
import { describe, Failure } from "./failure";
import { resolveSettings, type Settings } from "./settings";
import { warn } from "./warn";

/** How the engine writes a value that it does not know yet, in a preview. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** One for each server and key, for the life of the process: its connections serve a whole operation. */
const transports = new Map<string, Transport>();

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

  return {
    // The host does not wait for this before the first call, so it may only assign.
    async configure(request) {
      config = request.config;
    },
    async check(olds, news) {
      const { inputs, problems, warnings } = offline("check", () => lifecycle.check(declared(olds ?? {}), declared(news), isUnknown));
      for (const warning of warnings) await warn(warning);
      // The host prints the value of a property that is named here, even of a secret one; the reason says where.
      return { inputs, failures: problems.map((reason) => ({ property: "", reason })) };
    },
    async diff(_id, olds, news) {
      const { changes, replaces, deleteBeforeReplace } = offline("diff", () => lifecycle.plan(declared(olds), declared(news), isUnknown));
      // Without `changes` the engine itself compares old and new inputs, and so shows each property that differs.
      return { changes: changes ? undefined : false, replaces: [...replaces], deleteBeforeReplace };
    },
    async create(inputs) {
      const { id, outputs } = await withServer("create", (transport) => lifecycle.create(transport, declared(inputs)));
      return { id, outs: outputs };
    },
    async read(id, properties) {
      const found = await withServer("refresh", (transport) => lifecycle.read(transport, id, declared(properties ?? {})));
      return found ? { id, props: found.outputs, inputs: found.inputs } : { id: "" };
    },
    async update(id, olds, news) {
      return { outs: await withServer("update", (transport) => lifecycle.update(transport, id, declared(olds), declared(news))) };
    },
    async delete(id) {
      await withServer("delete", (transport) => lifecycle.delete(transport, id));
    },
  };
}

function declared({ __provider, ...properties }: Properties): Properties {
  return properties;
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
