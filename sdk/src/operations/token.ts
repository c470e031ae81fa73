import { z } from "zod";
import type { Shape } from "./shape";

/** RFC 8693 and RFC 6749 name things by these. */
export const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
export const SUBJECT_TOKEN_TYPES = [
  "urn:ietf:params:oauth:token-type:jwt",
  "urn:ietf:params:oauth:token-type:id_token",
] as const;
/** In characters. Tokens of issuers of workloads have one to four thousand. */
export const MAX_TOKEN_LENGTH = 16 * 1024;

export const tokenExchangeShape = {
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
} satisfies Shape;

export const exchangedTokenShape = {
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
} satisfies Shape;
