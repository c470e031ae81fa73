import { setTimeout as sleep } from "node:timers/promises";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { expect } from "chai";
import { Folder } from "../support/catalogue";
import { Engine, type EngineOptions, OURS } from "../support/engine";
import { LossyProxy } from "../support/lossyProxy";
import { isEngine, signalled, treeOf } from "../support/processes";
import { changesOf, failureOf, requestsDuring, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

type Server = Awaited<ReturnType<World["server"]>>;

interface Recorded {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: unknown;
  readonly outputs: Record<string, unknown>;
}

/** Our resources in a stack's state. */
async function recordedIn(stack: Engine): Promise<Recorded[]> {
  const { deployment } = await stack.exportState();
  const resources = (deployment.resources ?? []) as Recorded[];
  return resources
    .filter(({ type }) => OURS.test(type))
    .map(({ urn, type, id, inputs, outputs }) => ({ urn, type, id, inputs, outputs }))
    .sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

const NOBODY = { url: "http://127.0.0.1:9", apiKey: "for-nobody" };
const NAMES = ["backend", "catalogue", "credential", "edge", "tls"];
const COLLECTIONS = ["/backends/tunnel_group", "/edges/https", "/credentials", "/ip_policies"];

/** The paths of the objects that a server has. */
async function objectsOn({ rest }: Server): Promise<string[]> {
  const lists = await Promise.all(
    COLLECTIONS.map(async (path) => Object.values((await rest.get(path)).body).find(Array.isArray) ?? []),
  );
  return lists.flatMap((list, index) => list.map(({ id }: { id: string }) => `${COLLECTIONS[index]}/${id}`));
}

const countOn = async (server: Server): Promise<number> => (await objectsOn(server)).length;

const idOf = async ({ rest }: Server): Promise<string> => (await rest.get("/caller")).body.server_id;

onEveryProvider("A stack and the server that has its objects", (tunnels) => {
  const world = new World();
  const folder = new Folder();
  let one: Server;
  let other: Server;
  before("start two servers", async () => {
    folder.write("ipPolicies: { office: { description: of the catalogue } }\n");
    [one, other] = [await world.server(), await world.server()];
  });
  afterEach("leave nothing on them, also after a failure", async () => {
    for (const server of [one, other]) {
      await server.rest.delete("/changesets/catalogue");
      for (const path of await objectsOn(server)) await server.rest.delete(path);
    }
  });
  after(async () => {
    await world.close();
    folder.remove();
  });

  /**
   * Objects, a module that is a resource of its own, a one-time secret and a catalogue: four objects on the
   * server.
   */
  const declare = (description: string, options: CustomResourceOptions = {}): void => {
    new tunnels.TunnelGroupBackend("backend", { description, labels: { service: "web" } }, options);
    const edge = new tunnels.HttpsEdge("edge", { description, hostports: ["app.example.com:443"] }, options);
    new tunnels.HttpsEdgeTlsTermination(
      "tls",
      { edgeId: edge.id, minVersion: description === "first" ? "1.2" : "1.3" },
      options,
    );
    new tunnels.TunnelCredential("credential", { description }, options);
    new tunnels.CatalogueSet("catalogue", { file: folder.catalogue }, options);
  };

  /** A stack that the environment leads to the first server, with a way to lead it elsewhere. */
  async function stackOnOne(options: Partial<EngineOptions> = {}) {
    const declared = { description: "first" };
    const program = async () => declare(declared.description);
    const stack = await world.stack(one, program, options);
    await stack.up();
    const leadTo = ({ url, apiKey }: { url: string; apiKey: string }) =>
      Engine.open(stack.folder, {
        ...options,
        program,
        env: { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: apiKey },
      });
    return { stack, declared, leadTo };
  }

  it("is refused by every step that would look for them on another one, with the cure, and the state stays; another address is fine", async () => {
    const { stack, declared, leadTo } = await stackOnOne();
    const before = await recordedIn(stack);
    const [mine, others] = [await idOf(one), await idOf(other)];
    const elsewhere = await leadTo(other);
    const refused = async (what: string, run: () => Promise<unknown>) => {
      const message = await failureOf(run());
      const short = (id: string) => id.slice(-8);
      expect(message, what)
        .to.contain(
          `is on ${one.url} (ac_…${short(mine)}), and ${other.url} (ac_…${short(others)}) is another server`,
        )
        .and.to.contain(`So set the address back to ${one.url}`)
        .and.to.contain("pulumi state delete")
        .and.to.contain("The address comes from TUNNELPLANE_BASE_URL");
      expect(message, "no stack trace").not.to.match(/\n\s+at /);
      expect(await recordedIn(stack), what).to.deep.equal(before);
    };
    await refused("preview --refresh", () => elsewhere.preview({ refresh: true }));
    await refused("preview", () => elsewhere.preview());
    await refused("up without a change", () => elsewhere.up());
    for (const { urn } of before.filter(({ type }) => /Termination|Set/.test(type))) {
      await refused(`refresh ${urn}`, () => elsewhere.refresh({ target: [urn] }));
      await refused(`destroy ${urn}`, () => elsewhere.destroy({ target: [urn], targetDependents: true }));
    }
    await refused("refresh", () => elsewhere.refresh());
    await refused("destroy", () => elsewhere.destroy());
    declared.description = "second";
    await refused("up", () => elsewhere.up());
    expect(await countOn(other), "on the other server").to.equal(0);
    expect(await countOn(one), "on the first server").to.equal(4);

    declared.description = "first";

    const address = one.url.replace("127.0.0.1", "localhost");
    const renamed = await leadTo({ url: address, apiKey: one.apiKey });
    expect(changesOf(await renamed.preview()), "another address of the same server").to.deep.equal([]);
    expect(changesOf(await renamed.refresh())).to.deep.equal([]);
    declared.description = "second";
    await renamed.up();
    const servers = new Map(
      (await recordedIn(stack)).map(({ urn, outputs }) => [urn.split("::").at(-1), outputs.__server]),
    );
    expect(servers.get("edge"), "written again").to.equal(`${mine} ${address}`);
    expect(servers.get("catalogue"), "not written").to.equal(`${mine} ${one.url}`);
    await renamed.destroy();
    expect(await countOn(one)).to.equal(0);
  });

  it("that no state names yet is recorded by the next write, and shows in no preview or refresh", async () => {
    const { stack, declared, leadTo } = await stackOnOne();
    const state = await stack.exportState();
    for (const { outputs } of state.deployment.resources) if (outputs) delete outputs.__server;
    await stack.importState(state);
    const withoutSet = (requests: string[]) => requests.filter((request) => !request.includes("/changesets"));
    expect(
      withoutSet(
        await requestsDuring(one, async () => expect(changesOf(await stack.preview())).to.deep.equal([])),
      ),
    ).to.deep.equal([]);
    expect(changesOf(await stack.refresh())).to.deep.equal([]);
    declared.description = "second";
    expect(changesOf(await stack.up())).to.have.length(4);
    const named = (await recordedIn(stack)).filter(({ outputs }) => outputs.__server !== undefined);
    expect(named.map(({ urn }) => urn.split("::").at(-1))).to.have.members([
      "backend",
      "credential",
      "edge",
      "tls",
    ]);
    expect(await failureOf((await leadTo(other)).destroy())).to.contain("is another server");
    expect(await countOn(one), "nothing but the set, which nothing has named, could go").to.equal(4);
    await stack.destroy();
  });

  it("that cannot be asked is named with the reason once, in one line, and other steps point there", async () => {
    const { stack, declared, leadTo } = await stackOnOne();
    const nowhere = await leadTo(NOBODY);
    const reasons = (text: string) =>
      text.split("\n").filter((line) => /^ {4}(error|warning): .*does not answer/.test(line));
    for (const run of [() => nowhere.refresh(), () => nowhere.destroy()]) {
      const message = await failureOf(run());
      const [shown = ""] = message.split("err?:");
      expect(reasons(shown), shown).to.have.length(1);
      expect(shown).to.contain("The address comes from TUNNELPLANE_BASE_URL");
    }
    declared.description = "second";
    const { warnings } = await nowhere.preview();
    const words = `it is not known whether ${NOBODY.url} is the server of this stack's state (${one.url})`;
    expect(
      warnings.filter((warning) => warning.includes(words)),
      "a preview goes on without it",
    ).to.have.length(1);
    await stack.destroy();
  });

  /** A stack whose program hands accounts to its resources. */
  async function stackWithAccounts(
    accounts: Record<string, { url: string; apiKey: string }> = { one, other },
    options: Partial<EngineOptions> = {},
  ) {
    const chosen = { account: "one", accounts };
    const stack = await world.stack(
      NOBODY,
      async () => {
        const declared = Object.entries(chosen.accounts).map(
          ([name, { url, apiKey }]) => [name, new tunnels.Account(name, { baseUrl: url, apiKey })] as const,
        );
        declare("first", { provider: new Map(declared).get(chosen.account) });
      },
      options,
    );
    await stack.up();
    return { stack, chosen };
  }

  it("changes by a move to an account of another server: a replacement that names both, and deletes the old objects there", async () => {
    const { stack, chosen } = await stackWithAccounts();
    const uris = async () => (await recordedIn(stack)).flatMap(({ outputs }) => outputs.uri ?? []);
    const before = await uris();
    const [mine, others] = [await idOf(one), await idOf(other)];
    chosen.account = "other";
    for (const isPreview of [true, false]) {
      const run = await (isPreview ? stack.preview() : stack.up());
      for (const op of ["create-replacement", "delete-replaced"])
        expect(
          run.steps.filter((step) => step.op === op).map(({ name }) => name),
          op,
        ).to.have.members(NAMES);
      const moves = run.warnings.filter((warning) => warning.includes("moves to another server"));
      // Where an edge is deleted first, the engine does not ask about its module.
      expect(moves.length).to.be.at.least(NAMES.length - 1);
      for (const warning of moves)
        expect(warning).to.contain(
          `from ${one.url} (ac_…${mine.slice(-8)}) to ${other.url} (ac_…${others.slice(-8)})`,
        );
      expect([await countOn(one), await countOn(other)]).to.deep.equal(isPreview ? [4, 0] : [0, 4]);
    }
    for (const uri of await uris()) expect(before).not.to.include(uri);
    expect(changesOf(await stack.up()), "the same program again").to.deep.equal([]);
    expect(changesOf(await stack.refresh())).to.deep.equal([]);

    chosen.account = "one";
    chosen.accounts = { one };
    await stack.up();
    expect(
      [await countOn(one), await countOn(other)],
      "back, and the other account leaves the program",
    ).to.deep.equal([4, 0]);
    await stack.destroy();
    expect(await countOn(one)).to.equal(0);
  });

  it("changes by a move between the server of the environment and that of an account", async () => {
    let isMoved = false;
    const stack = await world.stack(one, async () => {
      const account = isMoved
        ? new tunnels.Account("other", { baseUrl: other.url, apiKey: other.apiKey })
        : undefined;
      declare("first", { provider: account });
    });
    const counts = [];
    for (isMoved of [false, true]) {
      await stack.up();
      counts.push([await countOn(one), await countOn(other)]);
    }
    expect(counts).to.deep.equal([
      [4, 0],
      [0, 4],
    ]);
    await stack.destroy();
  });

  it("does not change where an account's address does, or by a move to another account, of the same server; and another server's address is refused", async () => {
    const { stack, chosen } = await stackWithAccounts();
    const renamed = { url: one.url.replace("127.0.0.1", "localhost"), apiKey: one.apiKey };
    chosen.accounts = { one: renamed, same: renamed };
    chosen.account = "same";
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect(changesOf(await stack.refresh())).to.deep.equal([]);

    const before = await recordedIn(stack);
    chosen.accounts = { same: other };
    for (const run of [() => stack.preview(), () => stack.up()])
      expect(await failureOf(run()))
        .to.contain(`is on ${one.url}`)
        .and.to.contain(`and ${other.url} (ac_…${(await idOf(other)).slice(-8)}) is another server`)
        .and.to.match(/declare another (account|provider) with that address/);
    expect(await recordedIn(stack)).to.deep.equal(before);
    expect([await countOn(one), await countOn(other)]).to.deep.equal([4, 0]);
    chosen.accounts = { same: renamed };
    await stack.up();
    await stack.destroy();
    expect(await countOn(one)).to.equal(0);
  });

  for (const [moment, method] of Object.entries({
    "a new object is made": "POST",
    "an old one is deleted": "DELETE",
  }))
    it(`has each object once after a move that was killed while ${moment}`, async () => {
      let isArmed = false;
      let killed: number[] = [];
      const proxies = await Promise.all(
        [one, other].map((server) =>
          LossyProxy.start(server.url, ({ method: asked, url }) => {
            if (!isArmed || asked !== method || url?.startsWith("/changesets")) return "answered";
            isArmed = false;
            killed = treeOf(process.pid).filter(isEngine);
            for (const each of killed) signalled(each, "SIGKILL");
            return "answer lost";
          }),
        ),
      );
      try {
        const [first, second] = proxies.map(({ url }) => ({ url, apiKey: one.apiKey }));
        if (!first || !second) throw new Error("There are two proxies");
        const { stack, chosen } = await stackWithAccounts(
          { one: first, other: second },
          { checkpoints: true },
        );
        chosen.account = "other";
        isArmed = true;
        await failureOf(stack.up());
        expect(isArmed, "it was killed").to.equal(false);
        while (killed.some((each) => signalled(each, 0))) await sleep(10);
        stack.restoreTornState();
        await stack.cancel();
        await stack.up();
        expect([await countOn(one), await countOn(other)]).to.deep.equal([0, 4]);
        expect(changesOf(await stack.up())).to.deep.equal([]);
        const servers = (await recordedIn(stack)).map(({ outputs }) => outputs.__server);
        expect(new Set(servers)).to.deep.equal(new Set([`${await idOf(other)} ${second.url}`]));
        await stack.destroy();
        expect(await countOn(other)).to.equal(0);
      } finally {
        for (const proxy of proxies) proxy.stop();
      }
    });
});
