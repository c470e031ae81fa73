import type { Behaviour } from "./behaviour";
import { makeApiKey } from "./makeApiKey";
import { makeAuthorityKey } from "./makeAuthorityKey";
import { mintSecret } from "./mintSecret";
import { signSshCertificate } from "./signSshCertificate";

export type { Addition, Creation } from "./behaviour";

/** Behaviours by resource type; most types have none. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  tunnel_credential: mintSecret("tpt"),
  api_key: makeApiKey,
  ssh_certificate_authority: makeAuthorityKey,
  ssh_user_certificate: signSshCertificate("user"),
  ssh_host_certificate: signSshCertificate("host"),
};
