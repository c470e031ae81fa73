import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import {
  apiOnOneDatabase,
  expectRefused,
  immutable,
  invalid,
  notFound,
  stale,
  unknownField,
  unknownId,
} from "../support/api/expect";
import { refusedBeside } from "../support/refusal";
import { Rest } from "../support/rest";

apiOnOneDatabase("Users, bots and API keys", (server) => {
  it("include bots that can be created, read, changed and deleted; invalid ones are refused", async () => {
    const { rest } = server;
    const bot = await server.created("/bot_users", { name: "ci" });
    expect(bot).to.have.all.keys("id", "uri", "created_at", "name", "role", "active", "gateway_name");
    const uri = `${server.url}/bot_users/${bot.id}`;
    expect(bot).to.include({ name: "ci", role: "member", active: true, uri });
    expect((await server.read("/bot_users")).bot_users).to.deep.include(bot);
    expectRefused(await rest.patch(uri, { description: "x" }), unknownField("description"));
    expectRefused(await rest.post("/bot_users", {}), invalid("name"));
    await refusedBeside({
      refused: () => rest.patch(uri, { name: "x" }, { "if-match": '"7"' }),
      as: stale,
      allowed: async () => rest.patch(uri, { name: "cd" }, { "if-match": await server.etag(uri) }),
    });
    expect(await server.read(uri)).to.deep.equal({ ...bot, name: "cd" });
    expect((await rest.delete(uri)).status).to.equal(204);
    expectRefused(await rest.get(uri), notFound);
  });

  it("include a role for each bot, set at its creation", async () => {
    const { rest } = await server.member({ role: "admin" });
    const { status, body: made } = await rest.post("/bot_users", { name: "made by a bot" });
    expect([status, made.role]).to.deep.equal([201, "member"]);
    await refusedBeside({
      refused: () => rest.patch(made.uri, { role: "admin" }),
      as: immutable("role"),
      allowed: () => rest.patch(made.uri, { name: "another" }),
    });
    for (const role of ["owner", "Admin", 1])
      expectRefused(await rest.post("/bot_users", { name: "x", role }), invalid("role"));
    expect((await rest.post("/bot_users", { name: "x", role: null })).body.role).to.equal("member");
  });

  it("are shown to each caller: who it is, its role, when its key expires, and which server that is", async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { bot } = await server.member();
    const key = await server.created("/api_keys", { owner_id: bot.id, expires_at });
    const { body } = await new Rest(server.url, key.token).get("/caller");
    const { server_id, key_id, ...admin } = await server.read("/caller");
    expect(admin).to.include({ name: "admin", role: "admin", expires_at: null });
    expect(server_id, "the same for each caller").to.match(/^ac_[0-9A-Za-z]{27}$/);
    expect(body).to.deep.equal({
      ...{ owner_id: bot.id, name: bot.name, role: "member", account_role: null },
      ...{ projects: [{ ...DEFAULT_PROJECT, role: "member" }], key_id: key.id, scopes: [], server_id },
      expires_at,
    });
    const description = "made when the server started";
    expect(await server.read(`/api_keys/${key_id}`)).to.include({ owner_id: admin.owner_id, description });
  });

  it("hide from a member whether a bot exists, and take no authtoken for a key", async () => {
    const [{ bot }, { rest }] = [await server.member(), await server.member()];
    for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
      const messages = [bot.id, unknownId("bot")].map((id) =>
        refusedBeside({
          refused: () => rest.request(method, `/bot_users/${id}`, body),
          as: { status: 403, code: "TP_1200" },
          allowed: () => server.rest.get(`/bot_users/${bot.id}`),
        }).then(({ refused: [answer] }) => answer?.body.msg.replaceAll(id, "<id>")),
      );
      const [real, none] = await Promise.all(messages);
      expect(real).to.equal(none);
    }
    const { token } = await server.created("/credentials", {});
    await refusedBeside({
      refused: () => new Rest(server.url, token).get("/credentials"),
      as: { status: 401, code: "TP_1101" },
      allowed: () => rest.get("/credentials"),
    });
  });
});
