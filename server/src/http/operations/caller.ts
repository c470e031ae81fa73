import { DEFAULT_PROJECT, ROLES } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { partAnswer } from "../../resources";
import type { ApiOperation } from "./operation";

/** Answers who the caller is, for programs that hold a key and need its owner. */
export const callerOperation: ApiOperation = {
  method: "GET",
  path: "/caller",
  id: "getCaller",
  summary: "Get the owner of the API key or session, its role and the server",
  tag: { name: "Caller", description: "The user or bot that makes the request." },
  query: [],
  subject: "caller",
  success: {
    status: 200,
    answer: {
      name: "Caller",
      io: "output",
      schema: z.object({
        owner_id: z.string().meta({ description: "The user or bot that owns the API key." }),
        name: z.string().meta({ description: "Name of the owner." }),
        role: z
          .enum(ROLES)
          .nullable()
          .meta({ description: "Role of the owner; null for a user who has none yet." }),
        key_id: z.string().meta({ description: "The API key, or the session." }),
        server_id: z.string().meta({
          description:
            "The account of this server's database, as events name it in `account_id`: the same at every address, for all servers of one database, and after a restore.",
        }),
        account_role: z.enum(ROLES).nullable().meta({
          description: "The role for the whole account; null for one that holds for projects alone.",
        }),
        projects: z
          .array(
            z.object({
              id: z.string().meta({ description: "The project.", examples: [DEFAULT_PROJECT.id] }),
              name: z.string().meta({ description: "Its name.", examples: [DEFAULT_PROJECT.name] }),
              role: z.enum(ROLES).meta({ description: "The role in it." }),
            }),
          )
          .meta({ description: "The projects in which the caller has a role." }),
        scopes: z.array(z.string()).meta({
          description: "What the API key may do of what the role allows; empty: all.",
          examples: [[]],
        }),
        expires_at: z.iso
          .datetime({ offset: true })
          .nullable()
          .meta({ description: "When the key expires (RFC 3339); null if it does not." }),
      }),
    },
  },
  run: async ({ caller, context: { journal } }) =>
    partAnswer({
      owner_id: caller.ownerId,
      name: caller.name,
      role: caller.role,
      key_id: caller.keyId,
      server_id: journal.accountId,
      account_role: caller.accountRole,
      projects: caller.projects,
      scopes: caller.scopes,
      expires_at: caller.expiresAt,
    }),
};
