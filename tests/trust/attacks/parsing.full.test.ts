import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { expectRefused, hostport, invalid, serverOfThisFile } from "../../support/api/expect";
import { CA, certificate, sshKey, sshLine } from "../../support/api/fixtures";
import { onOneDatabase } from "../../support/databases";

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;

/** A number of so many bits as the SSH wire format has it, positive; its last bit as given. */
const number = (bits: number, last = 1): Buffer => {
  const digits = randomBytes(bits / 8);
  digits[0] = 0x80 | (digits[0] ?? 0);
  digits[digits.length - 1] = (0xfe & (digits.at(-1) ?? 0)) | last;
  return Buffer.concat([Buffer.alloc(1), digits]);
};
const EXPONENT = Buffer.from([1, 0, 1]);

onOneDatabase("Input is parsed completely or refused:", (start) => {
  const server = serverOfThisFile(start);

  it("with any byte of an authority's certificate wrong, the answer is 201 or 400", async () => {
    const { pem } = certificate({
      extensions: [
        CA,
        "keyUsage = keyCertSign",
        "extendedKeyUsage = clientAuth",
        "subjectKeyIdentifier = hash",
      ],
    });
    const der = Buffer.from(pem.replace(/-----.*-----/g, ""), "base64");
    const statuses = new Set<number>();
    const send = async (index: number): Promise<void> => {
      for (const change of [0x01, 0xff]) {
        const changed = Buffer.from(der);
        changed[index] = (changed[index] ?? 0) ^ change;
        const answer = await server.rest.post("/certificate_authorities?dry_run=true", {
          ca_pem: pemOf(changed),
        });
        expect([201, 400], `byte ${index}: ${answer.text}`).to.include(answer.status);
        statuses.add(answer.status);
      }
    };
    for (let index = 0; index < der.length; index += 16)
      await Promise.all(
        Array.from({ length: Math.min(16, der.length - index) }, (_, offset) => send(index + offset)),
      );
    expect(statuses).to.deep.equal(new Set([201, 400]));
  });

  it("a certificate with an unreadable extension is refused, even if nothing needs the extension", async () => {
    const { pem } = certificate({ extensions: [CA, "1.2.3.4 = DER:30:05:01"] });
    expectRefused(
      await server.rest.post("/certificate_authorities", { ca_pem: pem }),
      invalid("ca_pem", "completely"),
    );
  });

  it("a public key is one line without options, and not a certificate", async () => {
    const { openssh } = sshKey();
    const [type, blob] = openssh.split(" ");
    const cases: [string, string][] = [
      [`${openssh}\n${sshKey().openssh}`, "one line"],
      [`${type}\n${blob}`, "one line"],
      [`command="ls" ${openssh}`, "options"],
      [`no-pty,from="192.0.2.1" ${openssh}`, "options"],
      [openssh.replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com"), "certificate"],
    ];
    for (const [public_key, reason] of cases)
      expectRefused(
        await server.rest.post("/ssh_credentials", { public_key }),
        invalid("public_key", reason),
      );
  });

  it("numbers that make a key worthless are refused, with their name", async () => {
    const cases: [string, string][] = [
      [sshLine("ssh-rsa", Buffer.from([3]), number(2048)), "65537"],
      [sshLine("ssh-rsa", Buffer.from([1, 0, 2]), number(2048)), "odd"],
      [sshLine("ssh-rsa", EXPONENT, number(2048, 0)), "even modulus"],
      [sshLine("ssh-rsa", EXPONENT, number(65_536)), "16384"],
      [sshLine("ssh-ed25519", Buffer.alloc(32)), "full order"],
      [sshLine("ssh-ed25519", Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])), "full order"],
    ];
    for (const [public_key, reason] of cases)
      expectRefused(
        await server.rest.post("/ssh_credentials", { public_key }),
        invalid("public_key", reason),
      );
  });

  it("invalid CEL is refused with the place, and CEL with unknown names is stored", async () => {
    const policies = (expression: string) => ({
      inbound: [{ expressions: ["true", expression], actions: [{ type: "deny" }] }],
    });
    const field = "policies.inbound[0].expressions[1]";
    for (const [expression, reason] of [
      ["req.path ==", "character 12"],
      ["a = b", "character 3"],
      ["'open", "character 1"],
      [`${"(".repeat(500)}a${")".repeat(500)}`, "100 deep"],
      [`${"!".repeat(500)}a`, "100 deep"],
      ["a".repeat(4097), "4096 bytes"],
    ] as const)
      expectRefused(
        await server.rest.post("/edges/tls", { hostports: [hostport()], policies: policies(expression) }),
        invalid(field, reason),
      );
    for (const expression of [
      "conn.client_ip == '192.0.2.1'",
      "geo.country in ['NZ'] && hasReqHeader('x')",
      "req.headers['x'].matches('^a')",
    ])
      await server.created("/edges/tls", { hostports: [hostport()], policies: policies(expression) });
  });

  it("the metadata of a log is any JSON object of at most 4 KiB", async () => {
    const edge = (metadata: unknown) => ({
      policies: { inbound: [{ actions: [{ type: "log", config: { metadata } }] }] },
    });
    const metadata = { team: { name: "shop", on_call: [1, true, null] } };
    expect(
      (await server.created("/edges/tls", edge(metadata))).policies.inbound[0].actions[0].config,
    ).to.deep.equal({ metadata });
    for (const wrong of ["text", 5, [1], { a: "x".repeat(4096) }])
      expectRefused(
        await server.rest.post("/edges/tls", edge(wrong)),
        invalid("policies.inbound[0].actions[0].config.metadata"),
      );
  });
});
