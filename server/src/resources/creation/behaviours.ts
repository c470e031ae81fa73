import type { Kind, SentOf } from "@tunnelplane/sdk/contract";
import type { Behaviour } from "./behaviour";
import { makeApiKey, mintSecret } from "./makeApiKey";
import { makeMembership, makeProject } from "./makeTeams";
import { reserveAddress } from "./reserveAddress";
import { makeAuthorityKey, signSshCertificate } from "./signSshCertificate";

/** Reserves a domain. Answers say where its CNAME record should lead. */
export const reserveDomain: Behaviour<SentOf<"reserved_domain">> = {
  plan: async ({ names }) => ({ computed: { cname_target: names.cnameTarget ?? null } }),
};

/**
 * Makes a workload identity, with the scopes of the key that makes it if none are named. Whether it has more
 * scopes than the key is looked at with every change; see `auth/rights.ts`.
 */
export const makeWorkloadIdentity: Behaviour<SentOf<"workload_identity">> = {
  plan: async ({ sent, caller }) => ({ sent: { ...sent, scopes: sent.scopes ?? [...caller.scopes] } }),
};

/** Behaviours by resource type; most types have none. */
export const behaviours: { readonly [K in Kind]?: Behaviour<SentOf<K>> } = {
  tunnel_credential: mintSecret("tpt"),
  api_key: makeApiKey,
  workload_identity: makeWorkloadIdentity,
  project: makeProject,
  membership: makeMembership,
  reserved_addr: reserveAddress,
  reserved_domain: reserveDomain,
  ssh_certificate_authority: makeAuthorityKey,
  ssh_user_certificate: signSshCertificate("user"),
  ssh_host_certificate: signSshCertificate("host"),
};
