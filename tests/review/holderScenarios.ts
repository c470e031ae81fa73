import * as tunnels from "@tunnelplane/pulumi";
import { CERTIFICATE, inAYear, keys, ROLE, type Scenario, STREAM } from "./scenarioParts";

/** Scenarios of rules on who holds what, and where events go. */
export const HOLDER_SCENARIOS = {
  "destination-changed": (it) =>
    new tunnels.EventDestination(it.rule, {
      target: { streamService: { auth: { role: ROLE }, streamRef: it.pick(STREAM, `${STREAM}-of-others`) } },
      description: it.pick("", "", "changed"),
    }),
  "role-raised": (it) =>
    new tunnels.BotUser(it.rule, {
      name: it.pick(it.rule, it.rule, `${it.rule} changed`),
      role: it.pick("member" as const, "admin" as const),
    }),
  "principal-added": (it) =>
    new tunnels.SshUserCertificate(it.rule, {
      ...CERTIFICATE,
      sshCertificateAuthorityId: it.people.id,
      principals: it.pick(["ada", "bob"], ["ada", "bob", "eve"]),
      description: it.pick("", "", "changed"),
    }),
  "validity-extended": (it) =>
    new tunnels.SshUserCertificate(it.rule, {
      ...{ publicKey: keys[0], validFor: it.pick("365d", "1825d", "365d") },
      ...{ sshCertificateAuthorityId: it.people.id, principals: ["ada"] },
      description: it.pick("", "", "changed"),
    }),
  "owner-changed": (it) => {
    const other = new tunnels.BotUser(`${it.rule} other`, { name: "other" });
    new tunnels.ApiKey(it.rule, {
      ownerId: it.pick(it.member.id, other.id),
      expiresAt: inAYear,
      description: it.pick("", "", "changed"),
    });
  },
  "key-replaced": (it) =>
    new tunnels.SshCredential(it.rule, {
      acl: ["bind:e.example.com"],
      publicKey: it.pick(keys[0], keys[1]),
      description: it.pick("", "", "changed"),
    }),
} satisfies Record<string, (it: Scenario) => unknown>;
