import { z } from "zod";
import { own } from "../../contract/core/narrow";
import { oncePer } from "../../contract/core/once";
import type { SentOf } from "../../contract/registry";
import type { Check, Verdict } from "../judgement/check";
import { contentOf, moduleOf, type Part, partOf, partOfObject, type Reading } from "../judgement/reading";
import { Unservable } from "../judgement/rules/unservable";
import { CLOSED, ending, passing, refused, unsure } from "../judgement/verdicts";
import type { Model, ModelObject } from "../model";
import {
  EVERYONE,
  inBoth,
  isNobody,
  listNetworks,
  masked,
  type NetworkList,
  type NetworkSet,
  NOBODY,
  networkSet,
  unionOf,
} from "../networks/networkSet";
import { isIn } from "../networks/source";
import { holdsUnknown, idsIn, inOrder, textIn } from "../values";
import { UNKNOWN } from "../world";
import type { Aspect } from "./aspect";
import { documented, listedText, showing, texts } from "./shown";

interface Rules {
  readonly value: NetworkSet;
  readonly parts: readonly Part[];
  readonly content: string;
  readonly unknown: boolean;
}

/** Cache: many addresses use the same policies, so each set of them is computed once per world. */
const rulesIn = oncePer((_: Model) => new Map<string, Rules>());

/**
 * The networks that may connect at all: those of the module, as far as restrictions of all edges admit them.
 */
export function readNetworks(model: Model, holder: ModelObject): Reading<NetworkSet> {
  const [own, everywhere] = [readOwn(model, holder), everywhereIn(model)];
  if (!everywhere) return own;
  return {
    value: inBoth(own.value, everywhere.value),
    get parts() {
      return [...own.parts, ...everywhere.parts];
    },
    content: `${own.content}${everywhere.content}`,
    unknown: own.unknown || everywhere.unknown,
    maybeOff: own.maybeOff,
  };
}

/** Whom restrictions limit. */
export type RestrictedType = SentOf<"ip_restriction">["type"];

/** A restriction as it is answered. */
interface Restriction {
  readonly type?: unknown;
  readonly enforced?: unknown;
  readonly ip_policies?: readonly { readonly id: string }[];
}

/**
 * The networks that the enforced restrictions of a type admit: those of any of their policies.
 * @returns undefined where there is none
 * @throws Unservable for an action that a rule of an IP policy cannot have
 */
export function admittedBy(
  of: RestrictedType,
  restrictions: readonly Restriction[],
  rulesOf: (
    policy: string,
  ) => readonly { readonly id: string; readonly action: string; readonly cidr: string }[],
): NetworkSet | undefined {
  const enforced = restrictions.filter(({ type, enforced }) => type === of && enforced === true);
  if (enforced.length === 0) return undefined;
  const policies = new Set(enforced.flatMap(({ ip_policies = [] }) => ip_policies.map(({ id }) => id)));
  return unionOf(
    [...policies].map((policy) => {
      const rules = rulesOf(policy);
      for (const { action, id } of rules) refuseUnknownAction(action, id);
      const having = (wanted: string) =>
        rules.flatMap(({ action, cidr }) => (action === wanted ? masked(cidr) : []));
      return networkSet(having("allow"), having("deny"));
    }),
  );
}

/** Of all edges of a world. */
interface Everywhere extends Rules {
  readonly restrictions: readonly ModelObject[];
  /** The references to their IP policies. */
  readonly policies: readonly string[];
}

const everywhereIn = oncePer((model: Model): Everywhere | undefined => {
  const restrictions = model
    .of("ip_restriction")
    .filter(
      ({ fields: { type, enforced } }) =>
        (type === "endpoints" || holdsUnknown(type)) && (enforced === true || holdsUnknown(enforced)),
    );
  if (restrictions.length === 0) return undefined;
  const read = restrictions.map(({ fields }) => idsIn(fields, "ip_policy_ids", "ip_policies"));
  const policies = [...new Set(read.flatMap(({ ids }) => ids))].sort(inOrder);
  const rules = policies.map((policy) => rulesOf(model, [policy]));
  const own = restrictions.map((restriction, index) =>
    partOfObject(restriction, "ip_policy_ids", [
      read[index]?.ids.map((id) => model.identityOf(id)).sort(inOrder),
      restriction.fields.enforced,
    ]),
  );
  const parts = [...own, ...rules.flatMap((part) => part.parts)];
  return {
    restrictions,
    policies,
    value: unionOf(rules.map(({ value }) => value)),
    parts,
    content: contentOf(parts),
    unknown:
      read.some(({ unknown }) => unknown) ||
      rules.some(({ unknown }) => unknown) ||
      restrictions.some(({ fields: { type, enforced } }) => holdsUnknown([type, enforced])),
  };
});

function readOwn(model: Model, holder: ModelObject): Reading<NetworkSet> & { readonly content: string } {
  const module = moduleOf(holder, "ip_restriction");
  const { ids, unknown } = idsIn(module.fields, "ip_policy_ids", "ip_policies");
  const policies = [...new Set(ids.map((id) => model.identityOf(id)))].sort(inOrder);
  const part = partOf(module, { policies, unknown });
  if (module.state === "absent" || module.state === "off") {
    return {
      value: EVERYONE,
      parts: [part],
      content: `${part.identity} ${part.content}\n`,
      unknown: false,
      maybeOff: false,
    };
  }
  const cache = rulesIn(model);
  const key = policies.join("\n");
  const rules = cache.get(key) ?? rulesOf(model, ids);
  cache.set(key, rules);
  const silent = module.state === "maybe" && ids.length === 0;
  return {
    value: silent ? EVERYONE : rules.value,
    get parts() {
      return [part, ...rules.parts];
    },
    content: `${part.identity} ${part.content}\n${rules.content}`,
    unknown: unknown || rules.unknown || module.state === "maybe",
    maybeOff: module.state === "maybe",
  };
}

