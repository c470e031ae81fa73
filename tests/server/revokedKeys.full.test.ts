import { onEveryDatabase } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

onEveryDatabase("A key that is in use at two servers on one database", (start) => {
  let servers: [ServerProcess, ServerProcess];
  let admins: [Rest, Rest];
  before("start two servers", async () => {
    const one = await start();
    servers = [one, await start({ data: one.data })];
    admins = servers.map(({ rest }) => rest) as [Rest, Rest];
  });

  /** A new key, and functions that use it at both servers. Each has just found it valid. */
  const keyInUse = async (body: object = {}) => {
    const { id, token } = (await admins[0].post("/api_keys", body)).body;
    const rests = servers.map(({ url }) => new Rest(url, token)) as [Rest, Rest];
    const statusAt = async (server: 0 | 1) => (await rests[server].get("/ip_policies")).status;
    expect([await statusAt(0), await statusAt(1)]).to.deep.equal([200, 200]);
    return { id, statusAt };
  };

  /** Uses the key until it is refused; the test times out if it never is. */
  const refusalOf = async (statusAt: (server: 0 | 1) => Promise<number>, server: 0 | 1): Promise<number> => {
    for (;;) {
      const status = await statusAt(server);
      if (status !== 200) return status;
    }
  };

  it("is refused at once by the server that deleted it, and soon by the other, even if it is in constant use", async () => {
    const { id, statusAt } = await keyInUse();
    const lasting = await keyInUse();
    expect((await admins[0].delete(`/api_keys/${id}`)).status).to.equal(204);
    await refusedBeside({
      refused: [() => statusAt(0), () => refusalOf(statusAt, 1)],
      as: 401,
      allowed: () => lasting.statusAt(1),
    });
  });

  it("is refused in the same way if its bot is deactivated, and accepted again when the bot is active", async () => {
    const bot = (await admins[0].post("/bot_users", { name: "ci" })).body;
    const { statusAt } = await keyInUse({ owner_id: bot.id });
    expect((await admins[0].patch(`/bot_users/${bot.id}`, { active: false })).status).to.equal(200);
    await refusedBeside({
      refused: [() => statusAt(0), () => refusalOf(statusAt, 1)],
      as: 403,
      async allowed() {
        await admins[0].patch(`/bot_users/${bot.id}`, { active: true });
        return statusAt(0);
      },
      refusedFirst: true,
    });
  });

  it("works in a project from its owner's membership on and until that is gone: at once where it was changed, soon at the other", async () => {
    const project = (await admins[0].post("/projects", { name: "team" })).body;
    const bot = (await admins[0].post("/bot_users", { name: "ci" })).body;
    const { token } = (await admins[0].post("/api_keys", { owner_id: bot.id })).body;
    const statusAt = async (server: 0 | 1) =>
      (await admins[server].as(token).inside(project.name).get("/ip_policies")).status;
    expect([await statusAt(0), await statusAt(1)]).to.deep.equal([404, 404]);
    const grant = { project_id: project.id, role: "viewer", bot_user_id: bot.id };
    const { uri } = (await admins[0].post("/memberships", grant)).body;
    expect(await statusAt(0)).to.equal(200);
    while ((await statusAt(1)) !== 200); // times out if that never comes
    const ended = async () => {
      await admins[0].delete(new URL(uri).pathname);
      return statusAt(0);
    };
    await refusedBeside({
      refused: [ended, () => refusalOf(statusAt, 1)],
      as: 404,
      allowed: () => statusAt(0),
    });
  });

  it("is known as used to the other once the server that it was used at has ended", async () => {
    const { uri, token } = (await admins[0].post("/api_keys", {})).body;
    const path = new URL(uri).pathname;
    expect((await new Rest(servers[0].url, token).get("/ip_policies")).status).to.equal(200);
    const shown = (await admins[0].get(path)).body.last_used_at;
    expect(shown).to.match(/:00:00\.000Z$/);
    await servers[0].stop();
    expect((await admins[1].get(path)).body.last_used_at).to.equal(shown);
  });
});
