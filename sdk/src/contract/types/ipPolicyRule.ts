import { z } from "zod";
import { defineResource } from "../core/definition";
import { endAnswer, endField, notExpired } from "../core/ends";
import { description, metadata, reference } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { cidr, cidrKey } from "../formats/cidr";

/** An end closes and never opens, so only allowing rules may have one. */
const onlyAllowingEnds: Rule<{ readonly action?: string; readonly expires_at?: string | null }> = function* ({
  action,
  expires_at,
}) {
  if (action === "deny" && expires_at != null)
    yield {
      path: ["expires_at"],
      message:
        'must be left out or null, because the rule has the `action` "deny": its end would let somebody in. Let the rules end that allow something',
    };
};

/** One rule of an IP policy; fields after api-decisions "Backends, IP policies". */
export const ipPolicyRule = defineResource({
  type: "IpPolicyRule",
  kind: "ip_policy_rule",
  title: "IP policy rule",
  doc: "Allows or denies one network within an IP policy.",
  path: "/ip_policy_rules",
  listKey: "ip_policy_rules",
  idPrefix: "ipr",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    cidr: cidr().meta({
      description: "The network, with its mask and without host bits. Each network is unique in its policy.",
    }),
    ip_policy_id: mark(reference("ip_policy", { answeredAs: "ip_policy", cascade: true }), {
      immutable: true,
    }).meta({
      description: "The policy that the rule belongs to. Set at creation only.",
    }),
    action: mark(z.enum(["allow", "deny"]), { immutable: true }).meta({
      description: "Whether the network may connect. Set at creation only.",
    }),
    ...endField(
      "the rule allows nothing",
      "Only rules that allow take one: what ends closes, and never opens. ",
    ),
  },
  computed: endAnswer(),
  derive: notExpired,
  rules: [onlyAllowingEnds],
  findBy: ["ip_policy_id", "cidr"],
  unique: (sent) => [
    {
      scope: `cidr of ${sent.ip_policy_id}`,
      key: cidrKey(sent.cidr),
      path: ["cidr"],
      taken: "has a rule in this policy already; change that rule instead",
    },
  ],
  sample: { ip_policy_id: "ip_policy/office", cidr: "192.0.2.0/24", action: "allow" },
  example: `const office = new tunnels.IpPolicy("office");
const berlin = new tunnels.IpPolicyRule("berlin", {
  ipPolicyId: office.id,
  cidr: "192.0.2.0/24",
  action: "allow",
});`,
});
