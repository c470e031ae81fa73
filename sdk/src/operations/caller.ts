import { z } from "zod";
import { DEFAULT_PROJECT, ROLES } from "../contract";
import type { Shape } from "./shape";

export const callerShape = {
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
} satisfies Shape;
