import { checkRules, completeValidity, readSshPublicKey, type SshPublicKey, secondsOf } from "@tunnelplane/sdk/contract";
import { readSecret } from "../../secrets";
import { AuthorityKey, issueCertificate } from "../../ssh";
import { BodyError, refuseFaults } from "../../util";
import type { Behaviour } from "./behaviour";
import { PRIVATE_KEY } from "./makeAuthorityKey";

/** Signs a certificate for a user or a host. Default: valid from now on, for a day. */
export const signSshCertificate =
  (kind: "user" | "host"): Behaviour =>
  async ({ definition, id, now, sent: asked, reader, keyring }) => {
    const validity = completeValidity(asked, now);
    const sent = { ...asked, ...validity };
    refuseFaults(checkRules(definition, sent));
    const {
      public_key,
      ssh_certificate_authority_id: authority,
      principals,
      critical_options,
      extensions,
    } = sent as Record<string, unknown>;
    const privateKey = await readSecret(reader, keyring, { id: authority as string, name: PRIVATE_KEY });
    if (privateKey === undefined) {
      const message = `names ${authority}, which was deleted just now`;
      throw new BodyError([{ error: "missing_target", path: ["ssh_certificate_authority_id"], message }]);
    }
    const certificate = await issueCertificate(
      {
        kind,
        subject: (readSshPublicKey(public_key as string) as SshPublicKey).blob,
        keyId: id,
        principals: principals as string[],
        validAfter: secondsOf(validity.valid_after),
        validBefore: secondsOf(validity.valid_until),
        criticalOptions: (critical_options ?? {}) as Record<string, string>,
        extensions: (extensions ?? {}) as Record<string, string>,
      },
      AuthorityKey.fromPem(privateKey),
    );
    return { sent, computed: { certificate } };
  };
