import { keepSecret } from "../../secrets";
import { AuthorityKey, type KeyParameters } from "../../ssh";
import type { Behaviour } from "./behaviour";

/** Where the private key of an SSH certificate authority stands among the secrets. */
export const PRIVATE_KEY = "private_key";

/** Gives an SSH certificate authority its key pair, whose private half no answer shows. */
export const makeAuthorityKey: Behaviour = async ({ id, sent, keyring }) => {
  const key = await AuthorityKey.generate(sent as unknown as KeyParameters);
  return {
    computed: { public_key: key.openssh },
    keep: (transaction) => keepSecret(transaction, keyring, { id, name: PRIVATE_KEY }, key.toPem()),
  };
};
