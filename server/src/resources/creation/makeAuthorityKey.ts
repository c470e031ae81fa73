import type { SentOf } from "@tunnelplane/sdk/contract";
import { AuthorityKey } from "../ssh";
import type { Behaviour } from "./behaviour";

/** The name of an SSH certificate authority's private key among the secrets. */
export const PRIVATE_KEY = "private_key";

/** Makes the key pair of an SSH certificate authority. No answer shows the private key. */
export const makeAuthorityKey: Behaviour<SentOf<"ssh_certificate_authority">> = {
  async make({ sent }) {
    const key = await AuthorityKey.generate(sent);
    return { computed: { public_key: key.openssh }, kept: { name: PRIVATE_KEY, text: key.toPem() } };
  },
};
