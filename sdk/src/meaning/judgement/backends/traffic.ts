import type { FieldName } from "../../fieldNames";
import type { Model, ModelObject } from "../../model";
import { nameOf, referenceName } from "../../names";
import { canonical, fieldNamed, holdsUnknown, idsIn, isObject, textIn } from "../../values";
import { type ModuleReading, moduleOf, type Part, partOf, partOfObject, type Reading } from "../reading";
import type { Credentials } from "./binding";
import { childrenOf, type Flow, Flows, oneShare, weightsOf } from "./flows";

/** The backends of an address, as a tree. */
export type Target =
  | {
      readonly kind: "tunnel_group";
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
    }
  | { readonly kind: "static"; readonly name: string; readonly address: string | null; readonly tls: boolean }
  | { readonly kind: "http_response"; readonly name: string; readonly status_code: number }
  | { readonly kind: "weighted"; readonly name: string; readonly parts: readonly WeightedPart[] }
  | { readonly kind: "failover"; readonly name: string; readonly in_order: readonly Target[] }
  /** Tunnels that bind the address itself. */
  | { readonly kind: "tunnels" }
  /**
   * `missing`: no such backend. `cycle`: it leads back to itself. `disabled`: the module is disabled.
   * `unknown`: not known yet, or not visible. `more`: the tree goes on.
   */
  | { readonly kind: "missing" | "cycle" | "disabled" | "unknown" | "more"; readonly name: string };

export interface WeightedPart {
  readonly percent: number;
  readonly to: Target;
}

export interface Traffic {
  readonly flow: Flow;
  readonly target: Target;
  /** Why nothing arrives, if a reader can do something about it. */
  readonly reason: "disabled" | "backend" | "tunnels";
  /** The credentials that may serve it. */
  readonly servers: readonly ModelObject[];
}

/** Limits on nodes and levels of the tree in an exposure. Findings use the whole tree. */
const MAX_NODES = 200;
const MAX_LEVELS = 20;
/** The limit on an address's backends that are searched for the cause of a finding. */
const MAX_BACKENDS = 1000;

/** The destination of an address, as a tree. */
export function readTarget(model: Model, holder: ModelObject): Target {
  const module = moduleOf(holder, "backend");
  const { ids, unknown } = idsIn(module.fields, "backend_id", "backend");
  const root = ids[0];
  if (module.state === "off") return { kind: "disabled", name: "backend" };
  if (module.state === "absent") return { kind: "tunnels" };
  if (module.state === "maybe" && root === undefined && !unknown) return { kind: "tunnels" };
  return root === undefined
    ? { kind: "unknown", name: "" }
    : treeOf(model, root, { left: MAX_NODES }, MAX_LEVELS);
}

export function readTraffic(
  model: Model,
  holder: ModelObject,
  hostport: string,
  credentials: Credentials,
): Reading<Traffic> {
  const module = moduleOf(holder, "backend");
  const { ids, unknown } = idsIn(module.fields, "backend_id", "backend");
  const root = ids[0];
  const binders = credentials.ofHostport(hostport);
  const on = module.state === "on" || (module.state === "maybe" && (root !== undefined || unknown));
  const maybeOff = module.state === "maybe";
  if (on) {
    const flow =
      root === undefined
        ? oneShare("unknown", { percent: 100, words: "a backend that is not known yet" })
        : Flows.of(model).of(root);
    return {
      value: {
        flow,
        target: readTarget(model, holder),
        reason: "backend",
        servers: [...new Set([...binders, ...serversOf(model, root, credentials)])],
      },
      get parts() {
        return partsOf(model, module, root);
      },
      unknown: unknown || flow.unknown || maybeOff || root === undefined,
      maybeOff,
    };
  }
  const off = module.state === "off";
  const tunnels = oneShare("tunnels", { percent: 100, words: "tunnels that bind the address" });
  const silent: Flow = { shares: new Map(), unknown: false };
  // Credentials that are not visible may bind it.
  const unsure = !off && binders.length === 0 && model.partial;
  return {
    value: {
      flow: off ? silent : binders.length > 0 || unsure ? tunnels : silent,
      target: readTarget(model, holder),
      reason: off ? "disabled" : "tunnels",
      servers: binders,
    },
    // Compare one of them only: a finding is due when the last one is gone.
    parts: [partOf(module, null), ...binders.slice(0, 1).map((thing) => partOfObject(thing, "acl", "binds"))],
    unknown: unsure || maybeOff,
    maybeOff,
  };
}

