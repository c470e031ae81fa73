import { z } from "zod";
import { once } from "./core/once";

const texts = (doc: string) => z.array(z.string()).meta({ description: doc });

/** A row of `GET /exposure`: who can reach what is behind one address. Made when it is first asked for. */
export const exposureSchema = once(() => {
  const named = z.object({ kind: z.string(), name: z.string(), id: z.string().optional() });
  const networks = z.union([
    z.enum(["everyone", "nobody"]),
    z.object({
      v4: texts("IPv4 networks, at most 100."),
      v6: texts("IPv6 networks, at most 100."),
      more: z.int().optional().meta({ description: "How many further networks there are." }),
    }),
  ]);
  return z.object({
    address: z.string().meta({
      description:
        "A hostport of a TLS edge, or one and a route: `app.example.com:443/admin` for a prefix, `app.example.com:443 = /admin` for an exact route.",
    }),
    edge: named.nullable().meta({ description: "The edge that serves it." }),
    route: named.nullable().meta({ description: "The route, of an HTTPS edge." }),
    networks: networks.meta({ description: "Which source addresses are admitted: what is allowed less what is denied." }),
    client_certificate: z
      .object({ authorities: z.array(z.object({ id: z.string().optional(), subject: z.string(), not_after: z.string().nullable() })) })
      .nullable()
      .meta({ description: "Which client certificates are asked for; null where none is." }),
    tls: z
      .object({ from: z.string().nullable(), ends_at: z.enum(["edge", "upstream"]) })
      .meta({ description: "The lowest version of TLS, and where it ends." }),
    sign_in: z
      .object({ issuer: z.string(), client_id: z.string(), scopes: z.array(z.string()), options_passthrough: z.boolean() })
      .nullable()
      .meta({ description: "Who signs users in; null where nobody has to sign in." }),
    token: z
      .object({
        issuers: z.array(z.string()),
        audiences: z.array(z.string()),
        algorithms: z.array(z.string()),
        keys: z.array(z.string()),
        locations: z.array(z.string()),
      })
      .nullable()
      .meta({ description: "Which JSON Web Tokens are asked for; null where none is." }),
    user_agents: z
      .object({ allow: z.array(z.string()), deny: z.array(z.string()) })
      .nullable()
      .meta({ description: "Which user agents pass; null where all do." }),
    actions: z
      .array(
        z.object({
          direction: z.enum(["inbound", "outbound"]),
          type: z.string(),
          conditional: z.boolean(),
          expressions: z.array(z.string()),
          settings: z.string(),
        }),
      )
      .meta({ description: "What policies do; conditional where expressions have to hold." }),
    goes_to: z
      .looseObject({
        kind: z.enum([
          "tunnel_group",
          "static",
          "http_response",
          "weighted",
          "failover",
          "tunnels",
          "missing",
          "cycle",
          "disabled",
          "unknown",
          "more",
        ]),
      })
      .meta({ description: "The tree of backends: `parts` with `percent` and `to`, or what is tried `in_order`." }),
    served_by: z.object({ credentials: z.array(named), others: z.int() }).meta({
      description:
        "Which credentials may answer for the address, at most 100, and how many others: of those that the caller may not see too.",
    }),
    notes: texts("What else a reader should know, in sentences."),
    unknown: texts("The fields of this row that are not wholly known, because there is more than one answer looks at."),
  });
});
