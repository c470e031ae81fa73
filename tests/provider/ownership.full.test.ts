import { Engine } from "../support/engine";
import {
  changesOf,
  failureOf,
  failuresOf,
  makeSshKey,
  requestsDuring,
  worldOfThisFile,
} from "../support/provider";
import { type Classes, NAMES, type Name, PROVIDERS } from "../support/providers";
import { Rest } from "../support/rest";

/** What each provider's program declares, without the prefix of the provider. */
const RESOURCES = ["credential", "ssh", "key"];
type Member = { readonly id: string; readonly apiKey: string; readonly rest: Rest };

describe("A stack that is shared by people who do not see each other's credentials", () => {
  const { world, server } = worldOfThisFile();
  const keys = { dynamic: makeSshKey(), native: makeSshKey() };
  const first = { description: "first", declaring: NAMES };
  let declared: { description: string; declaring: readonly Name[] } = first;
  let [ada, bo]: Member[] = [];
  let stack: Engine;
  function declare(provider: Name, tunnels: Classes): void {
    const { description } = declared;
    const [credential = "", ssh = "", key = ""] = RESOURCES.map((name) => `${provider}-${name}`);
    new tunnels.TunnelCredential(credential, { description });
    new tunnels.SshCredential(ssh, { description, publicKey: keys[provider] });
    new tunnels.ApiKey(key, { description });
  }
  const program = async () => {
    for (const provider of declared.declaring) declare(provider, PROVIDERS[provider]);
  };

  async function member(name: string): Promise<Member> {
    const { id } = (await server.rest.post("/bot_users", { name })).body;
    const { token } = (await server.rest.post("/api_keys", { owner_id: id })).body;
    return { id, apiKey: token, rest: new Rest(server.url, token) };
  }

  before("run the program with the key of its first user", async () => {
    [ada, bo] = [await member("ada"), await member("bo")];
    stack = await world.stack({ url: server.url, apiKey: ada.apiKey }, program);
    await stack.up();
  });
  afterEach("declare what is recorded", () => {
    declared = first;
  });

  const runBy = ({ apiKey }: { apiKey: string }, env: Record<string, string> = {}) =>
    Engine.open(stack.folder, {
      program,
      env: { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: apiKey, ...env },
    });
  const urnsOf = (provider: Name): string[] =>
    stack
      .resources()
      .map(({ urn }) => urn)
      .filter((urn) => urn.includes(`::${provider}-`));
  async function expectAll(what: string): Promise<void> {
    const { credentials } = (await server.rest.get("/credentials")).body;
    const { ssh_credentials } = (await server.rest.get("/ssh_credentials")).body;
    const { keys } = (await (ada as Member).rest.get("/api_keys")).body;
    expect(credentials.length + ssh_credentials.length + keys.length, what).to.equal(
      RESOURCES.length * NAMES.length + 1,
    );
  }
  const refusal = () => `belongs to another owner (${ada?.id})`;

  it("fails for an object of another owner, and never takes it for deleted", async () => {
    const runOfBo = await runBy(bo as Member);
    for (const provider of NAMES) {
      const target = urnsOf(provider);
      let message = "";
      const requests = await requestsDuring(server, async () => {
        message = await failureOf(runOfBo.refresh({ target }));
      });
      expect(message)
        .to.include(refusal())
        .and.to.include(`bo (${bo?.id})`)
        .and.to.include("use a key of its owner or of an admin");
      expect(requests.filter((request) => request === "GET /caller")).to.have.length(1);
    }
    const runs: Record<string, () => Promise<unknown>> = {
      update: () => {
        declared = { ...first, description: "second" };
        return runOfBo.up({ continueOnError: true });
      },
      removal: () => {
        declared = { ...first, declaring: [] };
        return runOfBo.up({ continueOnError: true });
      },
      destroy: () => runOfBo.destroy({ continueOnError: true }),
    };
    for (const [what, run] of Object.entries(runs)) {
      const refused = await failuresOf(runOfBo, run);
      for (const provider of NAMES)
        for (const name of RESOURCES)
          expect(refused.get(`${provider}-${name}`), `${what} of ${provider}-${name}`).to.include(refusal());
    }
    await expectAll("nothing is created again, and nothing is deleted");
    declared = first;
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("fails in the preview too, if previews ask the server", async () => {
    const runOfBo = await runBy(bo as Member, { TUNNELPLANE_VALIDATE_ON_SERVER: "true" });
    for (const provider of NAMES) {
      declared = { description: "second", declaring: [provider] };
      expect(await failureOf(runOfBo.preview()), provider).to.include(refusal());
    }
  });

  it("creates an object again if a run with its owner's or an admin's key finds it deleted", async () => {
    for (const run of [stack, await runBy(server)]) {
      const { credentials } = (await server.rest.get("/credentials")).body;
      expect(credentials).to.have.length(NAMES.length);
      for (const { id } of credentials)
        expect((await server.rest.delete(`/credentials/${id}`)).status).to.equal(204);
      await run.refresh();
      expect(changesOf(await run.up())).to.have.members(
        NAMES.map((provider) => `create ${provider}-credential`),
      );
    }
  });
});
