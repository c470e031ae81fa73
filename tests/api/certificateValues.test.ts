import { randomBytes } from "node:crypto";
import { apiOnOneDatabase } from "../support/api/expect";
import { blobOf, certificate, serverCertificate, sshKey, sshLine } from "../support/api/fixtures";
import { testValues } from "../support/api/values";
import { signedChain } from "../support/tlsChains";

/** A number of so many bytes as the SSH wire format has it, positive; its last bit as given. */
const number = (bytes: number, last = 1): Buffer => {
  const digits = randomBytes(bytes);
  digits[0] = 0x80 | (digits[0] ?? 0);
  digits[bytes - 1] = (0xfe & (digits.at(-1) ?? 0)) | last;
  return Buffer.concat([Buffer.alloc(1), digits]);
};

const EXPONENT = Buffer.from([1, 0, 1]);

const ACL = [
  ...["*", "bind:example.com", "bind:deep.sub.example.com", "bind:*.example.com", "bind:example.com:443"],
  ...["bind:1.tcp.example.com:20001", "bind:team=payments", "bind:*=payments", "bind:team=*", "bind:*=*"],
];
const WRONG_RULES = [
  ...["", "bind", "bind:", "example.com", "allow:example.com", "BIND:example.com", "bind:exa mple.com"],
  ...["bind:sub.*.example.com", "bind:example.com:65536", "bind:example.com:https", "bind:=payments"],
];

const withBytesBehind = (pem: string): string =>
  pem.replace(/(-----\n)([^-]+)(\n-----)/, (_, begin, text, end) =>
    [begin, Buffer.concat([Buffer.from(text, "base64"), Buffer.from("more")]).toString("base64"), end].join(
      "",
    ),
  );

apiOnOneDatabase("Values in credentials and certificates:", (server) => {
  for (const name of ["a tunnel credential", "an SSH credential"])
    testValues(server, name, {
      base: { acl: ["*", "*"] },
      takes: [["acl", [ACL, ACL.toReversed()]]],
      refuses: [
        ["acl[1]", WRONG_RULES, "bind:<"],
        ["acl[1]", [5]],
        ["acl", ["bind:example.com", { rule: "*" }, 5]],
      ],
    });

  testValues(server, "an SSH credential", {
    what: "with a key",
    refuses: () => {
      const [weak, rsa, ed25519] = [sshKey("rsa", 1024), sshKey("rsa", 2048), sshKey().openssh];
      const overlong = Buffer.concat([blobOf(ed25519), Buffer.from("more")]).toString("base64");
      return [
        ["public_key", [weak.openssh, weak.rfc4716, weak.spki], "1024", "2048"],
        [
          "public_key",
          [sshLine("ssh-dss", number(128), number(20), number(128), number(128))],
          ...["rsa", "ecdsa", "ed25519"],
        ],
        [
          "public_key",
          [
            ...["", "garbage", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-ed25519 ???? comment"],
            ...[rsa.openssh, rsa.rfc4716, rsa.spki].map((text) => text.slice(0, 200)),
            ...[ed25519.replace("ssh-ed25519", "ssh-rsa"), `ssh-ed25519 ${overlong}`],
          ],
          ...["ssh-ed25519", "BEGIN PUBLIC KEY"],
        ],
        ["public_key", [`${ed25519}\n${sshKey().openssh}`, ed25519.replace(" ", "\n")], "one line"],
        ["public_key", [`command="ls" ${ed25519}`, `no-pty,from="192.0.2.1" ${ed25519}`], "options"],
        ["public_key", [ed25519.replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com")], "certificate"],
        ["public_key", [sshLine("ssh-rsa", Buffer.from([3]), number(256))], "65537"],
        ["public_key", [sshLine("ssh-rsa", Buffer.from([1, 0, 2]), number(256))], "odd"],
        ["public_key", [sshLine("ssh-rsa", EXPONENT, number(256, 0))], "even modulus"],
        ["public_key", [sshLine("ssh-rsa", EXPONENT, number(8192))], "16384"],
        [
          "public_key",
          [0, 1].map((first) => sshLine("ssh-ed25519", Buffer.alloc(32).fill(first, 0, 1))),
          "full order",
        ],
        ["public_key", [undefined], "public_key"],
        ["public_key", [5, ["ssh-ed25519"], {}], "string"],
      ];
    },
  });

  testValues(server, "a certificate authority", {
    refuses: ({ ca_pem }) => {
      const pem = String(ca_pem);
      const pemWith = (...extensions: string[]) => certificate({ extensions }).pem;
      const [begin = "", first = ""] = pem.split("\n");
      return [
        ["ca_pem", [pemWith("basicConstraints = critical, CA:FALSE")], "leaf"],
        ["ca_pem", [pemWith(), pemWith("keyUsage = keyCertSign")], "basicConstraints"],
        ["ca_pem", [pem + pem, pem + certificate().pem], "one certificate"],
        [
          "ca_pem",
          [
            ...["", "no certificate", "a lot of text ".repeat(20_000), pem.slice(0, 200)],
            ...[`${begin}\n${first}\n-----END CERTIFICATE-----\n`, `${begin}\n-----END CERTIFICATE-----\n`],
            pem.replace(first, "!".repeat(first.length)),
            pem.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST"),
            undefined,
          ],
          "ca_pem",
        ],
        ["ca_pem", [5, [pem], {}], "string"],
      ];
    },
  });

  const { chain, key } = signedChain("app.example.com");
  const [leaf = "", intermediate = "", root = ""] = chain;
  testValues(server, "a TLS certificate", {
    base: { certificate_pem: chain.join(""), private_key_pem: key },
    refuses: [
      [
        "certificate_pem",
        [leaf + root],
        ...["certificate 2 did not sign certificate 1", "Test Intermediate"],
      ],
      [
        "certificate_pem",
        [leaf + root + intermediate],
        ...["certificate 2 did not sign certificate 1", "certificate 3 did"],
      ],
      [
        "certificate_pem",
        [leaf + intermediate + certificate({ name: "Somebody else" }).pem],
        "certificate 3 did not sign certificate 2",
      ],
      ["private_key_pem", [serverCertificate().private_key_pem], "another certificate"],
      ["certificate_pem", [key], "private_key_pem"],
      ["certificate_pem", [`subject=app\n${leaf}`], "only PEM blocks"],
      ["certificate_pem", [leaf.slice(0, 300)], "END line"],
      ["certificate_pem", [leaf.replace(/\n(.{20})/, `\n${"A".repeat(20)}`)], "truncated or damaged"],
      ["private_key_pem", [key.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY")], "passphrase"],
      ["private_key_pem", [key + leaf, `for app\n${key}`, key + key], "more than the private key"],
      ["private_key_pem", ["hush", withBytesBehind(key)], "PEM"],
      [{ set: "", at: "certificate_pem" }, [serverCertificate("a.example.com", { key: "ed25519" })], "ECDSA"],
      [{ set: "", at: "certificate_pem" }, [serverCertificate("a.example.com", { key: "weak" })], "2048"],
      ["certificate_pem", [leaf.repeat(11)], "at most 10"],
    ],
  });

  testValues(server, "an SSH user certificate", {
    what: "with a key",
    refuses: ({ public_key }) => [
      ["principals", [Array.from({ length: 257 }, (_, index) => `user-${index}`)], "256"],
      ["public_key", [sshKey().spki], "OpenSSH line"],
      ["public_key", [`${public_key}\n${public_key}`], "one line"],
      ["public_key", [sshKey("rsa", 1024).openssh], "2048"],
    ],
  });
});
