import { z } from "zod";
import { exposurePage, hostportOf } from "../../exposure";
import { RequestError } from "../../util";
import { limitOf, type Query } from "../query";
import type { Operation, Shape } from "./operation";

const texts = (doc: string) => z.array(z.string()).meta({ description: doc });
const named = z.object({ kind: z.string(), name: z.string(), id: z.string().optional() });

const networks = z.union([
  z.enum(["everyone", "nobody"]),
  z.object({
    v4: texts("IPv4 networks, at most 100."),
    v6: texts("IPv6 networks, at most 100."),
    more: z.int().optional().meta({ description: "How many further networks there are." }),
  }),
]);

const exposureShape: Shape = {
  name: "Exposure",
  io: "output",
  schema: z.object({
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
  }),
};

const finding = z.object({
  hash: z.string().meta({ description: "Identifies the content of the finding: the same on another day and with other ids." }),
  rule: z.string().meta({ description: "The rule, for example `network-opened`." }),
  severity: z.enum(["high", "medium", "low"]),
  address: z.string().optional().meta({ description: "The affected address." }),
  kind: z.string(),
  name: z.string(),
  id: z.string().optional(),
  sentence: z.string().meta({ description: "The effect of the change, in one sentence." }),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  cause: z
    .object({ urn: z.string().optional(), id: z.string().optional(), kind: z.string(), name: z.string(), property: z.string().optional() })
    .meta({ description: "The object, and its field, that the finding comes from." }),
  offStack: z.boolean().meta({ description: "Whether the cause belongs to another program's stack; false here." }),
  certain: z.boolean().meta({ description: "Whether everything that it depends on was examined." }),
});

/** The additional fields in the answer to a dry run with findings. */
export const dryRunShape: Shape = {
  name: "DryRunWithFindings",
  io: "output",
  schema: z.looseObject({
    findings: z.array(finding).meta({ description: "The effects of the change on callers, the most severe first; at most 500." }),
    finding_limits: z.array(z.string()).optional().meta({ description: "Sentences about parts that were too large to examine." }),
  }),
};

/** Who can reach what. */
export const exposureOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/exposure",
    id: "listExposure",
    summary: "List who can reach what: a row for each address, in the order of addresses",
    tag: { name: "Exposure", description: "Who can reach each address, what is checked, and where it leads." },
    query: ["limit", "address", "after_address"],
    success: { status: 200, answer: exposureShape, list: { key: "exposure" } },
    run: ({ context, caller }, { query }) =>
      exposurePage(context, caller, {
        limit: limitOf(query),
        address: addressIn(query, "address"),
        after: addressIn(query, "after_address"),
      }),
  },
];

/** Hostports that edges can serve; keeps out characters that databases refuse. */
const HOSTPORT = /^[a-z0-9.*-]{1,255}:\d{1,5}$/;

function addressIn(query: Query, name: "address" | "after_address"): string | undefined {
  const text = query[name];
  if (text === undefined || HOSTPORT.test(hostportOf(text))) return text;
  throw new RequestError(
    "invalid_query",
    `${name} must be "<host>:<port>", or that and a path: "app.example.com:443/admin" or "app.example.com:443 = /admin"`,
    {
      field: name,
    },
  );
}
