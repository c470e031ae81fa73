import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { own } from "../core/narrow";

/** The fields that only keys of one type have, with their defaults. */
const PARTICULARS = {
  elliptic_curve: { of: "ecdsa", usual: "256" },
  key_size: { of: "rsa", usual: 2048 },
} as const;

const fieldsFitKeyType: Rule = function* ({ private_key_type, ...value }) {
  if (private_key_type === undefined) return;
  for (const [name, { of }] of Object.entries(PARTICULARS)) {
    if (own(value, name) !== undefined && private_key_type !== of)
      yield {
        path: [name],
        message: `is for ${of} keys only; leave it out for ${private_key_type}, or set \`private_key_type\` to "${of}"`,
      };
  }
};

/** SSH certificate authority; fields after api-decisions "SSH certificate authorities, host certificates". */
export const sshCertificateAuthority = defineResource({
  type: "SshCertificateAuthority",
  kind: "ssh_certificate_authority",
  title: "SSH certificate authority",
  doc: "A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server.",
  path: "/ssh_certificate_authorities",
  listKey: "ssh_certificate_authorities",
  idPrefix: "sshca",
  fields: {
    description: description(),
    metadata: metadata(),
    private_key_type: mark(z.enum(["ed25519", "ecdsa", "rsa"]), { immutable: true })
      .default("ed25519")
      .meta({ description: "The type of its key. Set at creation only." }),
    elliptic_curve: mark(z.enum(["256", "384", "521"]).optional(), { immutable: true }).meta({
      description: 'The NIST curve of an ecdsa key. Default for ecdsa keys: `"256"`. Set at creation only.',
    }),
    key_size: mark(z.literal([2048, 4096]).optional(), { immutable: true }).meta({
      description: "The bits of an rsa key. Default for rsa keys: 2048. Set at creation only.",
    }),
  },
  computed: {
    public_key: mark(z.string(), { made: true }).meta({
      description:
        "The public key as an OpenSSH line: for sshd's `TrustedUserCAKeys`, or after `@cert-authority` in known_hosts.",
      examples: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAy0gxSu6a0X3u2j0pUPyYw5sSEfkS3aQ1FZ2kGm3vFd"],
    }),
    key_type: z.enum(["rsa", "ecdsa", "ed25519"]).meta({ description: "The type of `public_key`." }),
  },
  fill: (value) => {
    const particular = Object.entries(PARTICULARS).find(([, { of }]) => of === value.private_key_type);
    return particular ? { [particular[0]]: particular[1].usual, ...value } : value;
  },
  derive: (sent) => ({ key_type: sent.private_key_type }),
  rules: [fieldsFitKeyType],
  sample: { description: "signs who may log in", private_key_type: "ed25519" },
  example: `const people = new tunnels.SshCertificateAuthority("people", {
  description: "signs who may log in",
});
export const trustedUserCaKeys = people.publicKey; // for sshd_config`,
});