/** The backends below one, itself first, each once. */
function below(model: Model, root: string | undefined): ModelObject[] {
  const start = root === undefined ? undefined : model.find(root);
  const found = new Set<ModelObject>(start && [start]);
  for (const thing of found) {
    if (found.size > MAX_BACKENDS) break;
    for (const child of childrenOf(thing).flatMap((id) => model.find(id) ?? [])) found.add(child);
  }
  return [...found];
}

const serversOf = (model: Model, root: string | undefined, credentials: Credentials): ModelObject[] =>
  below(model, root).flatMap(({ kind, fields }) =>
    kind === "tunnel_group_backend" && isObject(fields.labels) ? credentials.ofLabels(fields.labels) : [],
  );

function partsOf(model: Model, module: ModuleReading, root: string | undefined): Part[] {
  // Each field is a place of its own, so that a finding names the one that changed.
  const contents = (thing: ModelObject): [string, unknown][] => {
    const { kind, fields } = thing;
    const all = (...names: FieldName[]): [string, unknown][] =>
      names.map((name) => [name, fieldNamed(fields, name) ?? null]);
    if (kind === "weighted_backend") {
      const weights = weightsOf(thing).map(([id, weight]) => [model.identityOf(id), weight]);
      return [["backends", weights.sort()]];
    }
    if (kind === "failover_backend")
      return [["backends", childrenOf(thing).map((id) => model.identityOf(id))]];
    if (kind === "static_backend") return all("address", "tls");
    if (kind === "http_response_backend") return all("status_code", "body", "headers");
    return [["labels", canonical(fields.labels)]];
  };
  return [
    partOf(module, root === undefined ? null : model.identityOf(root)),
    ...below(model, root).flatMap((thing) =>
      contents(thing).map(([property, content]) => partOfObject(thing, property, content)),
    ),
  ];
}

function treeOf(model: Model, reference: string, room: { left: number }, levels: number): Target {
  const thing = model.find(reference);
  if (!thing) return { kind: model.partial ? "unknown" : "missing", name: referenceName(reference) };
  const name = nameOf(thing);
  if (Flows.of(model).isCircling(thing)) return { kind: "cycle", name };
  if (room.left-- <= 0 || levels === 0) return { kind: "more", name };
  const { kind, fields } = thing;
  if (kind === "weighted_backend") {
    const weights = weightsOf(thing);
    if (weights.length === 0 && holdsUnknown(fields.backends)) return { kind: "unknown", name };
    const sum = weights.reduce((total, [, weight]) => total + weight, 0);
    const parts = weights.slice(0, Math.max(room.left, 0)).map(([id, weight]) => ({
      percent: Math.round((weight / sum) * 10_000) / 100,
      to: treeOf(model, id, room, levels - 1),
    }));
    return {
      kind: "weighted",
      name,
      parts: parts.sort((a, b) => b.percent - a.percent || (canonical(a.to) < canonical(b.to) ? -1 : 1)),
    };
  }
  if (kind === "failover_backend") {
    const known = childrenOf(thing)
      .slice(0, Math.max(room.left, 0))
      .map((id) => treeOf(model, id, room, levels - 1));
    // Which of them is not known yet, and so their order, cannot be said.
    const unknown: Target[] = holdsUnknown(fields.backends) ? [{ kind: "unknown", name: "" }] : [];
    return known.length + unknown.length === 1 && unknown[0]
      ? { kind: "unknown", name }
      : { kind: "failover", name, in_order: [...known, ...unknown] };
  }
  if (kind === "static_backend") {
    const tls = isObject(fields.tls) && fields.tls.enabled === true;
    return { kind: "static", name, address: textIn(fields.address) ?? null, tls };
  }
  if (kind === "http_response_backend") {
    return {
      kind: "http_response",
      name,
      status_code: typeof fields.status_code === "number" ? fields.status_code : 200,
    };
  }
  const labels = isObject(fields.labels)
    ? Object.entries(fields.labels).map(([key, value]) => [key, String(value)])
    : [];
  return { kind: "tunnel_group", name, labels: Object.fromEntries(labels.sort()) };
}
