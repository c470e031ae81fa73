import type { SentOf } from "@tunnelplane/sdk/contract";
import { keepSecret } from "../../secrets";
import { AuthorityKey } from "../../ssh";
import type { Behaviour } from "./behaviour";

/** The name of an SSH certificate authority's private key among the secrets. */
export const PRIVATE_KEY = "private_key";

/** Makes the key pair of an SSH certificate authority. No answer shows the private key. */
export const makeAuthorityKey: Behaviour<SentOf<"ssh_certificate_authority">> = async ({ id, sent, keyring }) => {
  const key = await AuthorityKey.generate(sent);
  return {
    computed: { public_key: key.openssh },
    keep: (transaction) => keepSecret(transaction, keyring, { id, name: PRIVATE_KEY }, key.toPem()),
  };
};
