import { defineResource } from "../core/definition";
import {
  certificateComputed,
  criticalOptions,
  extensions,
  keyTypeOf,
  namesPrincipals,
  subjectFields,
} from "../formats/sshCertificate";
import { endsAfterItBegins, validityFields } from "../formats/validity";

const hasPrincipals = namesPrincipals(
  "is empty, which means any user, but sshd refuses such certificates under TrustedUserCAKeys; name who may log in",
);

/** spec "SSH user certificate". */
export const sshUserCertificate = defineResource({
  type: "SshUserCertificate",
  kind: "ssh_user_certificate",
  title: "SSH user certificate",
  doc: "A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted.",
  path: "/ssh_user_certificates",
  listKey: "ssh_user_certificates",
  idPrefix: "sucrt",
  fields: {
    ...subjectFields(
      "The user names with which the holder may log in; empty means any, which OpenSSH refuses.",
    ),
    critical_options: criticalOptions(),
    extensions: extensions(),
    ...validityFields(),
  },
  computed: certificateComputed,
  derive: keyTypeOf,
  rules: [endsAfterItBegins],
  warnings: [hasPrincipals],
  renewable: { after: "valid_after", until: "valid_until" },
  sample: {
    ssh_certificate_authority_id: "ssh_certificate_authority/people",
    public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada",
    principals: ["ada"],
    critical_options: { "source-address": "192.0.2.0/24" },
    extensions: { "permit-pty": "" },
    valid_after: "2026-11-22T08:00:00Z",
    valid_until: "2126-11-22T08:00:00Z",
  },
  example: `const people = new tunnels.SshCertificateAuthority("people");
const ada = new tunnels.SshUserCertificate("ada", {
  sshCertificateAuthorityId: people.id,
  publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada",
  principals: ["ada"],
  validFor: "7d",
  renewBefore: "2d", // a run in the last two days creates a new one
});`,
});
