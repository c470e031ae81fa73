import { z } from "zod";
import { Unservable } from "../decision/rules/unservable";
import { contentOf, moduleOf, type Part, partOf, partOfObject, type Reading } from "../exposure/reading";
import type { Model, ModelObject } from "../model";
import {
  EVERYONE,
  isNobody,
  listNetworks,
  type NetworkList,
  type NetworkSet,
  NOBODY,
  networkSet,
} from "../networks/networkSet";
import { isIn } from "../networks/source";
import { holdsUnknown, idsIn, inOrder, textIn } from "../values";
import { UNKNOWN } from "../world";
import type { Aspect } from "./aspect";
import { CLOSED, ending, passing, refused, unsure } from "./checks";
import { said, texts } from "./schemas";
import { listedWords, showing } from "./shown";

interface Rules {
  readonly value: NetworkSet;
  readonly parts: readonly Part[];
  readonly content: string;
  readonly unknown: boolean;
}

/** Cache: many addresses use the same policies, so each set of them is computed once per world. */
const networksOf = new WeakMap<Model, Map<string, Rules>>();

/** The networks that may connect at all. */
export function readNetworks(model: Model, holder: ModelObject): Reading<NetworkSet> {
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
  const cache = networksOf.get(model) ?? new Map<string, Rules>();
  networksOf.set(model, cache);
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
    if (module.state === "absent" || module.state === "off") return undefined;
    const { ids } = idsIn(module.fields, "ip_policy_ids", "ip_policies");
    for (const id of new Set(ids)) refuseUnknownRules(model, id);
    const read = readNetworks(model, holder);
    const field = "ip_restriction";
    const admitted = passing(holder, field, "The caller's address is in a network that is admitted.");
    const sentence = "The caller's address is in no network that is admitted.";
    const stopped = ending(holder, field, sentence, http ? refused(403) : CLOSED);
    const partly = unsure(
      holder,
      field,
      "Not all of the caller's network is admitted, and the address in it is not recorded.",
    );
    return {
      look({ from }) {
        const is = isIn(from, read.value);
        return is === undefined ? partly : is ? admitted : stopped;
      },
      predicates: [{ dimension: "from", op: "in", networks: read.value }],
      ...(read.unknown && { unknown: "Which networks are admitted is not wholly known." }),
    };
  },
  rules: { opening: ["network-opened", "network-widened"], closing: ["network-narrowed"] },
  shows: showing({
    field: "networks",
    title: "Networks",
    schema: () =>
      said(
        z.union([
          z.enum(["everyone", "nobody"]),
          z.object({
            v4: texts("IPv4 networks, at most 100."),
            v6: texts("IPv6 networks, at most 100."),
            more: said(z.int().optional(), "How many further networks there are."),
          }),
        ]),
        "The source addresses that are admitted: those allowed minus those denied. Both lists are empty where none is known and `unknown` names the field.",
      ),
    read: ({ model, holder }) => readNetworks(model, holder),
    absent: EVERYONE,
    exposed: (value: NetworkSet, isUnknown) =>
      isUnknown && isNobody(value) ? NONE_KNOWN : listNetworks(value),
    words: networkWords,
  }),
} satisfies Aspect<"ip_restriction">;

/** In place of "nobody" where policies or rules are not known: they may admit somebody. */
const NONE_KNOWN: NetworkList = { v4: [], v6: [] };

const FAMILIES: Readonly<Record<string, string>> = {
  "0.0.0.0/0": "every IPv4 address",
  "::/0": "every IPv6 address",
};

function networkWords(networks: "everyone" | "nobody" | NetworkList): string {
  if (typeof networks === "string") return networks;
  const { v4, v6, more } = networks;
  const shown = [...v4, ...v6].map((network) => FAMILIES[network] ?? network);
  return `${listedWords(shown, 6)}${more ? " and more" : ""}` || "not known";
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
