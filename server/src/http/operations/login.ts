import { deviceLoginShape, loginKeyRequestShape, loginKeyShape } from "@tunnelplane/sdk/operations";
import type { DescribedOperation } from "./operation";

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
  isOpen: true,
  isOfSignIn: true,
  success: {
    status: 200,
    answer: deviceLoginShape,
  },
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
  isOpen: true,
  isOfSignIn: true,
  body: loginKeyRequestShape,
  success: {
    status: 200,
    answer: loginKeyShape,
  },
};
