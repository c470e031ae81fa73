import { defineResource } from "../core/definition";
import { endAnswer, endField, notExpired } from "../core/ends";
import { description, metadata, ownerId } from "../core/fields";
import { mark } from "../core/marks";
import { acl } from "../formats/acl";
import { fingerprint, sshPublicKey, validSshPublicKey } from "../formats/sshPublicKey";

/** spec "SSH credential". */
export const sshCredential = defineResource({
  type: "SshCredential",
  kind: "ssh_credential",
  subject: "ssh_public_key",
  title: "SSH credential",
  doc: "A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind.",
  path: "/ssh_credentials",
  listKey: "ssh_credentials",
  idPrefix: "sshcr",
  access: "owner",
  fields: {
    description: description("Who or what uses the credential. At most 255 bytes."),
    metadata: metadata(),
    public_key: mark(sshPublicKey(), { immutable: true }).meta({
      description:
        "The public key: an OpenSSH line, or PEM. RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only; no two credentials share a key.",
    }),
    acl: acl(),
    owner_id: ownerId(),
    ...endField("agents can bind nothing with it, and those that did are disconnected"),
  },
  computed: endAnswer(),
  derive: notExpired,
  findBy: ["public_key"],
  unique: (sent) => [
    {
      scope: "ssh_public_key",
      // A server asks at its start whether there is one; reading a key loads what a start does not need.
      get key() {
        return fingerprint(validSshPublicKey(sent.public_key));
      },
      path: ["public_key"],
      taken: "is registered already; use the credential that holds it, or generate another key for this one",
    },
  ],
  sample: {
    description: "laptop of Ada",
    public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada",
    acl: ["bind:ada.example.com"],
  },
  example: `const laptop = new tunnels.SshCredential("laptop", {
  publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada",
  acl: ["bind:ada.example.com"],
});`,
});
