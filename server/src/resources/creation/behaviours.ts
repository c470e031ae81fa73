import type { Kind, SentOf } from "@tunnelplane/sdk/contract";
import type { Behaviour } from "./behaviour";
import { makeApiKey } from "./makeApiKey";
import { makeAuthorityKey } from "./makeAuthorityKey";
import { makeMembership, makeProject } from "./makeTeams";
import { makeWorkloadIdentity } from "./makeWorkloadIdentity";
import { mintSecret } from "./mintSecret";
import { reserveAddress } from "./reserveAddress";
import { reserveDomain } from "./reserveDomain";
import { signSshCertificate } from "./signSshCertificate";

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
