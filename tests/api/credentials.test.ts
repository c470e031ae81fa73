import { expect } from "chai";
import { serverOfThisFile } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";

onOneDatabase("Credentials", (start) => {
  const server = serverOfThisFile(start);

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

  it("no two tunnel credentials have the same token", async () => {
    const created = await Promise.all(Array.from({ length: 20 }, () => server.created("/credentials", {})));
    expect(new Set(created.map(({ token }) => token)).size).to.equal(20);
  });

  it("a token cannot be chosen or set", async () => {
    const { uri } = await server.created("/credentials", {});
    expect((await server.rest.post("/credentials", { token: "my-own" })).status).to.equal(400);
    expect(
      (await server.unchangedBy(uri, () => server.rest.patch(uri, { token: "my-own" }))).status,
    ).to.equal(400);
  });

  for (const [name, path, body] of [
    ["A tunnel credential", "/credentials", () => ({})],
    ["An SSH credential", "/ssh_credentials", () => ({ public_key: sshKey().openssh })],
  ] as const) {
    it(`${name} belongs to the caller unless an admin names another owner that exists`, async () => {
      const { owner_id } = await server.created(path, body());
      expect(owner_id).to.match(/^usr_[0-9A-Za-z]{27}$/);
      expect((await server.created(path, { ...body(), owner_id })).owner_id).to.equal(owner_id);
    });
  }
});
