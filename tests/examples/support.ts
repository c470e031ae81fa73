import type { PulumiFn } from "@pulumi/pulumi/automation";
import { expect } from "chai";
import { changesOf, failureOf, World } from "../support/provider";

/** The promises of an example: its base program, and the effect of edits. */
export interface Example<Choices> {
  readonly program: (choices: Choices) => unknown;
  /** The number of our resources in the base program. */
  readonly creates: number;
  readonly update: { readonly edit: Choices; readonly changes: readonly string[] };
  readonly replace: { readonly edit: Choices; readonly changes: readonly string[] };
  readonly fail: { readonly edit: Choices; readonly says: string };
}

/** Runs an example on the real engine, one promise after the other. */
export function itKeepsItsPromises<Choices>({
  program,
  creates,
  update,
  replace,
  fail,
}: Example<Choices>): void {
  const world = new World();
  after(() => world.close());

  it("declares, updates, replaces and refuses what it says, and leaves nothing behind", async () => {
    const server = await world.server();
    let choices = {} as Choices;
    const stack = await world.stack(server, (async () => program(choices)) as PulumiFn);
    expect((await stack.up()).steps.map(({ op }) => op)).to.deep.equal(new Array(creates).fill("create"));
    expect(changesOf(await stack.up()), "a second run").to.deep.equal([]);

    choices = update.edit;
    expect(changesOf(await stack.up()), "update").to.deep.equal(update.changes);
    choices = { ...update.edit, ...replace.edit };
    expect(changesOf(await stack.up()), "replace").to.deep.equal(replace.changes);

    const before = stack.stateFile();
    choices = { ...choices, ...fail.edit };
    expect(await failureOf(stack.preview()), "fail").to.contain(fail.says);
    expect(stack.stateFile(), "a refused edit changes nothing").to.equal(before);

    choices = update.edit;
    await stack.destroy();
    for (const path of [
      "/certificate_authorities",
      "/ip_policies",
      "/backends/tunnel_group",
      "/edges/tls",
      "/edges/https",
      "/event_destinations",
      "/event_subscriptions",
    ]) {
      expect(Object.values((await server.rest.get(path)).body).find(Array.isArray), path).to.deep.equal([]);
    }
  });
}
