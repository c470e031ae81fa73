import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, distinct, metadata, reference, word } from "../core/fields";
import { CLAIM_PATHS } from "../formats/claim";
import { claimPatterns } from "../formats/claimPatterns";
import { issuerUrl } from "../formats/url";
import { EXCHANGED_KEY_S, scopes } from "../rights/scopes";

const MAX_AUDIENCES = 16;
const MAX_AUDIENCE_LENGTH = 2048;

/** Workload identities; people.md "Pipelines without keys". */
export const workloadIdentity = defineResource({
  type: "WorkloadIdentity",
  kind: "workload_identity",
  title: "workload identity",
  doc: "Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it.",
  path: "/workload_identities",
  listKey: "workload_identities",
  idPrefix: "wid",
  access: "admin",
  fields: {
    description: description("Whose jobs these are. At most 255 bytes."),
    metadata: metadata(),
    issuer: issuerUrl().meta({
      description:
        "Who signs the tokens: the claim `iss`, exactly as tokens have it. The server reads its keys from the address that its discovery document names (OpenID Connect Discovery or RFC 8414). Plain http, and addresses that are not on the internet, need a server with `--allow-private-targets`.",
      examples: ["https://token.actions.githubusercontent.com"],
    }),
    audiences: distinct(z.array(word(MAX_AUDIENCE_LENGTH)).max(MAX_AUDIENCES)).meta({
      description:
        "The audiences that tokens are made for: the claim `aud` must name one of them, with or without a `/` at the end. Empty: the server's `--public-url`, which is what providers and the command line ask GitHub for.",
      examples: [["https://tunnels.example.com"]],
    }),
    claims: claimPatterns().meta({
      description: `Claims that a token must have, each with a text that it must match as a whole, in its case; \`*\` stands for any text. Of a list, one element must match; numbers, true and false match as JSON prints them. ${CLAIM_PATHS} At least one must say who has the token (not \`iss\`, \`aud\`, \`exp\`, \`nbf\`, \`iat\`, \`jti\` or \`typ\`, nor by \`true\` or \`false\`), and be a whole text, or begin with a whole name before its first \`*\`, after a scheme or label: \`repo:acme/*\`. At most 16 claims.`,
      examples: [{ sub: "repo:acme/infra:ref:refs/heads/main" }],
    }),
    bot_user_id: reference("bot_user").meta({
      description: "The bot that jobs work as. Its role decides what they may do.",
    }),
    scopes: scopes().meta({
      description:
        "What the keys may do of what the bot's role allows, as with `scopes` of API keys: `read`, `plan`, `write`, `KIND:read`, `KIND:write`. Empty: all. Default: the scopes of the API key that creates the identity, which creates and changes none with more.",
      examples: [["plan"]],
    }),
    ttl: z
      .int()
      .min(EXCHANGED_KEY_S.least)
      .max(EXCHANGED_KEY_S.most)
      .default(EXCHANGED_KEY_S.usual)
      .meta({
        description: `How long an API key lasts that a token is exchanged for, in seconds: ${EXCHANGED_KEY_S.least} to ${EXCHANGED_KEY_S.most}. Default ${EXCHANGED_KEY_S.usual}. A longer run exchanges again.`,
      }),
  },
  sample: {
    description: "deploys of acme/infra",
    issuer: "https://token.actions.githubusercontent.com",
    audiences: ["https://tunnels.example.com"],
    claims: { sub: "repo:acme/infra:ref:refs/heads/main" },
    bot_user_id: "bot_user/ci",
    scopes: ["read", "tls_edge:write"],
    ttl: 900,
  },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const deploys = new tunnels.WorkloadIdentity("deploys", {
  issuer: "https://token.actions.githubusercontent.com",
  audiences: ["https://tunnels.example.com"],
  claims: { sub: "repo:acme/infra:ref:refs/heads/main" },
  botUserId: ci.id,
});`,
});
