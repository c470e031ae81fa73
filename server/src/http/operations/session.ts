import { currentSessionShape } from "@tunnelplane/sdk/operations";
import type { DescribedOperation } from "./operation";

const TAG = {
  name: "Session",
  description: "Who is signed in with a browser. People sign in at `GET /sign_in`, a page.",
};

/** Answers who is signed in. Its caller may be nobody, so it is served apart from the others. */
export const sessionOperation: DescribedOperation = {
  method: "GET",
  path: "/session",
  id: "getSession",
  summary: "Get who is signed in with this browser, and the token that its changes need",
  about:
    "Needs neither an API key nor Service-Version; it is about the cookie of a session. A request in a session needs no API key; one that is not GET needs `csrf_token` as its header `X-CSRF-Token`.",
  tag: TAG,
  isOpen: true,
  tellsState: true,
  success: {
    status: 200,
    answer: currentSessionShape,
  },
};

/** Ends the session of the request. */
export const signOutOperation: DescribedOperation = {
  method: "POST",
  path: "/sign_out",
  id: "signOut",
  summary: "End the session of this request",
  about:
    "For a browser's session, with its cookie and the header `X-CSRF-Token`; and for the key of a command line that signed in.",
  tag: TAG,
  isOpen: true,
  success: { status: 204 },
};
