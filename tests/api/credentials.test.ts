import { expect } from "chai";
import {
  expectRefused,
  immutable,
  invalid,
  missingReference,
  serverOfThisFile,
  unknownId,
  wrongKind,
} from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";

const VALID_RULES = [
  "*",
  "bind:example.com",
  "bind:deep.sub.example.com",
  "bind:*.example.com",
  "bind:example.com:443",
  "bind:1.tcp.example.com:20001",
  "bind:team=payments",
  "bind:*=payments",
  "bind:team=*",
  "bind:*=*",
];

const INVALID_RULES = [
  "",
  "bind",
  "bind:",
  "example.com",
  "allow:example.com",
  "BIND:example.com",
  "bind:exa mple.com",
  "bind:sub.*.example.com",
  "bind:example.com:65536",
  "bind:example.com:https",
  "bind:=payments",
];

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
    it(`${name} takes every kind of ACL rule and keeps their order`, async () => {
      const { uri, acl } = await server.created(path, { ...body(), acl: VALID_RULES });
      expect(acl).to.deep.equal(VALID_RULES);
      const reversed = [...VALID_RULES].reverse();
      expect((await server.rest.patch(uri, { acl: reversed })).body.acl).to.deep.equal(reversed);
    });

    it(`${name} refuses an invalid ACL rule and names its place`, async () => {
      const { uri } = await server.created(path, { ...body(), acl: ["bind:kept.example.com"] });
      for (const rule of INVALID_RULES) {
        const acl = ["bind:example.com", rule];
        expectRefused(await server.rest.post(path, { ...body(), acl }), invalid("acl[1]", "bind:<"));
        expectRefused(
          await server.unchangedBy(uri, () => server.rest.patch(uri, { acl })),
          invalid("acl[1]"),
        );
      }
    });

    it(`${name} refuses an acl that is not a list of strings`, async () => {
      for (const acl of ["bind:example.com", { rule: "*" }, 5])
        expectRefused(await server.rest.post(path, { ...body(), acl }), invalid("acl"));
      expectRefused(await server.rest.post(path, { ...body(), acl: ["*", 5] }), invalid("acl[1]"));
    });

    it(`${name} belongs to the caller unless an admin names another owner that exists`, async () => {
      const { owner_id } = await server.created(path, body());
      expect(owner_id).to.match(/^usr_[0-9A-Za-z]{27}$/);
      expect((await server.created(path, { ...body(), owner_id })).owner_id).to.equal(owner_id);
    });

    it(`${name} cannot belong to somebody who does not exist`, async () => {
      for (const owner_id of [unknownId("usr"), unknownId("bot")])
        expectRefused(
          await server.rest.post(path, { ...body(), owner_id }),
          missingReference("owner_id", "owner_id"),
        );
    });

    it(`${name} cannot belong to an object that is neither user nor bot`, async () => {
      const { id } = await server.created("/ip_policies", {});
      expectRefused(await server.rest.post(path, { ...body(), owner_id: id }), wrongKind("owner_id"));
    });

    it(`${name} keeps its owner`, async () => {
      const { uri } = await server.created(path, body());
      const answer = await server.unchangedBy(uri, () =>
        server.rest.patch(uri, { owner_id: unknownId("usr") }),
      );
      expectRefused(answer, immutable("owner_id"));
    });
  }
});
