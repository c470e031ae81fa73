import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { expectRefused, immutable, invalid, serverOfThisFile } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";
import { Rest } from "../support/rest";

onEveryDatabase("Users, bots and API keys", (start) => {
  const server = serverOfThisFile(start);

  it("let an admin create an API key, which is shown once, and revoke it", async () => {
    const { body, status } = await server.rest.post("/api_keys", { description: "mine" });
    expect(status).to.equal(201);
    expect(body.token).to.match(/^tpk_/);
    expect((await server.rest.get(`/api_keys/${body.id}`)).body).to.deep.equal({ ...body, token: null });
    const rest = new Rest(server.url, body.token);
    expect((await rest.get("/ip_policies")).status).to.equal(200);
    expect((await server.rest.delete(`/api_keys/${body.id}`)).status).to.equal(204);
    expect((await rest.get("/ip_policies")).status).to.equal(401);
  });

  it("make a bot the owner of the objects that it creates", async () => {
    const { bot, rest } = await server.member();
    expect((await rest.post("/credentials", {})).body.owner_id).to.equal(bot.id);
    const foreign = await rest.post("/credentials", { owner_id: (await server.member()).bot.id });
    expectRefused(foreign, { status: 403, code: "TP_1200", field: "owner_id" });
  });

  it("let an admin name a bot as owner, and refuse to delete the bot while it owns something", async () => {
    const { bot } = await server.member();
    const credential = (await server.rest.post("/credentials", { owner_id: bot.id })).body;
    const refused = await server.rest.delete(`/bot_users/${bot.id}`);
    expectRefused(refused, { status: 409, code: "TP_1500" });
    expect(refused.body.msg).to.contain(credential.id);
    expectRefused(await server.rest.post("/credentials", { owner_id: "bot_000000000000000000000000000" }), {
      status: 400,
      code: "TP_1004",
      field: "owner_id",
    });
  });

  it("hide the API keys of others from a member, and show it its own", async () => {
    const [one, other] = [await server.member(), await server.member()];
    const keys = (await one.rest.get("/api_keys")).body.keys;
    expect(keys.map(({ id }: { id: string }) => id)).to.deep.equal([one.key.id]);
    expect((await one.rest.get(`/api_keys/${one.key.id}`)).status).to.equal(200);
    for (const request of [one.rest.get, one.rest.delete]) {
      expectRefused(await request(`/api_keys/${other.key.id}`), { status: 404, code: "TP_1300" });
    }
    expect((await server.rest.get("/api_keys?limit=100")).body.keys.length).to.be.greaterThan(2);
  });

  it("include bots that can be created, read, changed and deleted; invalid ones are refused", async () => {
    const { status, body: bot } = await server.rest.post("/bot_users", { name: "ci" });
    expect(status).to.equal(201);
    expect(bot).to.have.all.keys("id", "uri", "created_at", "name", "role", "active", "gateway_name");
    expect(bot).to.include({
      name: "ci",
      role: "member",
      active: true,
      uri: `${server.url}/bot_users/${bot.id}`,
    });
    expect((await server.rest.get(bot.uri)).body).to.deep.equal(bot);
    expect((await server.rest.get("/bot_users")).body.bot_users).to.deep.include(bot);
    expect((await server.rest.patch(bot.uri, { name: "cd" })).body).to.deep.equal({ ...bot, name: "cd" });
    expectRefused(await server.rest.patch(bot.uri, { description: "x" }), {
      status: 400,
      code: "TP_1002",
      field: "description",
    });
    expectRefused(await server.rest.post("/bot_users", {}), { status: 400, code: "TP_1001", field: "name" });
    expectRefused(await server.rest.patch(bot.uri, { name: "x" }, { "if-match": '"7"' }), {
      status: 412,
      code: "TP_1600",
    });
    expectRefused(await server.rest.put(bot.uri, {}), { status: 405, code: "TP_1400" });
    expect((await server.rest.delete(bot.uri)).status).to.equal(204);
    expectRefused(await server.rest.get(bot.uri), { status: 404, code: "TP_1300" });
  });

  it("are closed to members as far as bots are concerned", async () => {
    const { bot, rest } = await server.member();
    for (const answer of [
      await rest.get("/bot_users"),
      await rest.get(`/bot_users/${bot.id}`),
      await rest.post("/bot_users", { name: "x" }),
    ]) {
      expectRefused(answer, { status: 403, code: "TP_1200" });
    }
  });

  it("include a role for each bot, set at its creation", async () => {
    const admin = await server.created("/bot_users", { name: "deployer", role: "admin" });
    const key = await server.created("/api_keys", { owner_id: admin.id });
    const rest = new Rest(server.url, key.token);
    const { status, body: made } = await rest.post("/bot_users", { name: "made by a bot" });
    expect([status, made.role]).to.deep.equal([201, "member"]);
    expectRefused(await rest.patch(made.uri, { role: "admin" }), immutable("role"));
    for (const role of ["owner", "Admin", 1])
      expectRefused(await rest.post("/bot_users", { name: "x", role }), invalid("role"));
    expect((await rest.post("/bot_users", { name: "x", role: null })).body.role).to.equal("member");
  });

  it("are shown to each caller: who it is, its role, when its key expires, and which server that is", async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { bot } = await server.member();
    const key = await server.created("/api_keys", { owner_id: bot.id, expires_at });
    const { status, body } = await new Rest(server.url, key.token).get("/caller");
    expect(status).to.equal(200);
    const admin = await server.read("/caller");
    expect(admin).to.include({ name: "admin", role: "admin", expires_at: null });
    expect(admin.server_id, "the same for each caller").to.match(/^ac_[0-9A-Za-z]{27}$/);
    const { server_id } = admin;
    expect(body).to.deep.equal({
      owner_id: bot.id,
      name: bot.name,
      role: "member",
      account_role: null,
      projects: [{ ...DEFAULT_PROJECT, role: "member" }],
      key_id: key.id,
      scopes: [],
      server_id,
      expires_at,
    });
    expect(await server.read(`/api_keys/${admin.key_id}`)).to.include({ owner_id: admin.owner_id });
    expectRefused(await server.rest.post("/caller", {}), { status: 405, code: "TP_1400" });
  });

  it("do not accept the key of a bot that is not active", async () => {
    const { bot, rest } = await server.member();
    await server.rest.patch(`/bot_users/${bot.id}`, { active: false });
    expectRefused(await rest.get("/ip_policies"), { status: 403, code: "TP_1200" });
    await server.rest.patch(`/bot_users/${bot.id}`, { active: true });
    expect((await rest.get("/ip_policies")).status).to.equal(200);
  });

  it("include the key that the server was started with", async () => {
    const { keys } = (await server.rest.get("/api_keys?limit=100")).body;
    expect(keys.at(-1).description).to.equal("made when the server started");
  });
});
