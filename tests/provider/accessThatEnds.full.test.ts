import type { Engine } from "../support/engine";
import { changesOf, failureOf, saidDuring, worldOfThisFile } from "../support/provider";
import { type Classes, everywhere, NAMES } from "../support/providers";
import { MOVABLE_CLOCK } from "../support/server";

type Ends = { readonly expiresAt?: string; readonly action?: "allow" | "deny" };

describe("Access that ends, in a program", () => {
  const { world, server } = worldOfThisFile({ env: MOVABLE_CLOCK });
  let end: string;
  let ends: Ends;
  let stack: Engine;
  function declare(provider: string, tunnels: Classes): void {
    const { action = "allow", expiresAt } = ends;
    const policy = new tunnels.IpPolicy(`${provider}-policy`);
    const cidr = "192.0.2.0/24";
    new tunnels.IpPolicyRule(`${provider}-rule`, { ipPolicyId: policy.id, cidr, action, expiresAt });
    new tunnels.TunnelCredential(`${provider}-credential`, { expiresAt });
    new tunnels.ApiKey(`${provider}-key`, { expiresAt: end });
  }

  const stored = async () => [
    ...(await server.rest.get("/ip_policy_rules")).body.ip_policy_rules,
    ...(await server.rest.get("/credentials")).body.credentials,
  ];

  before(async () => {
    end = new Date(Date.now() + 30 * 60_000).toISOString();
    ends = { expiresAt: end };
    stack = await world.stack(server, everywhere(declare));
  });

  it("says at each resource when it ends, and is declared", async () => {
    const said = await saidDuring(stack, "warning", () => stack.up());
    for (const provider of NAMES)
      for (const name of ["rule", "credential", "key"])
        expect(said.join("\n")).to.match(
          new RegExp(
            `${provider}-${name}: (IpPolicyRule|TunnelCredential|ApiKey): ends in (30|29) min, at ${end}`,
          ),
        );
    for (const one of await stored()) expect(one).to.include({ expires_at: end, expired: false });
  });

  it("has nothing to do once it has ended, after a refresh either", async () => {
    server.passAnHour();
    while (!(await stored()).every(({ expired }) => expired));
    await stack.refresh();
    expect(changesOf(await stack.preview({ expectNoChanges: true }))).to.deep.equal([]);
    expect(changesOf(await stack.preview({ refresh: true, expectNoChanges: true }))).to.deep.equal([]);
  });

  it("goes on for good when the program names no end any more", async () => {
    ends = {};
    const run = await stack.up();
    const providers = NAMES.flatMap((name) => [
      `update ${name}-credential expiresAt`,
      `update ${name}-rule expiresAt`,
    ]);
    expect(changesOf(run).sort()).to.deep.equal(providers.sort());
    for (const one of await stored()) expect(one).to.include({ expires_at: null, expired: false });
    await stack.preview({ expectNoChanges: true });
  });

  it("is refused in a preview for a rule that denies, because an end closes and never opens", async () => {
    ends = { expiresAt: end, action: "deny" };
    const failure = await failureOf(stack.preview());
    expect(failure).to.contain(
      'expiresAt must be left out or null, because the rule has the `action` "deny"',
    );
  });
});
