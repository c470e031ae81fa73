import type { Finding, World, WorldObject } from "@tunnelplane/sdk/meaning";
import { compare, exposureOf, findingsOf } from "@tunnelplane/sdk/meaning";

type Fields = Record<string, unknown>;

/** An object as a program of the stack "prod" declares it; its URN stands in the place of an id. */
export const declared = (kind: string, name: string, fields: Fields = {}): WorldObject => ({
  kind,
  urn: `urn:${kind}:${name}`,
  id: `${kind}_${name}`,
  name,
  stack: "prod",
  fields,
});

export const foreign = (kind: string, id: string, fields: Fields = {}): WorldObject => ({
  kind,
  id,
  fields: { id, ...fields },
});

export const ref = (kind: string, name: string): string => `urn:${kind}:${name}`;
const APP = "app.example.com:443";

/** A TLS edge that serves `app.example.com:443` from tunnels that bind it. */
export const edge = (fields: Fields = {}): WorldObject =>
  declared("tls_edge", "app", { hostports: [APP], ...fields });

export const agent = declared("tunnel_credential", "agent", { acl: [] });

/** An HTTPS edge with the route `/` that answers by itself. */
export const site = (route: Fields = {}, of: Fields = {}): WorldObject[] => [
  declared("https_edge", "site", { hostports: [SITE], ...of }),
  declared("https_edge_route", "all", {
    ...{ edge_id: ref("https_edge", "site"), match_type: "path_prefix", match: "/" },
    ...{ backend: { backend_id: ref("http_response_backend", "ok") }, ...route },
  }),
  declared("http_response_backend", "ok", { status_code: 200, body: "ok" }),
];

export const SITE = "www.example.com:443";

/** A further route of the site, which answers by itself. */
export const route = (match: string, fields: Fields = {}, match_type = "path_prefix"): WorldObject =>
  declared("https_edge_route", `${match_type} ${match}`, {
    ...{ edge_id: ref("https_edge", "site"), match_type, match },
    ...{ backend: { backend_id: ref("http_response_backend", "ok") }, ...fields },
  });

export const serving = (name: string, hostport: string, fields: Fields = {}): WorldObject =>
  declared("tls_edge", name, { hostports: [hostport], ...fields });

/** Policies for what comes in, each with one action. */
export const inbound = (...policies: [expressions: string[], type: string, config?: object][]): Fields => ({
  policies: {
    inbound: policies.map(([expressions, type, config = {}]) => ({
      name: "",
      expressions,
      actions: [{ type, config }],
    })),
    outbound: [],
  },
});

/** A check of tokens of an issuer for "api", in the Authorization header. */
export const tokensOf = (issuer: string, keys: string): Fields => ({
  issuer: { allow_list: [{ value: issuer }] },
  audience: { allow_list: [{ value: "api" }] },
  http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
  jws: { allowed_algorithms: ["RS256"], keys: { sources: { additional_jkus: [keys] } } },
});

/** A policy of these rules: `allow 10.0.0.0/8`, `deny 10.1.0.0/16`. */
export const policy = (name: string, ...rules: string[]): WorldObject[] => [
  declared("ip_policy", name),
  ...rules.map((rule, index) => {
    const [action, cidr] = rule.split(" ");
    return declared("ip_policy_rule", `${name}-${index}`, {
      ip_policy_id: ref("ip_policy", name),
      action,
      cidr,
    });
  }),
];

export const restricted = (...names: string[]) => ({
  ip_restriction: { ip_policy_ids: names.map((name) => ref("ip_policy", name)) },
});

export const authority = (name: string, not_after = "2036-01-01T00:00:00Z"): WorldObject =>
  declared("certificate_authority", name, { subject_common_name: name, not_after });

export const mutual = (...names: string[]) => ({
  mutual_tls: { certificate_authority_ids: names.map((name) => ref("certificate_authority", name)) },
});

export const world = (...objects: (WorldObject | WorldObject[])[]): World => ({ objects: objects.flat() });

export const exposureAt = (of: World, address = APP) => {
  const row = exposureOf(of).find((one) => one.address === address);
  if (!row)
    throw new Error(`There is no address ${address}, but ${exposureOf(of).map((one) => one.address)}`);
  return row;
};

/** The rules of the findings, the most severe first. */
export const rulesOf = (before: World, after: World): string[] =>
  findingsOf(before, after).map(({ rule }) => rule);

export function onlyFinding(before: World, after: World): Finding {
  const found = findingsOf(before, after);
  expect(found.map(({ sentence }) => sentence)).to.have.length(1);
  return found[0] as Finding;
}

export function expectNothing(before: World, after: World): void {
  const { findings, addresses } = compare(before, after);
  expect(findings.map(({ rule, sentence }) => `${rule}: ${sentence}`)).to.deep.equal([]);
  expect(addresses).to.deep.equal([]);
}
