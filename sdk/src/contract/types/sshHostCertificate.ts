import { defineResource } from "../core/definition";
import { certificateComputed, keyTypeOf, namesPrincipals, subjectFields } from "../formats/sshCertificate";
import { endsAfterItBegins, validityFields } from "../formats/validity";

const hasPrincipals = namesPrincipals(
  "is empty, which means any host to older clients and none to OpenSSH 10.3 and later; name the host",
);

/** SSH host certificate; fields after api-decisions "SSH certificate authorities, host certificates". */
export const sshHostCertificate = defineResource({
  type: "SshHostCertificate",
  kind: "ssh_host_certificate",
  title: "SSH host certificate",
  doc: "A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then.",
  path: "/ssh_host_certificates",
  listKey: "ssh_host_certificates",
  idPrefix: "shcrt",
  readByGateways: true,
  fields: {
    ...subjectFields(
      "The names and addresses by which clients reach the host; empty means any, which newer versions of OpenSSH refuse.",
    ),
    ...validityFields(),
  },
  computed: certificateComputed,
  derive: keyTypeOf,
  rules: [endsAfterItBegins],
  warnings: [hasPrincipals],
  renewable: { after: "valid_after", until: "valid_until" },
  sample: {
    ssh_certificate_authority_id: "ssh_certificate_authority/hosts",
    public_key:
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn root@bastion",
    principals: ["bastion.example.com"],
    valid_after: "2026-11-22T08:00:00Z",
    valid_until: "2126-11-22T08:00:00Z",
  },
  example: `const hosts = new tunnels.SshCertificateAuthority("hosts");
const bastion = new tunnels.SshHostCertificate("bastion", {
  sshCertificateAuthorityId: hosts.id,
  publicKey: readFileSync("ssh_host_ed25519_key.pub", "utf8"),
  principals: ["bastion.example.com"],
  validFor: "90d",
  renewBefore: "30d",
});`,
});
