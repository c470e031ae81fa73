import { own } from "../../contract/core/narrow";
import { DEFAULT_SITE } from "../../contract/formats/url";
import { type EventTarget, eventTargets } from "../../contract/registry";
import type { ObjectChange } from "../changes/differences";
import type { Model, ModelObject } from "../model";
import { code, referenceName } from "../names";
import { type Fields, holdsUnknown, idsIn, inOrder, isObject, textIn, textsIn } from "../values";
import { listed, onObject, type Rule } from "./finding";

/** The types of events that a subscription sends to each destination. */
function flowsOf(subscription: ModelObject, model: Model): Map<string, string[]> {
  const { sources } = subscription.fields;
  const types = textsIn(
    (Array.isArray(sources) ? sources : []).map((source) => (isObject(source) ? source.type : source)),
  );
  const { ids } = idsIn(subscription.fields, "destination_ids", "destinations");
  return new Map(ids.map((id) => [model.identityOf(id), types]));
}

/** For each kind of target, a word for it, and the field that names it. */
const TARGETS: Readonly<Record<EventTarget, readonly [text: string, field: string]>> = {
  stream_service: ["stream", "stream_ref"],
  delivery_service: ["delivery stream", "delivery_stream_ref"],
  log_service: ["log group", "log_group_ref"],
  monitoring_service: ["monitoring site", "monitoring_site"],
  webhook: ["webhook", "url"],
};

/** Where a destination's events go, in words; undefined if that is not known. */
function targetText({ fields }: ModelObject): string | undefined {
  const { target } = fields;
  if (!isObject(target)) return undefined;
  for (const service of eventTargets()) {
    const [title, field] = TARGETS[service];
    const named: unknown = own(target, service);
    if (named === null || named === undefined) continue;
    const fields: Fields = isObject(named) ? named : {};
    const usual = service === "monitoring_service" && isObject(named) ? DEFAULT_SITE : undefined;
    const value = own(fields, field);
    const name = holdsUnknown(value) ? undefined : (textIn(value) ?? usual);
    return name === undefined ? undefined : `the ${title} ${code(name)}`;
  }
  return undefined;
}

/** Rules for event destinations and subscriptions. */
export const eventRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "destination-changed",
    evaluate: ({ before, after }, { names }) => {
      if (before?.kind !== "event_destination" || !after) return [];
      const [was, is] = [targetText(before), targetText(after)];
      if (was === is) return [];
      const certain = was !== undefined && is !== undefined;
      const [from, to] = [was ?? "not known", is ?? "not known yet"];
      const sentence = `Events for ${names.quote(after)} ${certain ? "now go" : "may go"} elsewhere: to ${to} (before: ${from}).`;
      return [onObject(after, "target", { sentence, before: was ?? null, after: is ?? null, certain })];
    },
  },
  {
    rule: "events-stopped",
    evaluate: ({ before, after }, { names, before: past, after: model }) => {
      if (before?.kind !== "event_subscription") return [];
      const still = new Map<string, Set<string>>();
      for (const subscription of model.of("event_subscription")) {
        for (const [to, types] of flowsOf(subscription, model)) {
          still.set(to, new Set([...(still.get(to) ?? []), ...types]));
        }
      }
      const unknown =
        after !== undefined &&
        holdsUnknown([after.fields.sources, after.fields.destination_ids, after.fields.destinations]);
      const stopped = [...flowsOf(before, past)]
        .map(([to, types]) => ({ to, types: types.filter((type) => !still.get(to)?.has(type)) }))
        .filter(({ types }) => types.length > 0);
      if (stopped.length === 0) return [];
      const destinationOf = (identity: string) =>
        past.of("event_destination").find((thing) => thing.identity === identity);
      const toName = (identity: string) => {
        const thing = destinationOf(identity);
        return thing ? names.quote(thing) : code(referenceName(identity));
      };
      const types = [...new Set(stopped.flatMap((flow) => flow.types))].sort(inOrder);
      const field = after && (types.length === flowsOf(before, past).size ? "destination_ids" : "sources");
      const sentence = `Events of ${listed(types.map(code))} no longer go to ${listed(stopped.map(({ to }) => toName(to)).sort(inOrder))}.`;
      return [onObject(after ?? before, field, { sentence, before: types, after: [], certain: !unknown })];
    },
  },
];
