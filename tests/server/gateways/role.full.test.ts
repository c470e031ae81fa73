import { apiOnEveryDatabase, expectRefused, invalid, taken, unique } from "../../support/api/expect";
import { expectRefusedBut } from "../../support/api/refusedBut";
import { execute, rowsIn, untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";

const forbidden = { status: 403, code: "TP_1200" };

apiOnEveryDatabase("The key of a gateway", (server, start) => {
  const keyOf = async (role: string) => (await server.member({ role })).rest;
  const report = (rest: Rest, name: string) => rest.put(`/gateways/${name}/status`, {});
  const another = untilTestEnds(start);

  it("reads edges with the secrets of their modules, and answers whose it is", async () => {
    const rest = await keyOf("gateway");
    const edge = await server.created("/edges/https", { hostports: [`${unique("host")}.example.com:443`] });
    const oidc = {
      issuer: "https://id.example.com",
      client_id: "a",
      client_secret: "of-the-module",
      scopes: ["openid"],
    };
    await server.created(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match: "/", oidc });
    expect((await rest.get(`/edges/https/${edge.id}`)).body.routes[0].oidc.client_secret).to.equal(
      "of-the-module",
    );
    expect((await rest.get("/caller")).body).to.include({ role: "gateway" });
  });

  it("comes from a bot that an admin made a gateway, at its creation and never later", async () => {
    const [member, gateway] = [await keyOf("member"), await keyOf("gateway")];
    const make = (rest: Rest) => () => rest.post("/bot_users", { name: "x", role: "gateway" });
    await expectRefusedBut([make(member), make(gateway)], forbidden, make(server.rest));
    const bot = await server.created("/bot_users", { name: "edge-1", role: "gateway" });
    expect(bot.role).to.equal("gateway");
    expectRefused(await server.rest.patch(bot.uri, { role: "admin" }), {
      status: 400,
      code: "TP_1003",
      field: "role",
    });
  });

  it("reports only for the name of its bot, which admins set and change", async () => {
    const { bot, rest } = await server.member({ role: "gateway", gateway_name: "edge-a" });
    expect((await server.read(bot.uri)).gateway_name).to.equal("edge-a");
    await expectRefusedBut(
      () => report(rest, "edge-b"),
      { ...forbidden, mentions: ['reports only for "edge-a"', "have an admin set gateway_name"] },
      () => report(rest, "edge-a"),
    );
    expect((await server.rest.patch(bot.uri, { gateway_name: "edge-b" })).body.gateway_name).to.equal(
      "edge-b",
    );
    expect((await report(rest, "edge-b")).status).to.equal(204);
    expectRefused(await report(rest, "edge-a"), forbidden);
    expect((await report(server.rest, "edge-a")).status, "an admin's key reports for any").to.equal(204);
  });

  it("is bound to the first name that it reports where its bot has none, and takes no name of another bot", async () => {
    const make = async () => {
      const bot = await server.created("/bot_users", { name: unique("edge"), role: "gateway" });
      expect(bot.gateway_name).to.equal(null);
      const keys = [1, 2].map(
        async () => new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id })).token),
      );
      return { bot, keys: await Promise.all(keys) };
    };
    const [first, second] = [await make(), await make()];
    const [one, another] = first.keys as [Rest, Rest];
    expect((await report(one, "first-name")).status).to.equal(204);
    expect((await server.read(first.bot.uri)).gateway_name).to.equal("first-name");
    await expectRefusedBut(
      () => report(another, "second-name"),
      forbidden,
      () => report(another, "first-name"),
    );
    const [stranger] = second.keys as [Rest];
    expectRefused(await report(stranger, "first-name"), { ...forbidden, mentions: [second.bot.id] });
    expectRefused(
      await server.rest.patch(second.bot.uri, { gateway_name: "first-name" }),
      taken("gateway_name"),
    );
    expect((await report(stranger, "second-name")).status).to.equal(204);
    await server.rest.delete(second.bot.uri);
    const { events } = await server.read(`/events?object_id=${first.bot.id}&type=bot_user_updated.v0`);
    expect(events.map(({ changes }: { changes: object[] }) => changes)).to.deep.equal([
      [{ path: "gateway_name", old: null, new: "first-name" }],
    ]);
  });

  it("goes on where an older version stored its bot, and is bound to the first name that it reports", async () => {
    const { bot, rest } = await server.member({ role: "gateway" });
    await execute(
      server.data,
      `update resource set document = replace(document, '"gateway_name":null,', '') where id = '${bot.id}'`,
    );
    const [{ document }] = (await rowsIn(
      server.data,
      `select document from resource where id = '${bot.id}'`,
    )) as [{ document: string }];
    expect(document).not.to.contain("gateway_name");
    const name = unique("old");
    expect((await report(rest, name)).status).to.equal(204);
    expect((await server.read(bot.uri)).gateway_name).to.equal(name);
    await expectRefusedBut(
      () => report(rest, unique("other")),
      forbidden,
      () => report(rest, name),
    );
  });

  it("is bound to one name even where two servers are given two at the same moment", async () => {
    const other = await another({ data: server.data });
    for (let round = 0; round < 8; round++) {
      const { bot, key, rest } = await server.member({ role: "gateway" });
      const names = [unique("left"), unique("right")] as const;
      const answers = await Promise.all([
        report(rest, names[0]),
        report(new Rest(other.url, key.token), names[1]),
      ]);
      expect(answers.map(({ status }) => status)).to.have.members([204, 403]);
      const own = names[answers.findIndex(({ status }) => status === 204)];
      expect((await server.read(bot.uri)).gateway_name).to.equal(own);
    }
  });

  it("of a bot that has a name is the key of a gateway: no other role takes one, and no other form", async () => {
    const make = (role: string) => () =>
      server.rest.post("/bot_users", { name: "x", role, gateway_name: "edge" });
    await expectRefusedBut(
      [make("member"), make("admin")],
      invalid("gateway_name", 'only for bots of role "gateway"'),
      make("gateway"),
    );
    const member = await server.created("/bot_users", { name: "x" });
    expectRefused(await server.rest.patch(member.uri, { gateway_name: "edge" }), invalid("gateway_name"));
    for (const wrong of ["a b", "-a", "a/b", "a".repeat(256), "ä", 7])
      expectRefused(
        await server.rest.post("/bot_users", { name: "x", role: "gateway", gateway_name: wrong }),
        invalid("gateway_name"),
      );
  });
});
