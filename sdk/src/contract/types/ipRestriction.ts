import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, metadata, references } from "../core/fields";
import { mark, type Rule } from "../core/marks";

interface Restricting {
  readonly enforced?: boolean;
  readonly ip_policy_ids?: readonly string[];
}

const namesPolicies: Rule<Restricting> = function* ({ enforced, ip_policy_ids: ids }) {
  if (!enforced) return;
  if (ids?.length === 0)
    yield {
      path: ["ip_policy_ids"],
      message:
        "must not be empty while `enforced` is true, because nobody would get in; name a policy, or set `enforced` to false",
    };
  yield {
    path: ["enforced"],
    message:
      "cannot be true yet: this version stores restrictions and refuses nobody by them, so it would promise too much; leave it false, and limit edges with their own `ip_restriction`",
  };
};

/** names "IP restriction". */
export const ipRestriction = defineResource({
  type: "IpRestriction",
  kind: "ip_restriction",
  title: "IP restriction",
  doc: "Declares the addresses from which the API, the console, agents or all edges of the account may be reached. This version stores it and refuses nobody by it yet.",
  path: "/ip_restrictions",
  listKey: "ip_restrictions",
  idPrefix: "ipx",
  access: "accountWrites",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    enforced: z.boolean().default(false).meta({
      description:
        "Whether it refuses anybody. This version stores restrictions and enforces none yet, so it takes only false. Default false.",
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
