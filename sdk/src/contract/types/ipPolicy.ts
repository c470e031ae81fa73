import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";

/**
 * IP policies. The spec has only references to them; the fields follow api-decisions "Backends, IP policies".
 */
export const ipPolicy = defineResource({
  type: "IpPolicy",
  kind: "ip_policy",
  title: "IP policy",
  doc: "A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them.",
  path: "/ip_policies",
  listKey: "ip_policies",
  idPrefix: "ipp",
  readByGateways: true,
  fields: { description: description(), metadata: metadata() },
  sample: { description: "our offices" },
  example: `const office = new tunnels.IpPolicy("office", { description: "our offices" });`,
});
