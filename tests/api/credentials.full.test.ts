import { apiOnOneDatabase, expectRefused, invalid } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";

apiOnOneDatabase("Credentials", (server) => {
  describe("Credentials", () => {
    it("a tunnel credential shows its token once, when it is created", async () => {
      const { token, uri, id } = await server.created("/credentials", {});
      expect(token).to.be.a("string").with.length.of.at.least(32);
      const changed = await server.rest.patch(uri, { description: "changed" });
      const listed = (await server.read("/credentials")).credentials.find(
        (credential: { id: string }) => credential.id === id,
      );
      for (const later of [await server.read(uri), changed.body, listed]) {
        expect(later).to.have.property("token", null);
        expect(JSON.stringify(later)).not.to.include(token);
      }
    });
  });

  describe("SSH credentials", () => {
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
    }

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
  });
});
