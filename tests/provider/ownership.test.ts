import { expect } from "chai";
import { Engine } from "../support/engine";
import { changesOf, failureOf, makeSshKey, requestsDuring, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";

onEveryProvider("A stack that is shared by people who do not see each other's credentials", (tunnels) => {
  const world = new World();
  after(() => world.close());

  async function member(server: ServerProcess & { rest: Rest }, name: string) {
    const bot = (await server.rest.post("/bot_users", { name })).body;
    const { token } = (await server.rest.post("/api_keys", { owner_id: bot.id })).body;
    return { bot, apiKey: token as string, rest: new Rest(server.url, token) };
  }

  /** A stack whose objects its first user owns, with its program and a way to run it with another key. */
  async function shared() {
    const server = await world.server();
    const [ada, bo] = [await member(server, "ada"), await member(server, "bo")];
    const declared = { description: "first", keep: true };
    const publicKey = makeSshKey();
    const program = async () => {
      if (!declared.keep) return;
      const { description } = declared;
      new tunnels.TunnelCredential("credential", { description });
      new tunnels.SshCredential("ssh", { description, publicKey });
      new tunnels.ApiKey("key", { description });
    };
    const stack = await world.stack({ url: server.url, apiKey: ada.apiKey }, program);
    await stack.up();
    const count = async () =>
      (await server.rest.get("/credentials")).body.credentials.length +
      (await server.rest.get("/ssh_credentials")).body.ssh_credentials.length +
      (await ada.rest.get("/api_keys")).body.keys.length;
    /** The same stack, run with another's key. */
    const runBy = ({ apiKey }: { apiKey: string }, env: Record<string, string> = {}) =>
      Engine.open(stack.folder, {
        program,
        env: { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: apiKey, ...env },
      });
    return { server, ada, bo, declared, count, runBy };
  }

  it("fails for an object of another owner, and never takes it for deleted", async () => {
    const { server, ada, bo, declared, count, runBy } = await shared();
    const stack = await runBy(bo);
    const refused = `belongs to another owner (${ada.bot.id})`;
    let message = "";
    const requests = await requestsDuring(server, async () => {
      message = await failureOf(stack.refresh());
    });
    expect(message)
      .to.include(refused)
      .and.to.include(`bo (${bo.bot.id})`)
      .and.to.include("use a key of its owner or of an admin");
    expect(requests.filter((request) => request === "GET /caller")).to.have.length(1);

    declared.description = "second";
    expect(await failureOf(stack.up())).to.include(refused);
    declared.keep = false;
    expect(await failureOf(stack.up())).to.include(refused);
    expect(await failureOf(stack.destroy())).to.include(refused);
    expect(await count(), "nothing is created again, and nothing is deleted").to.equal(4);

    declared.keep = true;
    declared.description = "first";
    const own = await runBy(ada);
    await own.refresh();
    expect(changesOf(await own.up())).to.deep.equal([]);
  });

  it("fails in the preview too, if previews ask the server", async () => {
    const { ada, bo, declared, runBy } = await shared();
    declared.description = "second";
    const stack = await runBy(bo, { TUNNELPLANE_VALIDATE_ON_SERVER: "true" });
    expect(await failureOf(stack.preview())).to.include(`belongs to another owner (${ada.bot.id})`);
  });

  it("creates an object again if a run with its owner's or an admin's key finds it deleted", async () => {
    const { server, ada, runBy } = await shared();
    const remove = async () => {
      const [{ id }] = (await server.rest.get("/credentials")).body.credentials;
      expect((await server.rest.delete(`/credentials/${id}`)).status).to.equal(204);
    };
    for (const user of [ada, server]) {
      await remove();
      const stack = await runBy(user);
      await stack.refresh();
      expect(changesOf(await stack.up())).to.deep.equal(["create credential"]);
    }
  });

  it("takes nothing for deleted on a server that cannot say who owns the key", async () => {
    const { bo, runBy, count } = await shared();
    const old = await StandInServer.start(async (request, response) => {
      const { status, text } =
        request.url === "/caller"
          ? {
              status: 404,
              text: '{"error_code":"TP_1301","status_code":404,"msg":"There is no /caller here","details":{}}',
            }
          : await bo.rest.get(request.url as string);
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    });
    const stack = await runBy(bo, { TUNNELPLANE_BASE_URL: old.url });
    expect(await failureOf(stack.refresh())).to.include("cannot say who owns the API key");
    old.stop();
    expect(await count()).to.equal(4);
  });
});
