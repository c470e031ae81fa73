import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  /** The file with Ada's public key, beside this one. */
  readonly key?: "ada.pub" | "ada-new-laptop.pub";
  /** The user name with which Ada may log in. */
  readonly principals?: string[];
  /** The ACL of Ada's credential at the SSH gateway. */
  readonly acl?: string[];
  /** How long before its end a certificate is renewed. */
  readonly renewBefore?: string;
}

/** Declares that Ada may log in to our servers for a day at a time, and start tunnels for her own domain. */
export function sshAccess({
  key = "ada.pub",
  principals = ["ada"],
  acl = ["bind:ada.example.com"],
  renewBefore = "8h",
}: Choices = {}) {
  const publicKey = readFileSync(join(__dirname, key), "utf8").trim();

  const people = new tunnels.SshCertificateAuthority("people", {
    description: "signs who may log in to our servers",
  });

  // Valid for 24 hours. A run in the last eight of them, say from a nightly job, makes a new one.
  const ada = new tunnels.SshUserCertificate("ada", {
    description: "Ada's laptop",
    sshCertificateAuthorityId: people.id,
    publicKey,
    principals,
    extensions: { "permit-pty": "", "permit-port-forwarding": "" },
    renewBefore,
  });

  const gateway = new tunnels.SshCredential("ada", { description: "Ada's laptop", publicKey, acl });

  return {
    trustedUserCaKeys: people.publicKey,
    certificate: ada.certificate,
    validUntil: ada.validUntil,
    credential: gateway.id,
  };
}
