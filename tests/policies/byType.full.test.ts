import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/folder";
import { worldOfThisFile } from "../support/provider";
import { PROVIDERS } from "../support/providers";
import { PolicyRunner } from "./support";

/** A pack that a team wrote itself: by class, of single resources and of the stack. */
const PACK = `
const { PolicyPack, validateResourceOfType, validateStackResourcesOfType } = require("@pulumi/policy");
const tunnels = require("@tunnelplane/pulumi");

const policy = (name, enforcementLevel, rest) => ({ name, description: name, enforcementLevel, ...rest });
const counts = (of) =>
  policy(of.name, "advisory", {
    validateStack: validateStackResourcesOfType(of, (found, _, report) => report("stack: " + found.length)),
  });
new PolicyPack("by-class", {
  policies: [
    policy("edges", "mandatory", {
      validateResource: validateResourceOfType(tunnels.TlsEdge, ({ hostports }, _, report) =>
        report("serves " + hostports.join()),
      ),
    }),
    policy("policies", "advisory", {
      validateResource: validateResourceOfType(tunnels.IpPolicy, (_, __, report) => report("is an IP policy")),
    }),
    ...[tunnels.TlsEdge, tunnels.Tunnel, tunnels.Account, tunnels.Resource].map(counts),
  ],
});
`;

describe("A policy pack that asks by class", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "pack"));
  writeFileSync(join(folder, "pack/PulumiPolicy.yaml"), "description: by class\nruntime: nodejs\n");
  writeFileSync(join(folder, "pack/index.js"), PACK);
  writeFileSync(join(folder, "pack/package.json"), '{ "name": "by-class", "version": "1.0.0" }');
  symlinkSync(join(__dirname, "../../node_modules"), join(folder, "node_modules"));
  const { world, server } = worldOfThisFile();
  const runner = new PolicyRunner({ pack: join(folder, "pack") });

  it("finds the resources of both providers, and stops the preview where a policy is mandatory", async () => {
    const engine = await world.stack(
      server,
      async () => {
        for (const [name, tunnels] of Object.entries(PROVIDERS)) {
          new tunnels.TlsEdge(`${name}-edge`, { hostports: [`${name}.example.com:443`] });
          new tunnels.IpPolicy(`${name}-policy`);
          new tunnels.Account(`${name}-account`, { project: "default" });
          const hostports = [`tunnel.${name}.example.com:443`];
          new tunnels.Tunnel(`${name}-tunnel`, { hostports, networks: ["192.0.2.0/24"] });
        }
      },
      { root: runner.root },
    );
    const { said, failure } = await runner.preview(engine);
    const found = said.map(({ policy, level, at, message }) =>
      [policy, level, message.includes("stack: ") ? "" : at, message.split("\n").at(-1)].join(" "),
    );
    expect(found).to.have.members([
      "edges mandatory dynamic-edge serves dynamic.example.com:443",
      "edges mandatory native-edge serves native.example.com:443",
      "policies advisory dynamic-policy is an IP policy",
      "policies advisory native-policy is an IP policy",
      // With the IP policy of each tunnel: its edge is one for HTTPS.
      "policies advisory dynamic-tunnel is an IP policy",
      "policies advisory native-tunnel is an IP policy",
      "TlsEdge advisory  stack: 2",
      "Tunnel advisory  stack: 2",
      "Account advisory  stack: 4", // with the default ones
      "Resource advisory  stack: 16",
    ]);
    expect(failure).to.match(/mandatory/);
  });
});
