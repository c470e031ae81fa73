import type * as pulumi from "@pulumi/pulumi";
import { expect } from "chai";
import { changesOf, failureOf, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

/** The edges that a program declares, in order. */
type Edges = readonly { name: string; hostports: string[]; options?: pulumi.CustomResourceOptions }[];

onEveryProvider("A hostport of a stack", (tunnels, provider) => {
  const world = new World();
  after(() => world.close());

  /** A server, and a stack that declares the edges; `edges` may be changed. */
  async function stackOf(first: Edges, env: Record<string, string> = {}) {
    const server = await world.server();
    const declared = { edges: first };
    const stack = await world.stack(
      server,
      async () => {
        for (const { name, hostports, options } of declared.edges)
          new tunnels.TlsEdge(name, { description: name, hostports }, options);
      },
      { env },
    );
    await stack.up();
    const served = async (): Promise<Record<string, string[]>> =>
      Object.fromEntries(
        (await server.rest.get("/edges/tls")).body.tls_edges.map(
          (edge: { description: string; hostports: string[] }) => [edge.description, edge.hostports],
        ),
      );
    return { stack, declared, served };
  }

  const [X, Y] = ["x.example.com:443", "y.example.com:443"];

  it("whose edge was renamed without an alias is reported; with the alias nothing changes", async () => {
    const { stack, declared } = await stackOf([{ name: "old-name", hostports: [X] }]);
    declared.edges = [{ name: "new-name", hostports: [X] }];
    // Only the program itself, in the dynamic provider, knows in the preview which edges it declares no
    // longer.
    const message = await failureOf(provider === "dynamic" ? stack.preview() : stack.up());
    const words =
      provider === "dynamic"
        ? 'this stack\'s `old-name`: add an alias, `{ aliases: [{ name: "old-name" }] }`'
        : "hostports[0] is served by another edge already";
    expect(message).to.contain(words);
    expect(message).not.to.match(/\n\s+at /);
    declared.edges = [{ name: "new-name", hostports: [X], options: { aliases: [{ name: "old-name" }] } }];
    expect((await stack.preview()).steps.map(({ op }) => op)).to.deep.equal(["update"]); // its description
  });

  for (const order of ["before", "after"] as const) {
    it(`moves in one run to an edge that is declared ${order} the one that has it`, async () => {
      const { stack, declared, served } = await stackOf([
        { name: "a", hostports: [X, Y] },
        { name: "b", hostports: [] },
      ]);
      const [a, b] = [
        { name: "a", hostports: [Y] },
        { name: "b", hostports: [X] },
      ];
      declared.edges = order === "before" ? [b, a] : [a, b];
      expect(changesOf(await stack.preview())).to.have.length(2);
      await stack.up();
      expect(await served()).to.deep.equal({ a: [Y], b: [X] });
      expect(changesOf(await stack.up())).to.deep.equal([]);
    });
  }

  it("can be swapped with that of another edge in one run", async () => {
    const { stack, declared, served } = await stackOf([
      { name: "a", hostports: [X] },
      { name: "b", hostports: [Y] },
    ]);
    declared.edges = [
      { name: "a", hostports: [Y] },
      { name: "b", hostports: [X] },
    ];
    expect(changesOf(await stack.preview())).to.have.length(2);
    await stack.up();
    expect(await served()).to.deep.equal({ a: [Y], b: [X] });
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("moves to a new edge too, also if the server checks previews", async () => {
    const { stack, declared, served } = await stackOf([{ name: "a", hostports: [X, Y] }], {
      TUNNELPLANE_VALIDATE_ON_SERVER: "true",
    });
    declared.edges = [
      { name: "c", hostports: [X] },
      { name: "a", hostports: [Y] },
    ];
    await stack.preview();
    await stack.up();
    expect(await served()).to.deep.equal({ a: [Y], c: [X] });
  });

  it("that two edges declare is refused in the preview", async () => {
    const { stack, declared } = await stackOf([{ name: "a", hostports: [X] }]);
    declared.edges = [
      { name: "a", hostports: [X] },
      { name: "b", hostports: [X] },
    ];
    // The engine checks the edges in any order, and stops at the first that is refused.
    expect(await failureOf(stack.preview())).to.match(
      /hostports: "x\.example\.com:443" is declared by this stack's `[ab]`, too/,
    );
  });
});
