import { callerShape } from "@tunnelplane/sdk/operations";
import { partAnswer } from "../../resources";
import type { ApiOperation } from "./operation";

/** Answers who the caller is, for programs that hold a key and need its owner. */
export const callerOperation: ApiOperation = {
  method: "GET",
  path: "/caller",
  id: "getCaller",
  summary: "Get the owner of the API key or session, its role and the server",
  tag: { name: "Caller", description: "The user or bot that makes the request." },
  subject: "caller",
  success: {
    status: 200,
    answer: callerShape,
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
