import { z } from "zod";
import { object } from "../contract";
import type { Shape } from "./shape";

export const userShape = {
  name: "User",
  io: "output",
  schema: z.object({
    id: z.string().meta({ description: "Identifier." }),
    uri: z.url().meta({ description: "Address." }),
    name: z.string().meta({ description: "Its name, as of the last sign-in." }),
    email: z.string().nullable().meta({ description: "Its email address, as of the last sign-in." }),
    issuer: z
      .string()
      .nullable()
      .meta({ description: "The identity provider that knows it; null for the first admin." }),
    subject: z.string().nullable().meta({ description: "Its identifier there, which stays the same." }),
    active: z.boolean().meta({ description: "Whether it is let in; its keys and sessions too." }),
    groups: z.array(z.string()).meta({ description: "Its groups, as of the last sign-in." }),
    created_at: z.iso.datetime().meta({ description: "When it was made (RFC 3339)." }),
    last_sign_in_at: z.iso.datetime().nullable().meta({ description: "When it last signed in." }),
  }),
} satisfies Shape;

export const userUpdateShape = {
  name: "UserUpdate",
  io: "input",
  schema: object({
    active: z.boolean().meta({
      description:
        "`false` refuses the user everywhere at once, with all of its keys, and ends its sessions; `true` lets it in again.",
    }),
  }),
} satisfies Shape;

export const sessionShape = {
  name: "Session",
  io: "output",
  schema: z.object({
    id: z.string().meta({ description: "Identifier." }),
    uri: z.url().meta({ description: "Address." }),
    user_id: z.string().meta({ description: "Whose it is." }),
    user_name: z.string().meta({ description: "The user's name." }),
    kind: z
      .enum(["console", "command_line"])
      .meta({ description: "`console` for a browser, `command_line` for a key of `tunnelplane login`." }),
    created_at: z.iso.datetime().meta({ description: "When it was begun (RFC 3339)." }),
    expires_at: z.iso.datetime().meta({ description: "When it ends by itself." }),
    client: z.string().meta({ description: "The address from which it was begun." }),
  }),
} satisfies Shape;
