import { ERRORS } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import type { DescribedOperation } from "./operation";

/** RFC 8693 and RFC 6749 name things by these. */
export const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
export const SUBJECT_TOKEN_TYPES = [
  "urn:ietf:params:oauth:token-type:jwt",
  "urn:ietf:params:oauth:token-type:id_token",
] as const;
/** In characters. Tokens of issuers of workloads have one to four thousand. */
export const MAX_TOKEN_LENGTH = 16 * 1024;

/** Exchanges an identity token for an API key. It needs no key, so it is served apart from the others. */
export const tokenOperation: DescribedOperation = {
  method: "POST",
  path: "/token",
  id: "exchangeToken",
  summary: "Exchange an identity token for an API key that soon ends (RFC 8693)",
  about: `Needs neither an API key nor Service-Version. The token's issuer, audience and claims must be those of a workload identity; of several that match, \`audience\` chooses one, by its id or its project. A token may be exchanged again until it ends. The audit log says what did not match, the answer does not (${ERRORS.refused_token.code}). The key is that of the identity's bot; it stands in no list, and ends early if the identity is changed or deleted, or the bot deactivated.`,
  tag: { name: "Token", description: "API keys for jobs that have an identity token of their own." },
  query: [],
  isForm: true,
  isOpen: true,
  body: {
    name: "TokenExchange",
    io: "input",
    schema: z.object({
      grant_type: z.literal(GRANT_TYPE),
      subject_token: z
        .string()
        .min(1)
        .max(MAX_TOKEN_LENGTH)
        .meta({ description: "The identity token, a JSON Web Token.", examples: ["eyJhbGciOiJSUzI1NiIs…"] }),
      subject_token_type: z.enum(SUBJECT_TOKEN_TYPES).meta({ description: "Both are read the same way." }),
      audience: z
        .string()
        .optional()
        .meta({
          description:
            "The workload identity to choose where several match (`wid_…`), or a project: its id (`proj_…`) or its name.",
          examples: ["wid_2ExampleOnlyAAAAAAAAAAAAAAA"],
        }),
      requested_token_type: z.literal(ACCESS_TOKEN).optional(),
      scope: z
        .string()
        .optional()
        .meta({
          description:
            "Scopes for the key, with spaces between: at most those of the identity. Default: these.",
          examples: ["read"],
        }),
    }),
  },
  success: {
    status: 200,
    answer: {
      name: "ExchangedToken",
      io: "output",
      schema: z.object({
        access_token: z
          .string()
          .meta({ description: "The API key.", examples: ["tpk_2ExampleOnlyAAAAAAAAAAAAAAA"] }),
        issued_token_type: z.literal(ACCESS_TOKEN),
        token_type: z.literal("Bearer"),
        expires_in: z.int().meta({ description: "When it ends, in seconds from now.", examples: [900] }),
        scope: z
          .string()
          .optional()
          .meta({
            description: "The key's scopes, with spaces between; left out where it has all.",
            examples: ["read"],
          }),
      }),
    },
  },
};
