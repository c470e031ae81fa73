export type Severity = "high" | "medium" | "low";

/** Each rule, with its usual severity and a description. */
const TABLE = {
  "client-certificate-dropped": ["high", "An address no longer asks for a client certificate."],
  "sign-in-dropped": ["high", "Users no longer have to sign in."],
  "token-dropped": ["high", "No token is asked for any more."],
  "authority-added": ["medium", "Client certificates of another authority are accepted, or asked for."],
  "authority-removed": ["medium", "Holders of an authority's client certificates are refused from now on."],
  "sign-in-changed": ["medium", "Users have to sign in, or the way in which they do has changed."],
  "token-changed": ["medium", "Tokens are checked for the first time, or in another way than before."],
  "claims-loosened": ["high", "Tokens or users are admitted whose claims were refused."],
  "network-opened": ["high", "Every address of a family may connect now."],
  "network-widened": ["medium", "More networks may connect."],
  "network-narrowed": ["medium", "Fewer networks may connect."],
  "traffic-stopped": [
    "high",
    "An address has nothing left to answer it, or a backend of its failover gets nothing any more.",
  ],
  "traffic-moved": ["medium", "Traffic goes elsewhere, or in other proportions."],
  "termination-moved": [
    "high",
    "TLS ends upstream now, where the edge cannot protect the traffic as before; or at the edge, which reads it.",
  ],
  "tls-lowered": ["medium", "An older version of TLS is accepted."],
  "tls-raised": ["medium", "Clients of an older version of TLS are refused."],
  "deny-dropped": ["high", "Requests that a deny action refused are no longer refused."],
  "actions-changed": ["medium", "Policies do something else with requests than before."],
  "webhook-changed": [
    "medium",
    "Requests need the signature of another service, of one for the first time, or of none.",
  ],
  "user-agents-changed": ["medium", "Other user agents may pass."],
  "opened-unprotected": ["high", "A new address asks for no client certificate, network, sign-in or token."],
  "address-added": ["low", "There is a new address, and it is protected."],
  "address-removed": ["high", "An address is no longer served."],
  opened: ["high", "Requests that were refused are let in, and no field alone says so."],
  "callers-refused": ["medium", "Requests that were answered are refused, and no field alone says so."],
  "credential-widened": [
    "high",
    "A credential may bind something that it could not bind before, or a new one may bind everything.",
  ],
  "credential-narrowed": ["medium", "A credential may no longer bind something that it could bind before."],
  "credential-revoked": ["medium", "A credential is revoked: agents that use it are refused."],
  "credential-reissued": ["medium", "A credential is made anew: agents need the new one."],
  "ssh-certificate-any-user": [
    "high",
    "An SSH user certificate names no user: its holder may log in as anybody.",
  ],
  "ssh-certificate-reissued": ["medium", "An SSH certificate is made anew: its holder needs the new one."],
  "admin-key-created": ["high", "A new API key belongs to an admin."],
  "principal-added": ["medium", "An SSH certificate is for a user or a host that it was not for."],
  "validity-extended": [
    "medium",
    "An SSH certificate, a credential or an IP policy rule ends later than before, or never.",
  ],
  "role-raised": ["high", "A bot or a member becomes an admin, or a new one is."],
  "owner-changed": ["medium", "A credential or a key belongs to somebody else."],
  "key-replaced": ["medium", "A key or a secret is another one."],
  "destination-changed": ["high", "Events for a destination go elsewhere."],
  "events-stopped": ["medium", "Events of a type no longer go to a destination."],
  "guarantee-weakened": ["high", "A guarantee is deleted, or allows what it did not allow before."],
  "domain-released": ["medium", "A domain is no longer reserved, and edges still serve it."],
  "already-taken": [
    "high",
    "A value that one object alone may have, such as a hostport, is another object's.",
  ],
  "module-disabled": ["medium", "A module is declared but disabled: it does nothing."],
  "guarantee-broken": ["high", "A guarantee that held does not hold any more, or a new one does not."],
  "expires-soon": ["low", "An authority, a certificate or a key ends within 90 days."],
  "certificate-ends-soon": ["low", "A TLS certificate ends within 30 days, or has ended."],
  "access-ends": ["low", "An IP policy rule or a credential ends within 7 days, or has ended."],
  "key-without-end": ["low", "A change makes an API key that never ends."],
  "long-lived-cloud-keys": ["low", "An event destination signs in with cloud keys instead of a role."],
  "waits-for": [
    "medium",
    "An object serves nothing as long as the one that it replaces is there, which still serves.",
  ],
  "restriction-not-enforced": ["low", "An IP restriction is not enforced, so it keeps nobody out."],
  unused: ["low", "Nothing refers to a policy, a backend or an authority."],
} as const satisfies Readonly<Record<string, readonly [Severity, string]>>;

export type RuleName = keyof typeof TABLE;

export const severityOf = (rule: RuleName): Severity => TABLE[rule][0];

/** Every rule, with its severity and a description. */
export const RULES: readonly {
  readonly rule: string;
  readonly severity: Severity;
  readonly description: string;
}[] = Object.entries(TABLE).map(([rule, [severity, description]]) => ({ rule, severity, description }));
