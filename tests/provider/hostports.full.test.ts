import { expect } from "chai";
import type { Engine, Run } from "../support/engine";
import { changesOf, failureOf, worldOfThisFile } from "../support/provider";
import { NAMES, type Name, onEveryProvider, PROVIDERS } from "../support/providers";
import type { Rest } from "../support/rest";

/** Edges in the order of the program, by name; the hostports of each case are its own. */
type Edges = Readonly<Record<string, readonly string[]>>;

/** What a program declares, and what it declares in the next run. The keys are in the names of resources. */
const MOVES: Readonly<Record<string, { title: string; from: Edges; to: Edges }>> = {
  before: {
    title: "moves in one run to an edge that is declared before the one that has it",
    from: { a: ["x", "y"], b: [] },
    to: { b: ["x"], a: ["y"] },
  },
  after: {
    title: "moves in one run to an edge that is declared after the one that has it",
    from: { a: ["x", "y"], b: [] },
    to: { a: ["y"], b: ["x"] },
  },
  swap: {
    title: "can be swapped with that of another edge in one run",
    from: { a: ["x"], b: ["y"] },
    to: { a: ["y"], b: ["x"] },
  },
  new: {
    title: "moves to a new edge too",
    from: { a: ["x", "y"] },
    to: { c: ["x"], a: ["y"] },
  },
};

// One stack has the edges of all cases and of both providers: each run of the engine serves them all.
const { world, server } = worldOfThisFile();
let stack: Engine;
let rest: Rest;
let form: "from" | "to" = "from";
/** Providers whose edge has a new name, and whether that has an alias for the old one. */
let renamed: Partial<Record<Name, { hasAlias: boolean }>> = {};
/** The provider of more edges with a hostport that is declared already. */
let doubled: Name | undefined;

function program(): void {
  for (const [provider, { TlsEdge }] of Object.entries(PROVIDERS) as [Name, typeof PROVIDERS.native][]) {
    const declare = (name: string, hostports: readonly string[], alias?: string): void => {
      const [description, options] = [`${provider} ${name}`, alias ? { aliases: [{ name: alias }] } : {}];
      const served = hostports.map((host) => `${host}.${provider}.example.com:443`);
      new TlsEdge(`${provider}-${name}`, { description, hostports: served }, options);
    };
    for (const [key, move] of Object.entries(MOVES))
      for (const [name, hosts] of Object.entries(move[form]))
        declare(
          `${key}-${name}`,
          hosts.map((host) => `${host}.${key}`),
        );
    const name = renamed[provider] ? "renamed" : "old-name";
    declare(name, ["renamed"], renamed[provider]?.hasAlias ? `${provider}-old-name` : undefined);
    // Two, because the native provider compares only the edges that a run would create or change.
    if (doubled === provider) for (const name of ["double", "again"]) declare(name, ["renamed"]);
  }
}

/** The preview of a server that checks previews. */
async function checkedPreview(): Promise<Run> {
  process.env.TUNNELPLANE_VALIDATE_ON_SERVER = "true";
  try {
    return await stack.preview();
  } finally {
    delete process.env.TUNNELPLANE_VALIDATE_ON_SERVER;
  }
}

before("declare the edges", async () => {
  rest = server.rest;
  stack = await world.stack(server, async () => program());
  await stack.up();
});

onEveryProvider("A hostport that a stack cannot serve", (_, provider) => {
  afterEach("declare what there is", () => {
    renamed = {};
    doubled = undefined;
  });

  it("is reported where its edge was renamed without an alias", async () => {
    renamed = { [provider]: { hasAlias: false } };
    // Only the program itself, in the dynamic provider, knows in the preview which edges it declares no
    // longer.
    const message = await failureOf(provider === "dynamic" ? stack.preview() : stack.up());
    const words =
      provider === "dynamic"
        ? 'this stack\'s `dynamic-old-name`: add an alias, `{ aliases: [{ name: "dynamic-old-name" }] }`'
        : "hostports[0] is served by another edge already";
    expect(message).to.contain(words);
    expect(message).not.to.match(/\n\s+at /);
  });

  it("is refused in the preview where two edges declare it", async () => {
    doubled = provider;
    // The engine checks the edges in any order, and stops at the first that is refused.
    expect(await failureOf(stack.preview())).to.match(
      new RegExp(
        `hostports: "renamed\\.${provider}\\.example\\.com:443" is declared by this stack's \`${provider}-[a-z-]+\`, too`,
      ),
    );
  });
});

describe("A hostport of a stack", () => {
  let previews: readonly Run[];
  let again: Run;
  let served: Readonly<Record<string, readonly string[]>>;
  before("change every edge in one run", async () => {
    form = "to";
    renamed = { dynamic: { hasAlias: true }, native: { hasAlias: true } };
    previews = [await stack.preview(), await checkedPreview()];
    await stack.up();
    const { tls_edges } = (await rest.get("/edges/tls")).body as {
      tls_edges: { description: string; hostports: string[] }[];
    };
    served = Object.fromEntries(tls_edges.map(({ description, hostports }) => [description, hostports]));
    again = await stack.up();
  });

  for (const provider of NAMES) {
    for (const [key, { title, to }] of Object.entries(MOVES))
      it(`${title}, also if the server checks previews (${provider} provider)`, () => {
        const prefix = `${provider}-${key}-`;
        for (const preview of previews)
          expect(changesOf(preview, prefix).map((change) => change.split(" ")[1])).to.have.members(
            Object.keys(to),
          );
        for (const [name, hosts] of Object.entries(to))
          expect(served[`${provider} ${key}-${name}`], name).to.deep.equal(
            hosts.map((host) => `${host}.${key}.${provider}.example.com:443`),
          );
        expect(changesOf(again, prefix)).to.deep.equal([]);
      });

    it(`stays where its edge is renamed with an alias (${provider} provider)`, () => {
      for (const preview of previews)
        expect(changesOf(preview, `${provider}-renamed`)).to.deep.equal(["update  description"]);
      expect(changesOf(again, `${provider}-renamed`)).to.deep.equal([]);
    });
  }
});
