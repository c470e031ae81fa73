import type { dynamic } from "@pulumi/pulumi";
import { intentOf } from "../core/creation";
import { type DeclaredSet, digestOf, type RecordedSet } from "../core/setLifecycle";
import { type Operation, stateBackend } from "../operation";
import { SetSteps } from "../operation/sets";
import { asStep } from "./failure";
import type { Origin } from "./origin";

/** The properties of a set in inputs and state. */
interface SetProperties extends DeclaredSet, RecordedSet {
  readonly __origin?: Origin;
  readonly __intent?: string;
  /** A digest of the declared objects, which the state holds only in the inputs. */
  readonly __declared?: string;
}

/** The provider of `CatalogueSet`, as Pulumi's host for dynamic providers calls it. */
export function catalogueSetHandler(operation: Operation): dynamic.ResourceProvider<SetProperties> {
  const steps = new SetSteps(operation);
  let origin: Origin | undefined;
  const preview = (declared: DeclaredSet, recorded: Pick<RecordedSet, "ids">) =>
    asStep("preview", () => steps.plan(declared, recorded, { of: origin?.urn }));

  const outputsOf = (
    recorded: RecordedSet,
    { objects, __intent }: Pick<SetProperties, "objects" | "__intent">,
  ) => ({
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
      operation.stack = origin?.stack ?? "";
      operation.provider = origin?.provider;
      const __intent = olds?.__intent ?? (__origin && intentOf(stateBackend(process.env), __origin.urn));
      const inputs = { set, objects, ...(__intent !== undefined && { __intent }) } as SetProperties;
      const isNew = Object.keys(olds ?? {}).length === 0;
      if (isNew && __origin?.preview) await preview(inputs, { ids: {} });
      return { inputs, failures: [] };
    },
    async diff(_id, olds, news) {
      const moves = await asStep("diff", () => steps.movesHere(olds, origin?.urn));
      if (olds.set !== news.set) return { changes: true, replaces: ["set"], deleteBeforeReplace: true };
      const isOther = olds.__declared !== digestOf([olds.__intent, news.objects]);
      if (moves) return { changes: isOther ? undefined : true, replaces: ["provider"] };
      // Where the inputs differ, the engine itself compares them, and so shows each property.
      if (isOther && !origin?.preview) return { changes: undefined, replaces: [] };
      const count = await preview(news, olds);
      return { changes: isOther ? undefined : (count ?? 0) > 0, replaces: [] };
    },
    async create(inputs) {
      const recorded = await asStep("create", () => steps.create(inputs, inputs.__intent));
      return { id: inputs.set, outs: outputsOf(recorded, inputs) as SetProperties };
    },
    async read(id, properties) {
      const known = { set: id, ids: {}, tokens: {}, digest: "", ...properties };
      const found = await asStep("refresh", () => steps.read(known));
      return found ? { id, props: { ...known, ...found } as SetProperties } : { id: "" };
    },
    async update(_id, olds, news) {
      const recorded = await asStep("update", () => steps.update(olds, news, olds.__intent));
      return {
        outs: outputsOf(recorded, { objects: news.objects, __intent: olds.__intent }) as SetProperties,
      };
    },
    async delete(_id, properties) {
      await asStep("delete", () => steps.delete(properties));
    },
  };
}
