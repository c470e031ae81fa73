import { z } from "zod";
import { object } from "../contract";
import type { Shape } from "./shape";

const user = z.object({
  id: z.string().meta({ description: "The user." }),
  name: z.string().meta({ description: "Its name." }),
  email: z.string().nullable().meta({ description: "Its email address." }),
});

export const deviceLoginShape = {
  name: "DeviceLogin",
  io: "output",
  schema: z.object({
    device_code: z.string().meta({ description: "For `POST /login/key`; a secret." }),
    user_code: z
      .string()
      .meta({ description: "For somebody to enter at `verification_uri`.", examples: ["BCDF-GHJK"] }),
    verification_uri: z.url().meta({ description: "The page on which people enter it." }),
    expires_in: z.int().meta({ description: "When both end, in seconds from now.", examples: [600] }),
  }),
} satisfies Shape;

export const loginKeyRequestShape = {
  name: "LoginKeyRequest",
  io: "input",
  schema: object({
    code: z
      .string()
      .max(200)
      .meta({ description: "The `device_code`, or the code that a browser brought to the command line." }),
    code_verifier: z
      .string()
      .max(200)
      .optional()
      .meta({ description: "For the code of a browser: the PKCE verifier of its challenge." }),
  }),
} satisfies Shape;

export const loginKeyShape = {
  name: "LoginKey",
  io: "output",
  schema: z.object({
    key: z.string().nullable().meta({ description: "The API key." }),
    expires_at: z.iso.datetime().nullable().meta({ description: "When it ends (RFC 3339)." }),
    user: user.nullable().meta({ description: "Whose key it is." }),
    claims: z
      .looseObject({})
      .nullable()
      .meta({ description: "What the identity provider said of the user at the sign-in." }),
  }),
} satisfies Shape;

export const currentSessionShape = {
  name: "CurrentSession",
  io: "output",
  schema: z.object({
    user: user.nullable().meta({ description: "Who is signed in; null for nobody." }),
    csrf_token: z
      .string()
      .nullable()
      .meta({ description: "For the header X-CSRF-Token; null where nobody is signed in." }),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the session ends (RFC 3339); null where nobody is signed in." }),
    sign_in: z.boolean().meta({
      description: "Whether people can sign in here: whether this server has an identity provider.",
    }),
  }),
} satisfies Shape;
