import { Plugin } from "../plugin/plugin";
import { Engine } from "../support/engine";
import { changesOf, failureOf, failuresOf, requestsDuring } from "../support/provider";
import { NAMES } from "../support/providers";
import { ALL, NOBODY, nameOf, RESOURCES, serverIdOf, TwoServers } from "./twoServers";

describe("A stack whose objects are on one server", () => {
  let servers: TwoServers;
  let stack: Engine;
  let form: "first" | "second" | "third" = "first";
  const program = async () => {
    for (const provider of NAMES) servers.declare(provider, form);
  };

  before("declare everything on the first server", async () => {
    servers = await TwoServers.start();
    stack = await servers.world.stack(servers.one, program);
    await stack.up();
  });
  afterEach("declare everything as recorded", () => {
    form = "first";
  });

  /** The same stack, which the environment leads to another address. */
  const leadTo = ({ url, apiKey }: { url: string; apiKey: string }) =>
    Engine.open(stack.folder, { program, env: { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: apiKey } });
  async function expectRefusal(message: string, what: string): Promise<void> {
    const { one, other } = servers;
    expect(message, what)
      .to.contain(`is on ${await nameOf(one)}, and ${await nameOf(other)} is another server`)
      .and.to.contain(`So set the address back to ${one.url}`)
      .and.to.contain("pulumi state delete")
      .and.to.contain("The address comes from TUNNELPLANE_BASE_URL");
    expect(message, `${what}: no stack trace`).not.to.match(/\n\s+at /);
  }

  for (const provider of NAMES)
    it(`refuses every step that would look for them on another one, with the cure, and keeps its state (${provider} provider)`, async () => {
      const { url, apiKey } = servers.other;
      const env = { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: apiKey };
      const host = await Plugin.start(env, {}, "default", provider);
      const recorded = stack.resources().filter(({ urn }) => urn.includes(`::${provider}-`));
      expect(recorded).to.have.length(RESOURCES.length);
      for (const resource of recorded)
        for (const [step, message] of Object.entries(await host.refusals(resource)))
          await expectRefusal(message, `${step} of ${resource.urn}`);
    });

  it("names a server that cannot be asked once, in one line with the reason, to which other steps point", async () => {
    const [before, nowhere] = [stack.resources(), await leadTo(NOBODY)];
    for (const run of [() => nowhere.refresh(), () => nowhere.destroy()]) {
      const message = await failureOf(run());
      const [shown = ""] = message.split("err?:");
      const reasons = [
        ...shown.matchAll(/^ {2}\S.* \((\w+)-\w+\):\n {4}(?:error|warning): .*does not answer.*$/gm),
      ];
      expect(shown.match(/^ {4}(error|warning): .*does not answer/gm), shown).to.have.length(reasons.length);
      expect(shown).to.contain("The address comes from TUNNELPLANE_BASE_URL");
      // The engine stops at the first failure, which may be of either provider.
      const saying = reasons.map(([, provider]) => provider);
      expect(saying, shown).to.have.length.within(1, NAMES.length);
      expect(new Set(saying).size, shown).to.equal(saying.length);
    }
    expect(stack.resources(), "its state stays").to.deep.equal(before);
    form = "second";
    const { warnings } = await nowhere.preview();
    const words = `it is not known whether ${NOBODY.url} is the server of this stack's state (${servers.one.url})`;
    expect(
      warnings.filter((warning) => warning.includes(words)),
      "a preview goes on without it, with one warning of each provider",
    ).to.have.length(NAMES.length);
  });

  it("finds it at another address: nothing changes, and the next write records the address", async () => {
    const { one } = servers;
    const address = one.url.replace("127.0.0.1", "localhost");
    const renamed = await leadTo({ url: address, apiKey: one.apiKey });
    expect(changesOf(await renamed.preview())).to.deep.equal([]);
    expect(changesOf(await renamed.refresh())).to.deep.equal([]);
    form = "second";
    await renamed.up();
    const state = stack.resources();
    const recorded = new Map(state.map(({ urn, outputs }) => [urn.split("::").at(-1), outputs.__server]));
    const id = await serverIdOf(one);
    for (const provider of NAMES) {
      expect(recorded.get(`${provider}-edge`), "written again").to.equal(`${id} ${address}`);
      expect(recorded.get(`${provider}-catalogue`), "not written").to.equal(`${id} ${one.url}`);
    }
  });

  it("learns which one from the next write if its state is old, and no preview or refresh shows that", async () => {
    stack.editState(({ outputs }) => delete outputs?.__server);
    form = "second";
    const requests = await requestsDuring(servers.one, async () =>
      expect(changesOf(await stack.preview())).to.deep.equal([]),
    );
    expect(requests.filter((request) => !request.includes("/changesets"))).to.deep.equal([]);
    expect(changesOf(await stack.refresh())).to.deep.equal([]);
    form = "third";
    const written = NAMES.flatMap((provider) =>
      ["backend", "credential", "edge", "tls"].map((name) => `${provider}-${name}`),
    );
    expect(changesOf(await stack.up())).to.have.length(written.length);
    const named = stack.resources().filter(({ outputs }) => outputs.__server !== undefined);
    expect(named.map(({ urn }) => urn.split("::").at(-1))).to.have.members(written);
    const elsewhere = await leadTo(servers.other);
    const refused = await failuresOf(elsewhere, () => elsewhere.destroy({ continueOnError: true }));
    for (const name of written.filter((name) => !name.endsWith("-edge")))
      expect(refused.get(name), name).to.contain("is another server");
    const [left] = await servers.counts();
    expect(left, "nothing but the sets, which nothing has named, could go").to.equal(ALL);
  });
});
