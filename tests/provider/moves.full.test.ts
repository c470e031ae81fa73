import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, EngineOptions, Run } from "../support/engine";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { isEngine, signalled, treeOf } from "../support/processes";
import { changesOf, failureOf } from "../support/provider";
import { NAMES, type Name, PROVIDERS } from "../support/providers";
import { ALL, nameOf, RESOURCES, serverIdOf, TwoServers } from "./twoServers";

/** The accounts of a program, by name: an address, and the key for each provider. */
type Accounts = Readonly<
  Record<string, { readonly url: string; readonly keys: Readonly<Record<Name, string>> }>
>;

const place = ({ url, apiKey }: { url: string; apiKey: string }) => ({
  url,
  keys: { dynamic: apiKey, native: apiKey },
});

describe("The server that has a stack's objects", () => {
  let servers: TwoServers;
  before("start two servers", async () => {
    servers = await TwoServers.start();
  });

  /** What a program declares: resources of both providers, with accounts or without. */
  class Program {
    accounts: Accounts = {};
    chosen: string | undefined;
    declaring: readonly Name[] = NAMES;

    stack = (options: Partial<EngineOptions> = {}): Promise<Engine> =>
      servers.world.stack(servers.one, async () => this.#declare(), options);

    #declare(): void {
      for (const provider of this.declaring) {
        const { Account } = PROVIDERS[provider];
        const declared = Object.entries(this.accounts).map(
          ([name, { url, keys }]) =>
            [name, new Account(`${provider}-${name}`, { baseUrl: url, apiKey: keys[provider] })] as const,
        );
        const account = this.chosen === undefined ? undefined : new Map(declared).get(this.chosen);
        servers.declare(provider, "first", account && { provider: account });
      }
    }
  }

  const uris = (stack: Engine) => stack.resources().flatMap(({ outputs }) => outputs.uri ?? []);
  const program = new Program();
  let stack: Engine;

  it("changes by a move from the server of the environment to that of an account", async () => {
    stack = await program.stack();
    await stack.up();
    expect(await servers.counts()).to.deep.equal([ALL, 0]);
    [program.accounts, program.chosen] = [{ other: place(servers.other) }, "other"];
    await stack.up();
    expect(await servers.counts()).to.deep.equal([0, ALL]);
  });

  it("changes by a move to an account of another server: a replacement that names both, and deletes the old objects there", async () => {
    const { one, other } = servers;
    const before = uris(stack);
    const words = `from ${await nameOf(other)} to ${await nameOf(one)}`;
    const expectMove = ({ steps, warnings }: Run): void => {
      for (const op of ["create-replacement", "delete-replaced"])
        expect(
          steps.filter((step) => step.op === op).map(({ name }) => name),
          op,
        ).to.have.members(NAMES.flatMap((provider) => RESOURCES.map((name) => `${provider}-${name}`)));
      const moves = warnings.filter((warning) => warning.includes("moves to another server"));
      // Where an edge is deleted first, the engine does not ask about its module.
      expect(moves.length).to.be.at.least(NAMES.length * (RESOURCES.length - 1));
      for (const warning of moves) expect(warning).to.contain(words);
    };
    [program.accounts, program.chosen] = [{ one: place(one), other: place(other) }, "one"];
    expectMove(await stack.preview());
    expect(await servers.counts()).to.deep.equal([0, ALL]);
    expectMove(await stack.up());
    expect(await servers.counts()).to.deep.equal([ALL, 0]);
    for (const uri of uris(stack)) expect(before).not.to.include(uri);
    expect(changesOf(await stack.up()), "the same program again").to.deep.equal([]);
    expect(changesOf(await stack.refresh())).to.deep.equal([]);
  });

  it("changes too where the old account leaves the program in the same run", async () => {
    [program.accounts, program.chosen] = [{ other: place(servers.other) }, "other"];
    await stack.up();
    expect(await servers.counts()).to.deep.equal([0, ALL]);
  });

  it("does not change where an account's address does, or by a move to another account, of the same server; and another server's address is refused", async () => {
    const { one, other } = servers;
    const renamed = place({ ...other, url: other.url.replace("127.0.0.1", "localhost") });
    [program.accounts, program.chosen] = [{ other: renamed, same: renamed }, "same"];
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect(changesOf(await stack.refresh())).to.deep.equal([]);
    const before = stack.resources();
    program.accounts = { same: place(one) };
    for (const provider of NAMES) {
      program.declaring = [provider];
      for (const run of [() => stack.preview(), () => stack.up()])
        expect(await failureOf(run()), provider)
          .to.contain(`is on ${other.url}`)
          .and.to.contain(`and ${await nameOf(one)} is another server`)
          .and.to.match(/declare another (account|provider) with that address/);
    }
    expect(stack.resources()).to.deep.equal(before);
    expect(await servers.counts()).to.deep.equal([0, ALL]);
    [program.accounts, program.declaring] = [{ same: renamed }, NAMES];
    await stack.up();
    await stack.destroy();
    expect(await servers.counts()).to.deep.equal([0, 0]);
  });

  interface Moment {
    readonly what: string;
    readonly method: "POST" | "PUT" | "DELETE";
    readonly of: readonly Name[];
  }
  // The dynamic provider deletes while the native one still creates, so each has a moment of its own.
  const MOMENTS: readonly Moment[] = [
    { what: "new objects are made", method: "POST", of: NAMES },
    { what: "modules are put into new edges", method: "PUT", of: NAMES },
    ...NAMES.map((name) => ({
      what: `an old one is deleted (${name} provider)`,
      method: "DELETE" as const,
      of: [name],
    })),
  ];

  describe("has each object once after a move that was killed while", () => {
    const program = new Program();
    const providers = new Map<string | undefined, Name>();
    let proxies: readonly LossyProxy[] = [];
    let stack: Engine;
    /** The moment of the next kill, until it came; the engines that were killed then. */
    let armed: Moment | undefined;
    let killed: number[] = [];
    const asking = new Set<Name>();
    let isKilled = Promise.resolve();
    let goOn = (): void => undefined;
    async function fateOf({ method = "", url, headers }: IncomingMessage): Promise<Fate> {
      const provider = providers.get(headers.authorization?.split(" ")[1]);
      if (!armed || url?.startsWith("/changesets") || !["POST", "PUT", "DELETE"].includes(method))
        return "answered";
      if (method !== armed.method || provider === undefined || !armed.of.includes(provider)) {
        if (armed.method !== "POST") return "answered";
        await isKilled;
        return "lost";
      }
      asking.add(provider);
      const moment = isKilled;
      if (asking.size === armed.of.length) {
        armed = undefined;
        killed = treeOf(process.pid).filter(isEngine);
        for (const each of killed) signalled(each, "SIGKILL");
        goOn();
      }
      await moment;
      return "answer lost";
    }

    before("declare everything on the first server, behind a proxy", async () => {
      const both = [servers.one, servers.other];
      proxies = await Promise.all(both.map((server) => LossyProxy.start(server.url, fateOf)));
      const accounts = await Promise.all(
        both.map(async ({ apiKey, rest }, index) => ({
          url: proxies[index]?.url ?? "",
          keys: { dynamic: apiKey, native: (await rest.post("/api_keys", {})).body.token as string },
        })),
      );
      for (const { keys } of accounts) for (const name of NAMES) providers.set(keys[name], name);
      [program.accounts, program.chosen] = [Object.fromEntries(accounts.entries()), "0"];
      stack = await program.stack({ checkpoints: true });
      await stack.up();
    });

    for (const [index, moment] of MOMENTS.entries())
      it(moment.what, async () => {
        const at = (index + 1) % 2;
        program.chosen = String(at);
        asking.clear();
        isKilled = new Promise((resolve) => {
          goOn = resolve;
        });
        armed = moment;
        await failureOf(stack.up());
        expect(armed, "it was killed").to.equal(undefined);
        while (killed.some((each) => signalled(each, 0))) await sleep(10);
        stack.restoreTornState();
        stack.cancel();
        await stack.up();
        expect(await servers.counts()).to.deep.equal(at === 0 ? [ALL, 0] : [0, ALL]);
        if (index === MOMENTS.length - 1) expect(changesOf(await stack.preview())).to.deep.equal([]);
        const recorded = stack.resources().map(({ outputs }) => outputs.__server);
        const id = await serverIdOf(at === 0 ? servers.one : servers.other);
        expect(new Set(recorded)).to.deep.equal(new Set([`${id} ${proxies[at]?.url}`]));
      });
  });
});
