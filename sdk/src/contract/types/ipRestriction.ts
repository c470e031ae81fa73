import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, metadata, references } from "../core/fields";
import { mark, type Rule } from "../core/marks";

interface Restricting {
  readonly enforced?: boolean;
  readonly ip_policy_ids?: readonly string[];
}

const namesPolicies: Rule<Restricting> = function* ({ enforced, ip_policy_ids: ids }) {
  if (enforced && ids?.length === 0)
    yield {
      path: ["ip_policy_ids"],
      message:
        "must not be empty while `enforced` is true, because nobody would get in; name a policy, or set `enforced` to false",
    };
};

/** names "IP restriction". */
export const ipRestriction = defineResource({
  type: "IpRestriction",
  kind: "ip_restriction",
  title: "IP restriction",
  doc: "Says from which addresses the API, the console, gateways by their agents, or all edges of the account may be reached. Several of one type admit whom any of their policies admits.",
  path: "/ip_restrictions",
  listKey: "ip_restrictions",
  idPrefix: "ipx",
  access: "accountWrites",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    enforced: z.boolean().default(false).meta({
      description: "Whether it refuses anybody; if not, it is only counted. Default false.",
    }),
    type: mark(z.enum(["api", "dashboard", "agent", "endpoints"]), { immutable: true }).meta({
      description:
        "The callers that it limits: `api` those of the API, `dashboard` those of the console, `agent` the agents that connect to gateways, `endpoints` the callers of every edge, besides the edge's own restriction. Set at creation only.",
    }),
    ip_policy_ids: references("ip_policy", "ip_policies").meta({
      description: "The IP policies that an address is checked against; not empty while `enforced` is true.",
    }),
  },
  rules: [namesPolicies],
  sample: {
    description: "the API from our offices alone",
    enforced: false,
    type: "api",
    ip_policy_ids: ["ip_policy/office"],
  },
  example: `const api = new tunnels.IpRestriction("api", {
  type: "api",
  enforced: false,
  ipPolicyIds: [office.id],
});`,
});
