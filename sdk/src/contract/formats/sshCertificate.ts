import { isIP } from "node:net";
import { z } from "zod";
import { conditioned, description, distinct, map, metadata, reference, text } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { mistakeInCidr } from "./cidr";
import { openSshPublicKey, readSshPublicKey } from "./sshPublicKey";

/** OpenSSH refuses certificates with more principals (SSHKEY_CERT_MAX_PRINCIPALS in sshkey.h). */
const MAX_PRINCIPALS = 256;

/** The fields that certificates for users and for hosts have in common. */
export const subjectFields = (principals: string) => ({
  description: description(),
  metadata: metadata(),
  ssh_certificate_authority_id: mark(reference("ssh_certificate_authority", { usesPrivateKey: true }), {
    immutable: true,
  }).meta({
    description: "The SSH certificate authority that signs the certificate. Set at creation only.",
  }),
  public_key: mark(openSshPublicKey(), { immutable: true }).meta({
    description:
      "The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only.",
  }),
  principals: mark(
    distinct(z.array(conditioned(text(255, "characters"), mistakeInPrincipal)).max(MAX_PRINCIPALS)),
    {
      immutable: true,
    },
  )
    .default([])
    .meta({ description: `${principals} At most ${MAX_PRINCIPALS}. Set at creation only.` }),
});

/** Warns of an empty list of principals, whose meaning depends on the reader. */
export const namesPrincipals = (message: string): Rule<{ principals?: readonly string[] }> =>
  function* ({ principals }) {
    if (principals?.length === 0) yield { path: ["principals"], message };
  };

/** Fields that only answers carry. */
export const certificateComputed = {
  key_type: z.enum(["rsa", "ecdsa", "ed25519"]).meta({ description: "The type of `public_key`." }),
  certificate: mark(z.string(), { unsearched: true, made: true }).meta({
    description: "The signed certificate, as an OpenSSH line.",
    examples: ["ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIA"],
  }),
};

export const keyTypeOf = (sent: { public_key: string }) => {
  const read = readSshPublicKey(sent.public_key);
  return typeof read === "string" ? {} : { key_type: read.type };
};

const wellKnown = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(", ");

/** A map from names of options to values; `mistakeIn` returns an error text for an invalid one. */
const options = (mistakeIn: (name: string, value: string) => string | undefined) =>
  mark(
    map(text(255, "characters"), text(4096)).superRefine((value, context) => {
      for (const [name, option] of Object.entries(value)) {
        const message = mistakeIn(name, option);
        if (message) context.addIssue({ code: "custom", path: [name], message });
      }
    }),
    { userKeys: true, immutable: true },
  );

/**
 * PROTOCOL.certkeys "Critical options": a program that does not know one refuses the certificate, so accept
 * only those that OpenSSH knows.
 */
export const criticalOptions = () =>
  options((name, value) => {
    if (name === "force-command")
      return value === "" ? "must not be empty: it is the command to run" : mistakeInText(value);
    if (name === "source-address") return mistakeInSourceAddress(value);
    return `is not a critical option of OpenSSH; known: ${wellKnown(["force-command", "source-address"])}`;
  })
    .default({})
    .meta({
      description:
        'Limits of the certificate: `"force-command"` (the only command that runs) and `"source-address"` (addresses and networks, with commas between). Set at creation only.',
    });

const EXTENSIONS = [
  "no-touch-required",
  "permit-X11-forwarding",
  "permit-agent-forwarding",
  "permit-port-forwarding",
  "permit-pty",
  "permit-user-rc",
];

/** PROTOCOL.certkeys "Extensions": permissions besides running a command. */
export const extensions = () =>
  options((name, value) => {
    // RFC 4251 section 6: private names end in "@" and a domain.
    if (/^[\x21-\x3f\x41-\x7e]+@[a-z0-9.-]+$/i.test(name)) return mistakeInText(value);
    if (!EXTENSIONS.includes(name))
      return `is not an extension of OpenSSH; known: ${wellKnown(EXTENSIONS)}, or a name of your own with "@<domain>"`;
    return value === "" ? undefined : 'must be "", because extensions have no values';
  })
    .default({ "permit-pty": "", "permit-user-rc": "" })
    .meta({
      description:
        'Permissions of the certificate, each name with the value `""`: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc`, `no-touch-required`, or names of your own with `@<domain>`. Default: `permit-pty` and `permit-user-rc`. Set at creation only.',
    });

function mistakeInPrincipal(name: string): string | undefined {
  if (name === "") return "must not be empty";
  // ssh-keygen and sshd's AuthorizedPrincipalsFile separate names with commas and line breaks.
  if (name.includes(",")) return "holds a comma; name each principal in an entry of its own";
  return /[\p{Cc}\p{Cs}]/u.test(name)
    ? "must not hold control characters or halves of surrogate pairs"
    : undefined;
}

function mistakeInSourceAddress(list: string): string | undefined {
  for (const entry of list.split(",")) {
    const message = entry.includes("/")
      ? mistakeInCidr(entry)
      : isIP(entry) && !entry.includes("%")
        ? undefined
        : NO_ADDRESS;
    if (message) return `${JSON.stringify(entry.slice(0, 80))} ${message}`;
  }
  return undefined;
}

const NO_ADDRESS =
  'must be an address or a network, with commas and no spaces between, for example "192.0.2.7,2001:db8::/32"';

/** OpenSSH refuses texts that contain NUL, and half a surrogate pair cannot be encoded in UTF-8. */
const mistakeInText = (text: string) =>
  /[\0\p{Cs}]/u.test(text) ? "must not hold NUL characters or halves of surrogate pairs" : undefined;
