import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { expectRefused, immutable, invalid, serverOfThisFile, taken } from "../support/api/expect";
import { blobOf, sshKey, sshLine } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";

/** A number of so many bytes as the SSH wire format has it, positive. */
const number = (bytes: number): Buffer => {
  const digits = randomBytes(bytes);
  digits[0] = 0x80 | (digits[0] ?? 0);
  return Buffer.concat([Buffer.alloc(1), digits]);
};

onOneDatabase("SSH credentials", (start) => {
  const server = serverOfThisFile(start);
  const PATH = "/ssh_credentials";
  const register = (public_key: unknown) => server.rest.post(PATH, { public_key });

  for (const [type, bits] of [
    ["rsa", 2048],
    ["rsa", 3072],
    ["ecdsa", 256],
    ["ecdsa", 384],
    ["ecdsa", 521],
    ["ed25519", undefined],
  ] as const) {
    const name = bits ? `${type} ${bits}` : type;

    it(`a key of ssh-keygen (${name}) is kept as given, in each of its formats`, async () => {
      const { openssh, rfc4716, spki } = sshKey(type, bits);
      for (const public_key of [openssh, `${openssh}\n`, rfc4716, spki]) {
        const created = await server.created(PATH, { public_key });
        expect(created.public_key).to.equal(public_key);
        expect((await server.read(created.uri)).public_key).to.equal(public_key);
        expect((await server.rest.delete(created.uri)).status).to.equal(204);
      }
    });

    it(`a key (${name}) that is registered already is refused in any notation`, async () => {
      const { openssh, rfc4716, spki } = sshKey(type, bits);
      const { uri } = await server.created(PATH, { public_key: openssh });
      const [algorithm, blob] = openssh.split(" ");
      for (const again of [
        openssh,
        `${algorithm} ${blob}`,
        `${algorithm} ${blob} another comment`,
        rfc4716,
        spki,
      ])
        expectRefused(await register(again), taken("public_key"));
      await server.rest.delete(uri);
      expect((await register(spki)).status).to.equal(201);
    });
  }

  it("if many register one key at the same time, one succeeds", async () => {
    const { openssh, rfc4716, spki } = sshKey();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => register([openssh, rfc4716, spki][i % 3])),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(11).fill(409)]);
  });

  it("a credential does not collide with its own key when it is changed", async () => {
    const { uri } = await server.created(PATH, { public_key: sshKey().openssh });
    expect((await server.rest.patch(uri, { description: "laptop" })).status).to.equal(200);
  });

  it("a key cannot be replaced later, not even by itself", async () => {
    const { uri, public_key } = await server.created(PATH, { public_key: sshKey().openssh });
    for (const other of [sshKey().openssh, public_key])
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.patch(uri, { public_key: other })),
        immutable("public_key"),
      );
  });

  it("a private key is refused, and the answer does not repeat it", async () => {
    for (const { privateKey } of [sshKey(), sshKey("rsa", 2048)]) {
      const answer = await register(privateKey);
      expectRefused(answer, invalid("public_key", "private"));
      for (const line of privateKey
        .split("\n")
        .filter((text) => text.length > 40 && !text.startsWith("-----")))
        expect(answer.text).not.to.include(line);
    }
  });

  it("an RSA key of 1024 bits is refused as too short", async () => {
    const { openssh, rfc4716, spki } = sshKey("rsa", 1024);
    for (const weak of [openssh, rfc4716, spki])
      expectRefused(await register(weak), invalid("public_key", "1024", "2048"));
  });

  it("a DSA key is refused, and the answer says which types are taken", async () => {
    const dsa = sshLine("ssh-dss", number(128), number(20), number(128), number(128));
    expectRefused(await register(dsa), invalid("public_key", "rsa", "ecdsa", "ed25519"));
  });

  it("an invalid public key is refused, and the error shows a valid one", async () => {
    const { openssh, rfc4716, spki } = sshKey("rsa", 2048);
    const mislabelled = sshKey().openssh.replace("ssh-ed25519", "ssh-rsa");
    const overlong = `ssh-ed25519 ${Buffer.concat([blobOf(sshKey().openssh), Buffer.from("more")]).toString("base64")}`;
    for (const text of [
      "",
      "garbage",
      "ssh-ed25519",
      "ssh-ed25519 AAAA",
      "ssh-ed25519 ???? comment",
      openssh.slice(0, 200),
      rfc4716.slice(0, 200),
      spki.slice(0, 200),
      mislabelled,
      overlong,
    ])
      expectRefused(await register(text), invalid("public_key", "ssh-ed25519", "BEGIN PUBLIC KEY"));
  });

  it("a key is required, and it is a string", async () => {
    expectRefused(await server.rest.post(PATH, {}), invalid("public_key", "public_key"));
    for (const wrong of [5, ["ssh-ed25519"], {}])
      expectRefused(await register(wrong), invalid("public_key", "string"));
  });
});
