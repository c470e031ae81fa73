// Checked by `npm run check`: each line that must not compile says so, and fails the check when it does.
import { definitionOf, type SentOf } from "@tunnelplane/sdk/contract";
import { defineResource } from "../../sdk/src/contract/core/definition";
import { reference, references } from "../../sdk/src/contract/core/fields";

// A reference to a kind that does not exist does not compile.
reference("ip_policy");
references("certificate_authority", "certificate_authorities");
// @ts-expect-error there is no such kind
reference("ip_polcy");
// @ts-expect-error there is no such kind
references("certificate_authorty", "certificate_authorities");
// @ts-expect-error there is no such kind
definitionOf("tls_egde").fields.hostports;

// A definition keeps the types of its fields, so that a renamed field is found wherever it is used.
definitionOf("tls_edge").fields.hostports;
// @ts-expect-error it is called hostports
definitionOf("tls_edge").fields.hostport;

export const rule: SentOf<"ip_policy_rule"> = {
  description: "",
  metadata: "",
  cidr: "192.0.2.0/24",
  ip_policy_id: "ipp_1",
  action: "deny",
};
// @ts-expect-error an action is allow or deny
export const wrongAction: SentOf<"ip_policy_rule">["action"] = "refuse";
export const termination: SentOf<"tls_edge">["tls_termination"] = { enabled: true, terminate_at: "upstream" };
export const wrongTermination: SentOf<"tls_edge">["tls_termination"] = {
  enabled: true,
  // @ts-expect-error TLS ends at the edge or upstream
  terminate_at: "nowhere",
};

// Functions of a definition see its own fields.
defineResource({
  type: "IpPolicy",
  kind: "ip_policy",
  title: "IP policy",
  doc: "",
  path: "/ip_policies",
  listKey: "ip_policies",
  idPrefix: "ipp",
  fields: { description: definitionOf("ip_policy").fields.description },
  unique: (sent) => [
    { scope: "description", key: sent.description, path: ["description"], taken: "" },
    // @ts-expect-error there is no such field
    { scope: "name", key: sent.name, path: ["name"], taken: "" },
  ],
  sample: {},
  example: "",
});
