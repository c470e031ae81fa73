import type { SentOf } from "@tunnelplane/sdk/contract";
import type { Behaviour } from "./behaviour";
import { refuseBeyond } from "./bounded";

/** Each exchange of a token looks through them. */
const MOST = 1000;

/**
 * Makes a workload identity, with the scopes of the key that makes it if none are named. Whether it has more
 * scopes than the key is looked at with every change; see `auth/rights.ts`.
 */
export const makeWorkloadIdentity: Behaviour<SentOf<"workload_identity">> = async (creation) => {
  const { reader, definition, sent, caller } = creation;
  await refuseBeyond(reader, definition, MOST);
  return { sent: { ...sent, scopes: sent.scopes ?? [...caller.scopes] } };
};
