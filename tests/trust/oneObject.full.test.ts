import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "../support/engine";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { signalled, treeOf } from "../support/processes";
import { changesOf, failureOf, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";
import type { Rest } from "../support/rest";
import { figure, LIMIT_MS, size } from "../support/size";
import type { Recorded } from "../support/stackState";
import { DECLARED, program } from "./killedRun";

/** While the server works on a request, when its result is recorded, or before it gets there. */
const MOMENTS: readonly Fate[] = ["answer lost", "answered", "lost"];
const KILLED_RUN = require.resolve("./killedRun");
const SETUP = require.resolve("../setup.cjs");

async function idsIn(rest: Rest, ...collections: string[]): Promise<string[]> {
  const pages = await Promise.all(collections.map((path) => rest.get(`${path}?limit=100`)));
  return pages.flatMap(({ body }) => Object.values(body).find(Array.isArray) ?? []).map(({ id }) => id);
}

onEveryProvider("One intent makes one object", function (tunnels, provider) {
  this.timeout(LIMIT_MS);
  const world = new World();

  it("when a run is killed at any moment and run again", async () => {
    const kills = size(2, MOMENTS.length * 7);
    let [recorded, declared] = [0, 0];
    for (let kill = 0; kill < kills; kill++) {
      const server = await world.server();
      // After the answer to the last creation, a run may end before it is killed.
      const victim = randomInt(DECLARED_COUNT - 1);
      let creations = 0;
      let run: ChildProcess | undefined;
      let killed: number[] = [];
      const proxy = await LossyProxy.start(server.url, ({ method }) => {
        if (method !== "POST" || !run || creations++ !== victim) return "answered";
        const { pid } = run;
        const end = () => {
          killed = treeOf(pid as number);
          for (const each of killed) signalled(each, "SIGKILL");
        };
        const fate = MOMENTS[kill % MOMENTS.length] as Fate;
        if (fate === "answered") setTimeout(end, randomInt(100));
        else end();
        return fate;
      });
      const stack = await world.stack({ url: proxy.url, apiKey: server.apiKey }, program(tunnels), {
        checkpoints: true,
      });
      run = spawn(process.execPath, ["-r", SETUP, KILLED_RUN, stack.folder, provider], {
        env: { ...process.env, TUNNELPLANE_BASE_URL: proxy.url, TUNNELPLANE_API_KEY: server.apiKey },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let words = "";
      run.stderr?.setEncoding("utf8").on("data", (part: string) => {
        words += part;
      });
      const [, signal] = await once(run, "exit");
      expect(signal, `the run was killed on its way: ${words}`).to.equal("SIGKILL");
      run = undefined;
      // A process that is killed during a write ends after the write.
      while (killed.some((each) => signalled(each, 0))) await sleep(10);
      stack.restoreTornState();
      recorded += stack.resources().length;
      stack.cancel();
      await stack.up();
      const ids = stack.resources().map(({ id }) => id.split("/").at(-1));
      const edge = ids.find((id) => id?.startsWith("edghts_"));
      const found = await idsIn(server.rest, ...Object.keys(DECLARED), `/edges/https/${edge}/routes`);
      expect(found, "no orphans, no duplicates").to.have.members(ids);
      expect(new Set(ids)).to.have.property("size", DECLARED_COUNT);
      declared += found.length;
      if (kill === kills - 1) expect(changesOf(await stack.up())).to.deep.equal([]);
    }
    figure(
      `${kills} runs killed, ${recorded} objects recorded by then; afterwards ${declared} declared, as many on the servers`,
    );
  });

  it("if a run never gets the answer, the next one does, with the one-time secret, also from another folder and with its state elsewhere", async () => {
    const server = await world.server();
    let lossy = true;
    const proxy = await LossyProxy.start(server.url, ({ method }) =>
      lossy && method === "POST" ? "answer lost" : "answered",
    );
    const declare = async () => {
      const { token } = new tunnels.TunnelCredential("web");
      return { token };
    };
    const stack = await world.stack({ url: proxy.url, apiKey: server.apiKey }, declare);
    expect(await failureOf(stack.up())).to.contain("does not answer");
    lossy = false;
    const folder = `${stack.folder}-moved`;
    renameSync(stack.folder, folder);
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
    const moved = await Engine.open(folder, { program: declare, env });
    await moved.up();
    expect(await idsIn(server.rest, "/credentials")).to.deep.equal(moved.resources().map(({ id }) => id));
    expect(moved.outputs().token?.value).to.be.a("string").and.not.be.empty;
    await moved.destroy();
    expect(await idsIn(server.rest, "/credentials")).to.deep.equal([]);
  });
});

onEveryProvider("Another intent makes another object, even with the same arguments", function (tunnels) {
  this.timeout(LIMIT_MS);
  const world = new World();
  const SAME = { description: "the same" };
  const one = (name: string, options?: object) => new tunnels.TunnelCredential(name, SAME, options);
  const credentialsIn = (stack: Engine) => stack.resources().filter(({ id }) => id.startsWith("cr_"));
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Engine;
  let description = "first";
  let names: readonly string[] = [];
  let preview: Awaited<ReturnType<Engine["preview"]>>;
  /** The ids of the credentials after each run, by name. */
  const runs: Record<string, string>[] = [];
  before("run a program three times, each time with other resources", async () => {
    server = await world.server();
    stack = await world.stack(server, async () => {
      for (const name of names) one(name, name === "new" ? { aliases: [{ name: "old" }] } : undefined);
      new tunnels.IpPolicy("office", { description });
    });
    const run = async (...declared: string[]) => {
      names = declared;
      const replace = credentialsIn(stack).flatMap(({ urn }) => (urn.endsWith("::replaced") ? [urn] : []));
      await stack.up({ replace });
      const recorded = credentialsIn(stack);
      expect(recorded.map(({ id }) => id)).to.have.members(await idsIn(server.rest, "/credentials"));
      runs.push(Object.fromEntries(recorded.map(({ urn, id }) => [urn.split("::").at(-1), id])));
    };
    await run("web", "again", "replaced", "old");
    await run("web", "replaced", "new");
    [names, description] = [["web", "again", "replaced", "old", "new"], "second"];
    preview = await stack.preview({ diff: true, refresh: true });
    await run(...names);
  });

  const idsOf = (name: string) => runs.map((ids) => ids[name]);

  it("and another one if the object was deleted and is declared again", () => {
    const [first, none, second] = idsOf("again");
    expect(none).to.equal(undefined);
    expect(second).to.be.a("string").and.not.equal(first);
  });

  it("and another one if the program's user asks for a replacement", () => {
    expect(new Set(idsOf("replaced"))).to.have.property("size", 3);
    expect(new Set(idsOf("web"))).to.have.property("size", 1);
  });

  it("and another one if another resource has taken over the old object by an alias", () => {
    const [first, none, second] = idsOf("old");
    expect(none).to.equal(undefined);
    expect(idsOf("new").slice(1)).to.deep.equal([first, first]);
    expect(second).to.be.a("string").and.not.equal(first);
  });

  it("and another one for another stack, or one of the same name whose state is elsewhere", async () => {
    const program = async () => void one("web");
    const elsewhere = await world.stack(server, program);
    const prod = await world.stack(server, program, { stackName: "prod" });
    for (const other of [elsewhere, prod]) await other.up();
    const recorded = [stack, elsewhere, prod].map(credentialsIn);
    const ids = recorded.map((all) => all.find(({ urn }) => urn.endsWith("::web"))?.id);
    expect(new Set(ids)).to.have.property("size", 3);
    expect(await idsIn(server.rest, "/credentials")).to.include.members(ids);
  });

  it("and is invisible in previews, and short in the state", async () => {
    expect(preview.stdout).not.to.match(/__|urn:.*IpPolicy.*urn:/);
    const updates = changesOf(preview).filter((change) => change.startsWith("update"));
    expect(updates).to.deep.equal(["update office description"]);
    const resource = stack.resources().find(({ urn }) => urn.endsWith("::office")) as Recorded;
    const hiddenIn = (properties: object) =>
      Object.entries(properties).filter(([name]) => name.startsWith("__") && name !== "__provider");
    expect(JSON.stringify(hiddenIn(resource.inputs))).to.have.length.lessThan(50);
    // Where it is, the object itself does not say.
    const { __server: place, ...others } = Object.fromEntries(hiddenIn(resource.outputs));
    expect(Object.entries(others)).to.deep.equal(hiddenIn(resource.inputs));
    expect(String(place)).to.have.length.lessThan(80);
  });
});

const DECLARED_COUNT = Object.values(DECLARED).reduce((sum, count) => sum + count, 0) + 1; // and the route
