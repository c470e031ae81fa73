import type { Model, ModelObject } from "../../model";
import { inOrder, textsIn } from "../../values";

/** The target of an ACL rule. */
type Target =
  | { readonly kind: "everything" }
  | { readonly kind: "host"; readonly host: string; readonly port?: string }
  | { readonly kind: "label"; readonly key: string; readonly value: string };

/** Parses an ACL rule; undefined if it is invalid. Hosts are case-insensitive, labels are not. */
function targetOf(rule: string): Target | undefined {
  if (rule === "*") return { kind: "everything" };
  if (!rule.startsWith("bind:")) return undefined;
  const target = rule.slice("bind:".length);
  const equals = target.indexOf("=");
  if (equals >= 0) return { kind: "label", key: target.slice(0, equals), value: target.slice(equals + 1) };
  const [, host = "", port] = /^(.*?)(?::(\d+))?$/.exec(target.toLowerCase()) ?? [];
  return { kind: "host", host, port };
}

/** The hosts in rules that cover a host: itself, and wildcards for the domains above it. */
function hostsAbove(host: string): string[] {
  const labels = (host.startsWith("*.") ? host.slice(2) : host).split(".");
  const first = host.startsWith("*.") ? 0 : 1;
  return [host, ...labels.slice(first).map((_, index) => `*.${labels.slice(first + index).join(".")}`)];
}

/** The targets that a credential may bind. */
export class Binding {
  readonly unlimited: boolean;
  readonly #keys = new Set<string>();
  readonly targets: readonly Target[];

  constructor(rules: readonly string[]) {
    this.targets = rules.flatMap((rule) => targetOf(rule) ?? []);
    this.unlimited = rules.length === 0 || this.targets.some(({ kind }) => kind === "everything");
    for (const target of this.targets) this.#keys.add(keyOf(target));
  }

  /** Whether this allows everything that a rule allows. */
  covers(target: Target): boolean {
    if (this.unlimited) return true;
    if (target.kind === "everything") return false;
    return keysAbove(target).some((key) => this.#keys.has(key));
  }
}

/**
 * Whether a credential's ACL allows every one of these binds: `bind:<host>:<port>`, or `bind:<key>=<value>`
 * for each label.
 */
export function mayBind(acl: readonly string[], binds: readonly string[]): boolean {
  const binding = new Binding(acl);
  return binds.every((bind) => {
    const target = targetOf(bind);
    return target !== undefined && binding.covers(target);
  });
}

/** Why a credential may not bind these, and what to do; undefined if its ACL allows all of them. */
export function refusalToBind(
  credential: string,
  acl: readonly string[],
  binds: readonly string[],
): string | undefined {
  const refused = binds.filter((bind) => !mayBind(acl, [bind]));
  if (refused.length === 0) return undefined;
  const [named, is, them] = [
    refused.join(", "),
    refused.length > 1 ? "are" : "is",
    refused.length > 1 ? "them" : "it",
  ];
  return `${named} ${is} not allowed by the ACL of credential ${credential}: add ${them} to its acl, or bind what it allows`;
}

const keyOf = (target: Target): string => {
  if (target.kind === "host")
    return target.port === undefined ? target.host : `${target.host}:${target.port}`;
  return target.kind === "label" ? `${target.key}=${target.value}` : "*";
};

function keysAbove(target: Target): string[] {
  if (target.kind === "everything") return ["*"];
  if (target.kind === "label") {
    const { key, value } = target;
    return [`${key}=${value}`, `*=${value}`, `${key}=*`, "*=*"];
  }
  const hosts = hostsAbove(target.host);
  return target.port === undefined ? hosts : hosts.flatMap((host) => [host, `${host}:${target.port}`]);
}

export const CREDENTIALS = ["tunnel_credential", "ssh_credential"];

/** The credentials of a world, with lookups by target. */
export class Credentials {
  readonly #unlimited: ModelObject[] = [];
  readonly #byKey = new Map<string, ModelObject[]>();
  readonly #cached = new Map<string, readonly ModelObject[]>();

  constructor(model: Model) {
    for (const thing of CREDENTIALS.flatMap((kind) => model.inForce(kind))) {
      const binding = new Binding(textsIn(thing.fields.acl));
      if (binding.unlimited) this.#unlimited.push(thing);
      else
        for (const key of new Set(binding.targets.map(keyOf)))
          this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), thing]);
    }
  }

  /** The credentials that may bind a hostport. */
  ofHostport(hostport: string): readonly ModelObject[] {
    return this.#covering([`bind:${hostport}`]);
  }

  /** The credentials that may bind all of the labels. */
  ofLabels(labels: Readonly<Record<string, unknown>>): readonly ModelObject[] {
    return this.#covering(Object.entries(labels).map(([key, value]) => `bind:${key}=${value}`));
  }

  #covering(rules: readonly string[]): readonly ModelObject[] {
    const key = rules.toSorted(inOrder).join("\n");
    let found = this.#cached.get(key);
    if (!found) {
      const each = rules
        .flatMap((rule) => targetOf(rule) ?? [])
        .map((target) => new Set(this.#holding(target)));
      const [first, ...rest] = each;
      found = [
        ...this.#unlimited,
        ...[...(first ?? [])].filter((thing) => rest.every((set) => set.has(thing))),
      ];
      this.#cached.set(key, found);
    }
    return found;
  }

  #holding(target: Target): ModelObject[] {
    return keysAbove(target).flatMap((key) => this.#byKey.get(key) ?? []);
  }
}
