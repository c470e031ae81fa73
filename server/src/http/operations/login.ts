import { object } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import type { DescribedOperation, Shape } from "./operation";

const TAG = {
  name: "Login",
  description: "Keys for the command line of people who sign in; `tunnelplane login` asks for them.",
};

/** Has a command line wait until somebody lets it in. */
export const deviceOperation: DescribedOperation = {
  method: "POST",
  path: "/login/device",
  id: "createDeviceLogin",
  summary: "Begin a login for which somebody enters a code on a page",
  about:
    "Needs neither an API key nor Service-Version. Show `user_code` and `verification_uri`, and ask for the key with `device_code` every few seconds.",
  tag: TAG,
  query: [],
  isOpen: true,
  isOfSignIn: true,
  success: {
    status: 200,
    answer: {
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
    },
  },
};

export const loginKeyShape: Shape = {
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
};

/** Answers the key of a command line that somebody let in. */
export const loginKeyOperation: DescribedOperation = {
  method: "POST",
  path: "/login/key",
  id: "createLoginKey",
  summary: "Get the key of a command line that somebody let in",
  about:
    "Needs neither an API key nor Service-Version. The key lasts 12 hours, or until its session ends: `POST /sign_out` ends it. All fields are null until somebody has let the command line in. A code gives one key.",
  tag: TAG,
  query: [],
  isOpen: true,
  isOfSignIn: true,
  body: loginKeyShape,
  success: {
    status: 200,
    answer: {
      name: "LoginKey",
      io: "output",
      schema: z.object({
        key: z.string().nullable().meta({ description: "The API key." }),
        expires_at: z.iso.datetime().nullable().meta({ description: "When it ends (RFC 3339)." }),
        user: z
          .object({
            id: z.string().meta({ description: "The user." }),
            name: z.string().meta({ description: "Its name." }),
            email: z.string().nullable().meta({ description: "Its email address." }),
          })
          .nullable()
          .meta({ description: "Whose key it is." }),
        claims: z
          .looseObject({})
          .nullable()
          .meta({ description: "What the identity provider said of the user at the sign-in." }),
      }),
    },
  },
};
