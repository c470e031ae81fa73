import type { dynamic } from "@pulumi/pulumi";
import type { Transport } from "@tunnelplane/sdk";
import { ApiError, ConnectionError, TimeoutError } from "@tunnelplane/sdk";
import { countsOf, linesOf } from "@tunnelplane/sdk/catalogue";
import { intentOf } from "../core/creation";
import { type DeclaredSet, digestOf, type RecordedSet, SetLifecycle } from "../core/setLifecycle";
import { type Operation, stateBackend } from "../operation";
import { asStep } from "./failure";
import type { Origin } from "./origin";
import { inform, warn } from "./warn";

/** More operations than these are only counted. */
const MOST_SHOWN = 200;

/** The properties of a set in inputs and state. */
interface SetProperties extends DeclaredSet, RecordedSet {
  readonly __origin?: Origin;
  readonly __intent?: string;
  /** A digest of the declared objects, which the state holds in the inputs alone. */
  readonly __declared?: string;
}

/** The provider of `CatalogueSet`, as Pulumi's host for dynamic providers calls it. */
export function catalogueSetHandler(operation: Operation): dynamic.ResourceProvider<SetProperties> {
  const lifecycle = new SetLifecycle();
  let origin: Origin | undefined;
  const withServer = <T>(step: string, work: (transport: Transport) => Promise<T>): Promise<T> =>
    asStep(step, () => operation.withServer(work));

  /** In a preview: has the server plan, and shows what becomes of each object. Without a server, the engine's own diff has to do. */
  async function preview(declared: DeclaredSet): Promise<number | undefined> {
    return withServer("preview", async (transport) => {
      try {
        const { operations } = await lifecycle.plan(transport, declared);
        if (operations.length > 0) {
          const shown = operations.slice(0, MOST_SHOWN).flatMap(linesOf);
          if (operations.length > MOST_SHOWN) shown.push(`and ${operations.length - MOST_SHOWN} more`);
          await inform([`${declared.set}: ${countsOf(operations, "planned")}`, ...shown].join("\n"), origin?.urn);
        }
        return operations.length;
      } catch (error) {
        if (error instanceof ConnectionError || error instanceof TimeoutError) {
          await warn(`${error.message}, so the preview shows only what the catalogue changes`, origin?.urn);
          return undefined;
        }
        throw error instanceof ApiError && error.faults.length > 0 ? new Error(faultsOf(error)) : error;
      }
    });
  }

  /** Runs a step of a run; faults of objects become a line each. */
  const run = <T>(step: string, work: (transport: Transport) => Promise<unknown>): Promise<T> =>
    withServer(step, async (transport) => {
      try {
        return (await work(transport)) as T;
      } catch (error) {
        throw error instanceof ApiError && error.faults.length > 0 ? new Error(faultsOf(error)) : error;
      }
    });

  const outputsOf = (recorded: RecordedSet, { objects, __intent }: Pick<SetProperties, "objects" | "__intent">) => ({
    ...recorded,
    ...(__intent !== undefined && { __intent }),
    __declared: digestOf([__intent, objects]),
  });

  return {
    async configure({ config }) {
      operation.configure((key) => config.get(key));
    },
    async check(olds, { set, objects, __origin }) {
      origin = __origin ?? origin;
      const __intent = olds?.__intent ?? (__origin && intentOf(stateBackend(process.env), __origin.urn));
      const inputs = { set, objects, ...(__intent !== undefined && { __intent }) } as SetProperties;
      const isNew = Object.keys(olds ?? {}).length === 0;
      if (isNew && __origin?.preview) await preview(inputs);
      return { inputs, failures: [] };
    },
    async diff(_id, olds, news) {
      if (olds.set !== news.set) return { changes: true, replaces: ["set"], deleteBeforeReplace: true };
      const isOther = olds.__declared !== digestOf([olds.__intent, news.objects]);
      // Where the inputs differ, the engine itself compares them, and so shows each property.
      if (isOther && !origin?.preview) return { changes: undefined, replaces: [] };
      const count = await preview(news);
      return { changes: isOther ? undefined : (count ?? 0) > 0, replaces: [] };
    },
    async create(inputs) {
      const recorded = await run<RecordedSet>("create", (transport) => lifecycle.create(transport, inputs, inputs.__intent));
      return { id: inputs.set, outs: outputsOf(recorded, inputs) as SetProperties };
    },
    async read(id, properties) {
      const known = { set: id, ids: {}, tokens: {}, digest: "", ...properties };
      const found = await run<RecordedSet | undefined>("refresh", (transport) => lifecycle.read(transport, known));
      return found ? { id, props: { ...known, ...found } as SetProperties } : { id: "" };
    },
    async update(_id, olds, news) {
      const recorded = await run<RecordedSet>("update", (transport) => lifecycle.update(transport, olds, news, olds.__intent));
      return { outs: outputsOf(recorded, { objects: news.objects, __intent: olds.__intent }) as SetProperties };
    },
    async delete(_id, properties) {
      await run("delete", (transport) => lifecycle.delete(transport, properties));
    },
  };
}

function faultsOf({ faults, faultCount }: ApiError): string {
  const lines = faults.map(({ key, field, msg }) => `  ${[key, field, msg].filter(Boolean).join(" ")}`);
  const more = faultCount > faults.length ? [`  and ${faultCount - faults.length} more`] : [];
  return ["the server refuses the catalogue, and nothing is changed:", ...lines, ...more].join("\n");
}
