import { z } from "zod";
import { mark } from "./core/marks";
import { once } from "./core/once";

const said = <S extends z.ZodType>(schema: S, doc: string): S => schema.meta({ description: doc });
const text = (doc: string) => said(z.string(), doc);
const texts = (doc: string) => said(z.array(z.string()), doc);

const claims = () => z.record(z.string(), z.array(z.string()));

/** A row of `GET /exposure`: who can reach what is behind one address. Made when it is first asked for. */
export const exposureSchema = once(() => {
  const named = z.object({
    kind: text("The kind of the object, such as `tls_edge`."),
    name: text("What people call it: its description or, without one, what else tells it from others."),
    id: said(z.string().optional(), "Its id; left out where it does not exist yet."),
  });
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
    networks: networks.meta({
      description: "Which source addresses are admitted: what is allowed less what is denied.",
    }),
    client_certificate: z
      .object({
        authorities: said(
          z.array(
            z.object({
              id: said(
                z.string().optional(),
                "The id of the authority; left out where it does not exist yet.",
              ),
              subject: text("The subject of its certificate."),
              not_after: said(
                z.string().nullable(),
                "When its certificate ends; null where that is not known yet.",
              ),
            }),
          ),
          "The authorities whose certificates are accepted.",
        ),
      })
      .nullable()
      .meta({ description: "Which client certificates are asked for; null where none is." }),
    tls: z
      .object({
        from: said(z.string().nullable(), "The lowest version of TLS; null where the upstream decides."),
        ends_at: said(z.enum(["edge", "upstream"]), "Where TLS ends."),
      })
      .meta({ description: "The lowest version of TLS, and where it ends." }),
    sign_in: z
      .object({
        issuer: text("The issuer of the identities."),
        client_id: text("The client id at the issuer."),
        scopes: texts("The scopes that are asked for."),
        options_passthrough: said(z.boolean(), "Whether OPTIONS requests pass without signing in."),
        cookie_prefix: text("The prefix of the session's cookie; \"\" for the service's own."),
        inactivity_timeout: said(
          z.int(),
          "After how many seconds without a request a session ends; 0: never.",
        ),
        maximum_duration: said(z.int(), "After how many seconds a session ends in any case; 0: never."),
        claims: said(
          claims().optional(),
          "The claims that a user's ID token must have; left out where it needs none.",
        ),
      })
      .nullable()
      .meta({ description: "Who signs users in; null where nobody has to sign in." }),
    token: z
      .object({
        issuers: texts("The issuers that are accepted."),
        audiences: texts("The audiences that are accepted."),
        algorithms: texts("The algorithms of signatures that are accepted."),
        keys: texts("Where the keys are read that check signatures."),
        locations: texts("Where in a request the token is looked for."),
        claims: said(claims().optional(), "The claims that a token must have; left out where it needs none."),
      })
      .nullable()
      .meta({ description: "Which JSON Web Tokens are asked for; null where none is." }),
    user_agents: z
      .object({
        allow: texts("Patterns; one of them has to match, unless the list is empty."),
        deny: texts("Patterns; none of them may match."),
      })
      .nullable()
      .meta({ description: "Which user agents pass; null where all do." }),
    actions: z
      .array(
        z.object({
          direction: said(z.enum(["inbound", "outbound"]), "Whether it acts on requests or on responses."),
          type: text("The type of the action."),
          conditional: said(z.boolean(), "Whether expressions have to hold for it."),
          expressions: texts("The expressions; all of them have to hold."),
          settings: text("The settings of the action, in words."),
        }),
      )
      .meta({ description: "What policies do; conditional where expressions have to hold." }),
    goes_to: goesTo().meta({
      description: "The tree of backends: `parts` with `percent` and `to`, or what is tried `in_order`.",
    }),
    served_by: z
      .object({
        credentials: said(z.array(named), "The credentials that the caller may see, at most 100."),
        others: said(z.int(), "How many others there are."),
      })
      .meta({
        description:
          "Which credentials may answer for the address, at most 100, and how many others: of those that the caller may not see too.",
      }),
    notes: texts("What else a reader should know, in sentences."),
    unknown: texts(
      "The fields of this row that are not wholly known, because there is more than one answer looks at.",
    ),
  });
});

/** Where traffic goes; a weighted or a failover backend goes to others in its turn. */
export const goesTo = once(() => {
  const name = text("What people call the backend.");
  const one = <F extends Record<string, z.ZodType>>(kind: string, doc: string, fields: F) =>
    z.looseObject({ kind: said(z.literal(kind), doc), ...fields });
  // A reference, because documents name each shape once, and this one holds itself.
  const inner = z.unknown().meta({ $ref: `#/components/schemas/${GOES_TO}` });
  const part = z.object({ percent: said(z.number(), "Its part of the traffic."), to: inner });
  const target = z.discriminatedUnion("kind", [
    one("tunnel_group", "Tunnels with these labels.", {
      name,
      labels: said(z.record(z.string(), z.string()), "The labels."),
    }),
    one("static", "A fixed address.", {
      name,
      address: said(z.string().nullable(), "`host:port`; null where it is not known yet."),
      tls: said(z.boolean(), "Whether TLS is spoken there."),
    }),
    one("http_response", "A fixed response.", { name, status_code: said(z.int(), "Its status.") }),
    one("weighted", "Several backends, each with its part.", {
      name,
      parts: said(z.array(part), "The parts."),
    }),
    one("failover", "The first of several backends that is healthy.", {
      name,
      in_order: said(z.array(inner), "The backends."),
    }),
    one("tunnels", "Tunnels that bind the address themselves.", {}),
    ...NOWHERE.map(([kind, doc]) => one(kind, doc, { name })),
  ]);
  return mark(target, { name: GOES_TO });
});

const GOES_TO = "ExposureGoesTo";

/** Why no backend is named. */
const NOWHERE = [
  ["missing", "There is no such backend."],
  ["cycle", "It leads back to itself."],
  ["disabled", "The module is disabled."],
  ["unknown", "Not known yet, or not visible to the caller."],
  ["more", "The tree goes on; at most 200 backends on 20 levels are shown."],
] as const;
