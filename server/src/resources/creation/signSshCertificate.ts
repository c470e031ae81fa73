import {
  checkRules,
  completeValidity,
  type SentOf,
  secondsOf,
  validSshPublicKey,
} from "@tunnelplane/sdk/contract";
import { readSecret } from "../../secrets";
import { BodyError, refuseFaults } from "../../util";
import { AuthorityKey, issueCertificate } from "../ssh";
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

/** The fields of both kinds of certificate, and the options that only users' certificates have. */
type Subject = SentOf<"ssh_host_certificate"> &
  Partial<Pick<SentOf<"ssh_user_certificate">, "critical_options" | "extensions">>;

/** Signs a certificate for a user or a host. Default: valid from now on, for a day. */
export const signSshCertificate = (kind: "user" | "host"): Behaviour<Subject> => ({
  async plan({ definition, now, sent: asked }) {
    const sent = { ...asked, ...completeValidity(asked, now) };
    refuseFaults(checkRules(definition, sent));
    return { sent };
  },
  async make({ id, sent, now, reader, keyring, made }) {
    const { public_key, ssh_certificate_authority_id: authority, principals } = sent;
    const { critical_options = {}, extensions = {} } = sent;
    const { valid_after, valid_until } = completeValidity(sent, now);
    const privateKey =
      made?.get(authority)?.text ?? (await readSecret(reader, keyring, { id: authority, name: PRIVATE_KEY }));
    if (privateKey === undefined) {
      const message = `names ${authority}, which was deleted just now`;
      throw new BodyError([{ error: "missing_target", path: ["ssh_certificate_authority_id"], message }]);
    }
    const certificate = await issueCertificate(
      {
        kind,
        subject: validSshPublicKey(public_key).blob,
        keyId: id,
        principals,
        validAfter: secondsOf(valid_after),
        validBefore: secondsOf(valid_until),
        criticalOptions: critical_options,
        extensions,
      },
      AuthorityKey.fromPem(privateKey),
    );
    return { computed: { certificate } };
  },
});
