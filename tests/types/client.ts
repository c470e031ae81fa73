// Checked by `npm run check`: each line that must not compile says so, and fails the check when it does.
import { ApiError, type IpPolicyRule, NotFoundError, type TlsEdge, Tunnelplane } from "@tunnelplane/sdk";
import type { SentOf } from "@tunnelplane/sdk/contract";

const api = new Tunnelplane({ baseUrl: "http://127.0.0.1:4040", apiKey: "tpk_1" });

/** The client's types, as a program sees them. */
export async function client(): Promise<void> {
  // Bodies of creations: what is required, what values there are, and no field besides.
  await api.ipPolicyRules.create({ ip_policy_id: "ipp_1", cidr: "192.0.2.0/24", action: "deny" });
  // @ts-expect-error a rule needs an action
  await api.ipPolicyRules.create({ ip_policy_id: "ipp_1", cidr: "192.0.2.0/24" });
  // @ts-expect-error an action is allow or deny
  await api.ipPolicyRules.create({ ip_policy_id: "ipp_1", cidr: "192.0.2.0/24", action: "refuse" });
  // @ts-expect-error it is called hostports
  await api.tlsEdges.create({ hostport: ["app.example.com:443"] });
  // @ts-expect-error answers have the id, bodies do not
  await api.ipPolicies.create({ id: "ipp_1" });
  // Bodies of updates: everything may be left out, and what is set at creation cannot be sent.
  await api.ipPolicyRules.update("ipr_1", { cidr: "192.0.2.0/25" });
  // @ts-expect-error an action is set at creation only
  await api.ipPolicyRules.update("ipr_1", { action: "allow" });
  // Answers: references carry an id and an address, a module may be null, a one-time secret too.
  const edge = await api.tlsEdges.get("edgtls_1");
  const served: string[] = edge.hostports;
  // @ts-expect-error an edge may have no backend
  edge.backend.enabled;
  const policies: { id: string; uri: string }[] | undefined = edge.ip_restriction?.ip_policies;
  // @ts-expect-error bodies send ids, answers show references
  edge.ip_restriction?.ip_policy_ids;
  const key = await api.apiKeys.create({ description: "ci" });
  // @ts-expect-error only the creation answers the key
  const token: string = key.token;
  const found: IpPolicyRule = await api.ipPolicyRules.get("ipr_1");
  // @ts-expect-error an edge is not a rule
  const other: TlsEdge = found;
  // Lists go on by themselves; what they are asked for is checked.
  for await (const { cidr, action } of api.ipPolicyRules.list({ pageSize: 10, beforeId: "ipr_1" }))
    text(cidr, action);
  // @ts-expect-error a page has a size, not a limit
  api.ipPolicyRules.list({ limit: 10 });
  // Subresources have members of their own.
  await api.tlsEdges.mutualTls.replace("edgtls_1", { certificate_authority_ids: ["ca_1"] });
  // @ts-expect-error it takes a list
  await api.tlsEdges.mutualTls.replace("edgtls_1", { certificate_authority_ids: "ca_1" });
  await api.httpsEdgeRoutes("edghts_1").create({ match_type: "exact_path", match: "/" });
  // @ts-expect-error routes are those of an edge
  api.httpsEdgeRoutes.list();
  // @ts-expect-error there is no such collection
  api.tcpEgdes;
  text(...served, ...(policies ?? []).map(({ uri }) => uri), token, other.id);
}

/** Errors say where a request is at fault; only those of the server do. */
export function errors(error: unknown): string | undefined {
  // @ts-expect-error anything may be thrown
  error.field;
  if (error instanceof NotFoundError) return `${error.status} ${error.code} ${error.operationId}`;
  // @ts-expect-error a field may be missing
  if (error instanceof ApiError) return error.field.length;
  return error instanceof ApiError ? error.field : undefined;
}

// A body with its defaults: no field with a default is left out.
export const rule: SentOf<"ip_policy_rule"> = {
  description: "",
  metadata: "",
  cidr: "192.0.2.0/24",
  ip_policy_id: "ipp_1",
  action: "allow",
};
// @ts-expect-error defaults are filled in
export const bare: SentOf<"ip_policy"> = {};
const text = (...all: string[]): string => all.join();
