import { ROLES } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { partAnswer } from "../../resources";
import type { Operation } from "./operation";

/** Who makes a request: for programs that got a key and want to know whose it is. */
export const callerOperation: Operation = {
  method: "GET",
  path: "/caller",
  id: "getCaller",
  summary: "Tell whose API key the request has, and what it may do",
  tag: { name: "Caller", description: "Whoever makes a request." },
  query: [],
  success: {
    status: 200,
    answer: {
      name: "Caller",
      io: "output",
      schema: z.object({
        owner_id: z.string().meta({ description: "The user or bot that owns the API key." }),
        name: z.string().meta({ description: "What it is called." }),
        role: z.enum(ROLES).meta({ description: "What it may do." }),
        key_id: z.string().meta({ description: "The API key." }),
        expires_at: z.iso
          .datetime({ offset: true })
          .nullable()
          .meta({ description: "Until when the key is accepted (RFC 3339); null until it is deleted." }),
      }),
    },
  },
  run: async ({ caller: { ownerId, name, role, keyId, expiresAt } }) =>
    partAnswer({ owner_id: ownerId, name, role, key_id: keyId, expires_at: expiresAt }),
};
