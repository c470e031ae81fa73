import type { PulumiFn } from "@pulumi/pulumi/automation";
import { type Choices, firstTunnel } from "../../examples/first-tunnel/program";
import { changesOf, failureOf, World } from "../support/provider";

const PATHS = ["/ip_policies", "/backends/tunnel_group", "/edges/https", "/credentials"];

// tests/packages/ownProject.full.test.ts follows the README of every example.
describe("The example first-tunnel", () => {
  const world = new World();

  it("declares, updates, replaces and refuses what it says, and leaves nothing behind", async () => {
    const server = await world.server();
    let choices: Choices = {};
    const stack = await world.stack(server, (async () => firstTunnel(choices)) as PulumiFn);
    expect((await stack.up()).steps.map(({ op }) => op)).to.deep.equal(new Array(7).fill("create"));
    expect(changesOf(await stack.up()), "a second run").to.deep.equal([]);
    choices = { visitors: "192.0.2.0/24" };
    expect(changesOf(await stack.up()), "update").to.deep.equal(["update visitors cidr"]);
    choices = { ...choices, action: "deny" };
    expect(changesOf(await stack.up()), "replace").to.deep.equal([
      "create-replacement visitors action",
      "replace visitors action",
      "delete-replaced visitors",
    ]);
    const before = stack.stateFile();
    choices = { ...choices, host: "no host" };
    expect(await failureOf(stack.preview())).to.contain("hostports[0]");
    expect(stack.stateFile(), "a refused edit changes nothing").to.equal(before);
    choices = {};
    await stack.destroy();
    for (const path of PATHS)
      expect(Object.values((await server.rest.get(path)).body).find(Array.isArray), path).to.deep.equal([]);
  });
});
