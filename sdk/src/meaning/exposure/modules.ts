import { definitionOf } from "../../contract/registry";
import type { FieldName } from "../fieldNames";
import type { Model, Thing } from "../model";
import { EVERYONE, type NetworkSet, NOBODY, networkSet } from "../networks/networkSet";
import { canonical, type Fields, holdsUnknown, idsIn, inOrder, isObject, textIn, textsIn } from "../values";
import { moduleOf, type Part, partOf, partOfThing, type Read, readModule, saidBy } from "./reading";

interface Rules {
  readonly value: NetworkSet;
  readonly parts: readonly Part[];
  readonly says: string;
  readonly unknown: boolean;
}

/** Cache: many addresses use the same policies, so each set of them is computed once per world. */
const networksOf = new WeakMap<Model, Map<string, Rules>>();

/** The networks that may connect at all. */
export function readNetworks(model: Model, holder: Thing): Read<NetworkSet> {
  const module = moduleOf(holder, "ip_restriction");
  const { ids, unknown } = idsIn(module.fields, "ip_policy_ids", "ip_policies");
  const policies = [...new Set(ids.map((id) => model.identityOf(id)))].sort(inOrder);
  const part = partOf(module, { policies, unknown });
  if (module.state === "absent" || module.state === "off") {
    return {
      value: EVERYONE,
      parts: [part],
      says: `${part.identity} ${part.says}\n`,
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
    says: `${part.identity} ${part.says}\n${rules.says}`,
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
  const parts = rules.map((rule) => partOfThing(rule, "cidr", [rule.fields.cidr, rule.fields.action]));
  return {
    value: known.length === 0 ? NOBODY : networkSet(networksWhere("allow"), networksWhere("deny")),
    parts,
    says: saidBy(parts),
    unknown,
  };
}

/** An authority whose client certificates are accepted. */
export interface Authority {
  readonly thing?: Thing;
  /** The id in the reference, if there is no such authority. */
  readonly missing?: string;
  /** Equal for the same certificate. */
  readonly certificate: string;
}

/** The required client certificates; null if none are required. */
export function readClientCertificate(model: Model, holder: Thing): Read<readonly Authority[] | null> {
  const module = moduleOf(holder, "mutual_tls");
  const { ids, unknown } = idsIn(module.fields, "certificate_authority_ids", "certificate_authorities");
  const read = readModule(
    module,
    null,
    () =>
      [...new Set(ids)]
        .map((id): Authority => authority(model, id))
        .sort((a, b) => inOrder(a.certificate, b.certificate)),
    () => ({ unknown, authorities: [...new Set(ids.map((id) => model.identityOf(id)))].sort(inOrder) }),
  );
  const things = (read.value ?? []).flatMap(({ thing }) => thing ?? []);
  return {
    ...read,
    parts: [...read.parts, ...things.map((thing) => partOfThing(thing, "ca_pem", certificateOf(thing)))],
    unknown:
      read.unknown ||
      (read.value !== null && (unknown || (model.partial && things.length < ids.length))) ||
      things.some(isUnknownAuthority),
  };
}

const isUnknownAuthority = ({ fields }: Thing): boolean => holdsUnknown(fields.ca_pem);

function authority(model: Model, id: string): Authority {
  const thing = model.find(id);
  return thing ? { thing, certificate: certificateOf(thing) } : { missing: id, certificate: `missing ${id}` };
}

/** The certificate itself, because two objects with the same one trust the same clients. */
function certificateOf({ fields, identity }: Thing): string {
  const pem = textIn(fields.ca_pem);
  return pem?.includes("-----BEGIN")
    ? pem.replace(/\s+/g, "")
    : `${identity} ${fields.subject_common_name} ${fields.not_after}`;
}

const factsOf = new WeakMap<Thing, Fields>();

/** Subject and end of an authority's certificate: from the answer, or else from the certificate itself. */
export function certificateFacts(thing: Thing): { readonly subject?: string; readonly notAfter?: string } {
  const { fields } = thing;
  let facts: Fields = fields;
  if (textIn(fields.not_after) === undefined && textIn(fields.ca_pem)?.includes("-----BEGIN")) {
    facts =
      factsOf.get(thing) ??
      definitionOf("certificate_authority").derive({
        description: "",
        metadata: "",
        ca_pem: textIn(fields.ca_pem) ?? "",
      });
    factsOf.set(thing, facts);
  }
  return { subject: textIn(facts.subject_common_name), notAfter: textIn(facts.not_after) };
}

export interface Tls {
  /** The lowest version that the edge accepts; null if TLS ends upstream. */
  readonly from: string | null;
  readonly ends_at: "edge" | "upstream";
}

const TLS_DEFAULT: Tls = { from: "1.2", ends_at: "edge" };

export const readTls = (edge: Thing): Read<Tls> =>
  readModule(moduleOf(edge, "tls_termination"), TLS_DEFAULT, (fields) =>
    fields.terminate_at === "upstream"
      ? { from: null, ends_at: "upstream" }
      : { from: textIn(fields.min_version) ?? "1.2", ends_at: "edge" },
  );

export interface SignIn {
  readonly issuer: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  /** Whether OPTIONS requests pass without sign-in. */
  readonly options_passthrough: boolean;
}

export const readSignIn = (route: Thing): Read<SignIn | null> =>
  readModule<SignIn | null>(
    moduleOf(route, "oidc"),
    null,
    (fields) => ({
      issuer: textIn(fields.issuer) ?? "",
      client_id: textIn(fields.client_id) ?? "",
      scopes: textsIn(fields.scopes),
      options_passthrough: fields.options_passthrough === true,
    }),
    ({ issuer, client_id, scopes, options_passthrough }) => ({
      issuer,
      client_id,
      options_passthrough,
      scopes: holdsUnknown(scopes) ? scopes : textsIn(scopes),
    }),
  );

export interface TokenCheck {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** The sources of the issuers' keys. */
  readonly keys: readonly string[];
  /** The possible places of the token in a request. */
  readonly locations: readonly string[];
}

const at = (value: unknown, ...names: FieldName[]): unknown =>
  names.reduce<unknown>((found, name) => (isObject(found) ? found[name] : found), value);

const allowed = (list: unknown): string[] =>
  textsIn(
    (Array.isArray(at(list, "allow_list")) ? (at(list, "allow_list") as unknown[]) : []).map((entry) =>
      at(entry, "value"),
    ),
  );

export const readToken = (route: Thing): Read<TokenCheck | null> => {
  const check = (fields: Fields): TokenCheck => ({
    issuers: allowed(fields.issuer),
    audiences: allowed(fields.audience),
    algorithms: textsIn(at(fields, "jws", "allowed_algorithms")),
    keys: textsIn(at(fields, "jws", "keys", "sources", "additional_jkus")),
    locations: locationsIn(at(fields, "http", "tokens")),
  });
  const module = moduleOf(route, "jwt_validation");
  const read = readModule<TokenCheck | null>(module, null, check);
  const { issuer, audience, jws, http } = module.fields;
  return {
    ...read,
    unknown: read.unknown || (read.value !== null && holdsUnknown([issuer, audience, jws, http])),
  };
};

const locationsIn = (tokens: unknown): string[] =>
  textsIn(
    (Array.isArray(tokens) ? tokens : []).map((token) => {
      const prefix = textIn(at(token, "prefix"));
      return `${at(token, "type")} in ${at(token, "method")} ${at(token, "name")}${prefix ? ` after ${JSON.stringify(prefix)}` : ""}`;
    }),
  );

export interface UserAgents {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export const readUserAgents = (route: Thing): Read<UserAgents | null> =>
  readModule<UserAgents | null>(
    moduleOf(route, "user_agent_filter"),
    null,
    (fields) => {
      const lists = { allow: textsIn(fields.allow), deny: textsIn(fields.deny) };
      return lists.allow.length + lists.deny.length > 0 ? lists : null; // an empty filter filters nothing
    },
    ({ allow, deny }) => [
      holdsUnknown(allow) ? allow : textsIn(allow),
      holdsUnknown(deny) ? deny : textsIn(deny),
    ],
  );

/** An action of a policy for inbound or outbound traffic. */
export interface Action {
  readonly direction: "inbound" | "outbound";
  readonly type: string;
  /** The conditions, all of which have to hold; empty means always. */
  readonly when: readonly string[];
  /** Its settings, without the content of responses. */
  readonly settings: string;
  /** Equal for actions that do the same. */
  readonly says: string;
}

export function readActions(holder: Thing): Read<readonly Action[]> {
  const module = moduleOf(holder, "policies");
  const read = readModule<readonly Action[]>(
    module,
    [],
    (fields) => [...actionsIn(fields, "inbound"), ...actionsIn(fields, "outbound")],
    (fields) => [...actionsIn(fields, "inbound"), ...actionsIn(fields, "outbound")].map(({ says }) => says),
  );
  return {
    ...read,
    unknown:
      read.unknown ||
      (read.value.length > 0 && holdsUnknown([module.fields.inbound, module.fields.outbound])) ||
      holdsUnknown(module.fields),
  };
}

function actionsIn(fields: Fields, direction: Action["direction"]): Action[] {
  const listed = fields[direction];
  const policies = Array.isArray(listed) ? listed.filter(isObject) : [];
  return policies
    .flatMap(({ expressions, actions }) => {
      const when = textsIn(expressions);
      return (Array.isArray(actions) ? actions : []).filter(isObject).map(({ type, config }): Action => {
        const says = canonical([direction, type, when, isObject(config) ? config : {}]);
        return {
          direction,
          type: textIn(type) ?? "",
          when,
          settings: settingsOf(isObject(config) ? config : {}),
          says,
        };
      });
    })
    .sort((a, b) => inOrder(a.says, b.says));
}

const SHOWN_SETTINGS = ["status_code", "name", "capacity", "rate", "from", "to"];

const settingsOf = (config: Readonly<Record<string, unknown>>): string =>
  SHOWN_SETTINGS.filter((name) => typeof config[name] === "string" || typeof config[name] === "number")
    .map((name) => `${name} ${String(config[name]).slice(0, 100)}`)
    .join(", ");