function rulesOf(model: Model, ids: readonly string[]): Rules {
  const policies = [...new Set(ids.map((id) => model.find(id)))];
  const known = policies.flatMap((policy) => policy ?? []);
  const rules = known.flatMap((policy) => model.belongingTo(policy));
  const unknown =
    (model.partial && policies.includes(undefined)) ||
    model.ofUnknownOwner.some(({ kind }) => kind === "ip_policy_rule") ||
    rules.some(({ fields }) => holdsUnknown([fields.cidr, fields.action]));
  const networksWhere = (action: string) =>
    rules.flatMap(({ fields }) => (fields.action === action ? (textIn(fields.cidr) ?? []) : []));
  const parts = rules.map((rule) => partOfObject(rule, "cidr", [rule.fields.cidr, rule.fields.action]));
  return {
    value: known.length === 0 ? NOBODY : networkSet(networksWhere("allow"), networksWhere("deny")),
    parts,
    content: contentOf(parts),
    unknown,
  };
}

/** The check of source addresses. */
export const networks = {
  of: { tls_edge: true, tcp_edge: true, https_edge_route: true },
  prepare({ model, holder, http }) {
    const module = moduleOf(holder, "ip_restriction");
    const isOff = module.state === "absent" || module.state === "off";
    const all = everywhereIn(model);
    if (isOff && !all) return undefined;
    const { ids } = idsIn(module.fields, "ip_policy_ids", "ip_policies");
    for (const id of new Set([...(isOff ? [] : ids), ...(all?.policies ?? [])]))
      refuseUnknownRules(model, id);
    const stopped = http ? refused(403) : CLOSED;
    const own = isOff ? undefined : asking(readOwn(model, holder), holder, "ip_restriction", stopped);
    const [restriction] = all?.restrictions ?? [];
    const everyEdge = all && restriction && asking(all, restriction, "ip_policy_ids", stopped);
    const checks = [everyEdge, own].flatMap((check) => check ?? []);
    return {
      look(request) {
        let verdict: Verdict = {};
        for (const check of checks) {
          verdict = check.look(request);
          if (verdict.end) break;
        }
        return verdict;
      },
      predicates: checks.flatMap(({ predicates }) => predicates),
      ...(checks.some(({ unknown }) => unknown) && {
        unknown: "Which networks are admitted is not wholly known.",
      }),
    };
  },
  shows: showing({
    field: "networks",
    title: "Networks",
    schema: () =>
      documented(
        z.union([
          z.enum(["everyone", "nobody"]),
          z.object({
            v4: texts("IPv4 networks, at most 100."),
            v6: texts("IPv6 networks, at most 100."),
            more: documented(z.int().optional(), "How many further networks there are."),
          }),
        ]),
        "The source addresses that are admitted: those allowed minus those denied. Both lists are empty where none is known and `unknown` names the field.",
      ),
    read: ({ model, holder }) => readNetworks(model, holder),
    absent: EVERYONE,
    exposed: (value: NetworkSet, isUnknown) =>
      isUnknown && isNobody(value) ? NONE_KNOWN : listNetworks(value),
    words: networkText,
  }),
} satisfies Aspect<"ip_restriction">;

interface Asking extends Pick<Check, "look" | "predicates"> {
  readonly unknown: boolean;
}

/** The question for the caller's address that an object asks. */
function asking(
  { value, unknown }: Pick<Reading<NetworkSet>, "value" | "unknown">,
  by: ModelObject,
  field: string,
  outcome: typeof CLOSED | ReturnType<typeof refused>,
): Asking {
  const admitted = passing(by, field, "The caller's address is in a network that is admitted.");
  const stopped = ending(by, field, "The caller's address is in no network that is admitted.", outcome);
  const partly = unsure(
    by,
    field,
    "Not all of the caller's network is admitted, and the address in it is not recorded.",
  );
  return {
    look({ from }) {
      const is = isIn(from, value);
      return is === undefined ? partly : is ? admitted : stopped;
    },
    predicates: [{ dimension: "from", op: "in", networks: value }],
    unknown,
  };
}

/** In place of "nobody" where policies or rules are not known: they may admit somebody. */
const NONE_KNOWN: NetworkList = { v4: [], v6: [] };

const FAMILIES: Readonly<Record<string, string>> = {
  "0.0.0.0/0": "every IPv4 address",
  "::/0": "every IPv6 address",
};

function networkText(networks: "everyone" | "nobody" | NetworkList): string {
  if (typeof networks === "string") return networks;
  const { v4, v6, more } = networks;
  const shown = [...v4, ...v6].map((network) => own(FAMILIES, network) ?? network);
  return `${listedText(shown, 6)}${more ? " and more" : ""}` || "not known";
}

function refuseUnknownRules(model: Model, policy: string): void {
  for (const { fields, object } of model.belongingTo({ identity: model.identityOf(policy) })) {
    const { action } = fields;
    if (typeof action === "string" && action !== UNKNOWN) refuseUnknownAction(action, object.id);
  }
}

/** @throws Unservable for an action that a rule of an IP policy cannot have */
export function refuseUnknownAction(action: string, rule: string | undefined): void {
  if (action !== "allow" && action !== "deny")
    throw new Unservable(
      `the action ${JSON.stringify(action)} of the rule ${rule} is not known to this gateway: upgrade this gateway, or remove the rule`,
    );
}
