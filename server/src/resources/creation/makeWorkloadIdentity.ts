import type { SentOf } from "@tunnelplane/sdk/contract";
import type { Behaviour } from "./behaviour";

/**
 * Makes a workload identity, with the scopes of the key that makes it if none are named. Whether it has more
 * scopes than the key is looked at with every change; see `auth/rights.ts`.
 */
export const makeWorkloadIdentity: Behaviour<SentOf<"workload_identity">> = {
  plan: async ({ sent, caller }) => ({ sent: { ...sent, scopes: sent.scopes ?? [...caller.scopes] } }),
};
