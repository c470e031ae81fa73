import { isIP } from "node:net";
import { z } from "zod";
import { conditioned, MAX_ENTRIES, map, object, text, word } from "./core/fields";
import { keysOf } from "./core/narrow";
import { once } from "./core/once";
import { goesTo } from "./exposure";
import { mistakeInCidr } from "./formats/cidr";
import { MAX_ADDRESS_LENGTH } from "./formats/host";
import { MAX_VALUE_LENGTH, sentHeaders } from "./formats/http";
import {
  mistakeInAddress,
  mistakeInHost,
  mistakeInMethod,
  mistakeInTarget,
  UNRECORDED,
} from "./formats/request";

/** Most requests that are decided at once. */
export const MAX_DECISIONS = 100;
const MAX_PATH_LENGTH = 8192;
const MAX_URL_LENGTH = 2048;

const NOT_RECORDED = '`"unknown"`: not recorded.';

/** A part of a request that may be none (null), or not recorded. */
const part = <S extends z.ZodType>(schema: S, doc: string) =>
  schema
    .optional()
    .nullable()
    .meta({ description: `${doc} Default none; ${NOT_RECORDED}` });

/** A part of a token or session that may be left out: then it is as the address asks for it. */
const fitting = <S extends z.ZodType>(schema: S, doc: string) =>
  schema.optional().meta({ description: `${doc} Default: as the address asks for it.` });
const claims = () =>
  map(word(255), z.unknown()).optional().meta({
    description: "Its claims, by name: one that is left out is not in it. Default: not recorded.",
  });

function mistakeInSource(value: string): string | undefined {
  if (isIP(value) !== 0 && !value.includes("%")) return undefined;
  return value.includes("/") && mistakeInCidr(value) === undefined
    ? undefined
    : 'must be an IP address, such as "198.51.100.7", or a network in CIDR notation';
}

const token = () =>
  object({
    issuer: word(MAX_URL_LENGTH, "bytes").meta({ description: "Its issuer." }),
    audiences: fitting(z.array(word(MAX_URL_LENGTH, "bytes")).max(MAX_ENTRIES), "Its audiences."),
    algorithm: fitting(word(64), "The algorithm of its signature (RFC 7518): `RS256`."),
    keys: fitting(
      word(MAX_URL_LENGTH, "bytes"),
      "The URL of the key set that holds the key of its signature.",
    ),
    at: fitting(
      object({
        method: word(16).meta({ description: "`header` or `body`." }),
        name: word(255).meta({ description: "The name of the header or of the body's field." }),
        prefix: text(255, "characters").meta({ description: "Stands before the token: `Bearer `." }),
      }),
      "Its place in the request.",
    ),
    claims: claims(),
  });

const session = () =>
  object({
    issuer: fitting(word(MAX_URL_LENGTH, "bytes"), "The issuer that the caller signed in with."),
    client_id: fitting(word(MAX_URL_LENGTH, "bytes"), "The client id at the issuer."),
    claims: claims(),
  });

/** A request that `POST /exposure/decisions` decides. Made when it is first asked for. */
export const decisionRequestSchema = once(() =>
  object(
    {
      address: conditioned(word(MAX_ADDRESS_LENGTH, "bytes"), mistakeInAddress).meta({
        description: "The name in TLS, and the port: `app.example.com:443`.",
        examples: ["app.example.com:443"],
      }),
      tls: z
        .enum(["1.2", "1.3", UNRECORDED])
        .optional()
        .nullable()
        .meta({
          description: `The version of TLS; null for a connection without it. Default \`1.3\`; ${NOT_RECORDED}`,
        }),
      host: conditioned(word(MAX_ADDRESS_LENGTH, "bytes"), mistakeInHost)
        .optional()
        .meta({ description: "The Host header. Default: the name of the address." }),
      method: conditioned(word(64, "bytes"), mistakeInMethod)
        .default("GET")
        .meta({ description: "Default `GET`." }),
      path: conditioned(word(MAX_PATH_LENGTH, "bytes"), mistakeInTarget)
        .default("/")
        .meta({ description: "As it is sent; a query is ignored. Default `/`." }),
      headers: z
        .union([sentHeaders(), z.literal(UNRECORDED)])
        .optional()
        .meta({ description: `By name, in any case. Default: none; ${NOT_RECORDED}` }),
      user_agent: text(MAX_VALUE_LENGTH)
        .optional()
        .nullable()
        .meta({ description: "The user agent; null for none. Default: the one in `headers`." }),
      from: conditioned(word(64), mistakeInSource).meta({
        description: "The address that it comes from, or the network (CIDR) in which that is.",
        examples: ["198.51.100.7"],
      }),
      client_certificate: part(
        z.union([
          object({
            authority: word(64).meta({
              description: "The id of the authority that signed it, or `other` for one that is not stored.",
            }),
          }),
          z.literal(UNRECORDED),
        ]),
        "The caller's certificate.",
      ),
      token: part(
        z.union([token(), z.enum(["invalid", UNRECORDED])]),
        "A JSON Web Token that is in its time and not forged; `invalid` for one that nobody accepts.",
      ),
      session: part(
        z.union([session(), z.literal(UNRECORDED)]),
        "The provider at which the caller signed in.",
      ),
      webhook: part(
        z.enum(["valid", "invalid", UNRECORDED]),
        "Whether the request is signed by the service that the route names.",
      ),
    },
    { name: "DecisionRequest" },
  ),
);

const OUTCOMES = {
  answered: "by a backend, or by a policy with a status below 400",
  unserved: "let in, but nothing is behind it",
  refused: "with a status from 400",
  closed: "the connection ends before HTTP",
  sign_in: "the caller is sent to sign in",
  not_found: "no route takes the path",
  unknown: "the decision depends on something unknown",
} as const;

const by = () => ({
  kind: z.string().meta({ description: "The kind of the object, such as `https_edge_route`." }),
  id: z.string().nullable().meta({ description: "Its id." }),
  name: z.string().meta({ description: "Its name for people." }),
  field: z.string().meta({ description: "The module or field: `jwt_validation`." }),
});

/** What happens to a request. Made when it is first asked for. */
export const decisionSchema = once(() =>
  z.object({
    outcome: z.enum(keysOf(OUTCOMES)).meta({
      description: Object.entries(OUTCOMES)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}.`)
        .join(" "),
    }),
    status: z.int().nullable().meta({
      description: "Null if the backend chooses it, or if there is no HTTP answer.",
    }),
    goes_to: goesTo()
      .nullable()
      .meta({ description: "The tree of backends; null if the request is not let in." }),
    address: z.string().nullable().meta({
      description: "The hostport that takes it, with the route: `app.example.com:443/admin`; null for none.",
    }),
    by: z.object(by()).nullable().meta({
      description: "The object that decided; null if no declared object did.",
    }),
    steps: z
      .array(z.object({ ...by(), sentence: z.string().meta({ description: "Its result." }) }))
      .meta({ description: "The checks, in their order; the last one decided." }),
    limited: z.boolean().meta({ description: "Whether a rate limit may refuse it, too." }),
    sentence: z.string().meta({ description: "The decision in one sentence." }),
  }),
);
