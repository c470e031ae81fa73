import * as pulumi from "@pulumi/pulumi";
import type { Engine, Run } from "../support/engine";
import { changesOf, failureOf, failuresOf, makeSshKey, worldOfThisFile } from "../support/provider";
import { type Classes, NAMES, type Name, onEveryProvider, PROVIDERS } from "../support/providers";
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
  new: { title: "moves to a new edge too", from: { a: ["x", "y"] }, to: { c: ["x"], a: ["y"] } },
};

/** The names of a kind's resources, as the program counts or calls them, and the value that each holds. */
type Held = Readonly<Record<string, number>>;
type Options = pulumi.CustomResourceOptions;
/** Classes whose resources hold one unique value each. */
const KINDS = ["IpPolicyRule", "HttpsEdgeRoute", "SshCredential", "ReservedDomain", "Project", "Membership"];
const BEFORE: Held = { 0: 0, 1: 1, 2: 2 };

interface Declared {
  readonly held: Held;
  readonly isInside?: boolean;
  readonly aliases?: Readonly<Record<string, pulumi.Alias>>;
}

/** What a program declares wrongly of a kind, and what is said of the other resource and of the cure. */
const REFUSED: readonly (Declared & {
  readonly kind: string;
  readonly title: string;
  readonly says: RegExp;
  readonly cure: Declared;
})[] = [
  {
    kind: "IpPolicyRule",
    title: "the networks of rules that are counted, where the first rule is dropped",
    held: { 0: 1, 1: 2 },
    says: /cidr: "10\.([12])\.0\.0\/16" belongs to this stack's `\S+-\1`: .*name each resource by its value, .*`new IpPolicyRule\("10\.\1\.0\.0\/16", …, \{ aliases: \[\{ name: "\S+-\1" \}\] \}\)`/,
    cure: { held: { one: 1, two: 2 }, aliases: { one: { name: "1" }, two: { name: "2" } } },
  },
  {
    kind: "HttpsEdgeRoute",
    title: "the paths of two routes that are swapped",
    held: { 0: 1, 1: 0, 2: 2 },
    says: /match: "\/([01])" belongs to this stack's `\S+-\1`: .*name each resource by its value/,
    cure: { held: BEFORE, aliases: {} },
  },
  {
    kind: "ReservedDomain",
    title: "domains that are counted, where one is put in front",
    held: { 0: 3, 1: 0, 2: 1, 3: 2 },
    says: /domain: "([012])\.\S+" belongs to this stack's `\S+-\1`: .*name each resource by its value/,
    cure: { held: { ...BEFORE, new: 3 }, aliases: {} },
  },
  {
    kind: "SshCredential",
    title: "the key of a resource with a new name",
    held: { 0: 0, 1: 1, renamed: 2 },
    says: /publicKey: "ssh-ed25519 \S+…" belongs to this stack's `\S+-2`: add an alias, `\{ aliases: \[\{ name: "\S+-2" \}\] \}`/,
    cure: { held: { 0: 0, 1: 1, renamed: 2 }, aliases: { renamed: { name: "2" } } },
  },
  {
    kind: "Membership",
    title: "the role of a resource that moves into a component",
    held: BEFORE,
    isInside: true,
    says: /role: "\w+" belongs to this stack's `\S+-[012]` without a parent: add an alias, `\{ aliases: \[\{ parent: pulumi\.rootStackResource \}\] \}`/,
    cure: {
      held: BEFORE,
      isInside: true,
      aliases: Object.fromEntries(
        Object.keys(BEFORE).map((name) => [name, { parent: pulumi.rootStackResource }]),
      ),
    },
  },
  {
    kind: "Project",
    title: "a name that two projects declare",
    held: { ...BEFORE, 3: 2 },
    says: /name: "\S+-2" (is declared by|belongs to) this stack's `\S+-[23]`.*[;:] declare it in one of them only/,
    cure: { held: BEFORE, aliases: {} },
  },
];

const { world, server } = worldOfThisFile();
let stack: Engine;
let rest: Rest;
let form: "from" | "to" = "from";
/** Providers whose edge has a new name, and whether that has an alias for the old one. */
let renamed: Partial<Record<Name, { hasAlias: boolean }>> = {};
/** The provider of more edges with a hostport that is declared already. */
let doubled: Name | undefined;
/** What the program declares of some kinds with some providers; the others have what they had. */
let changed:
  | { readonly providers: readonly Name[]; readonly of: Readonly<Record<string, Declared>> }
  | undefined;
const keys: Record<Name, string[]> = { dynamic: [], native: [] };

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
    const make = holders(provider, PROVIDERS[provider]);
    for (const kind of KINDS) {
      const mine = changed?.providers.includes(provider) ? changed.of[kind] : undefined;
      const { held, isInside = false, aliases = {} }: Declared = mine ?? { held: BEFORE };
      const full = (of: string) => `${provider}-${kind}-${of}`;
      const parent = isInside ? new pulumi.ComponentResource("acme:Site", full("site")) : undefined;
      for (const [of, value] of Object.entries(held)) {
        const { name, ...rest } = aliases[of] ?? {};
        const alias = { ...rest, ...(name !== undefined && { name: full(String(name)) }) };
        make[kind]?.(full(of), value, {
          ...(parent && { parent }),
          ...(aliases[of] && { aliases: [alias] }),
        });
      }
    }
  }
}

/** What declares a resource that holds a value, by kind. */
function holders(
  provider: Name,
  tunnels: Classes,
): Readonly<Record<string, (name: string, value: number, options: Options) => object>> {
  const { id: ipPolicyId } = new tunnels.IpPolicy(provider);
  const { id: edgeId } = new tunnels.HttpsEdge(provider, { hostports: [`www.${provider}.example.com:443`] });
  const { id: botUserId } = new tunnels.BotUser(provider, { name: provider });
  const roles = ["viewer", "member", "admin"] as const;
  return {
    IpPolicyRule: (name, value, options) =>
      new tunnels.IpPolicyRule(name, { ipPolicyId, cidr: `10.${value}.0.0/16`, action: "allow" }, options),
    HttpsEdgeRoute: (name, value, options) =>
      new tunnels.HttpsEdgeRoute(name, { edgeId, matchType: "exact_path", match: `/${value}` }, options),
    SshCredential: (name, value, options) =>
      new tunnels.SshCredential(name, { publicKey: keys[provider][value] ?? "" }, options),
    ReservedDomain: (name, value, options) =>
      new tunnels.ReservedDomain(name, { domain: `${value}.${provider}.example.com` }, options),
    Project: (name, value, options) => new tunnels.Project(name, { name: `${provider}-${value}` }, options),
    Membership: (name, value, options) =>
      new tunnels.Membership(name, { botUserId, role: roles[value] ?? "viewer" }, options),
  };
}

async function checkedPreview(): Promise<Run> {
  process.env.TUNNELPLANE_VALIDATE_ON_SERVER = "true";
  try {
    return await stack.preview();
  } finally {
    delete process.env.TUNNELPLANE_VALIDATE_ON_SERVER;
  }
}

before("declare everything", async () => {
  for (const name of NAMES) keys[name] = Object.keys(BEFORE).map(makeSshKey);
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
    const message = await failureOf(stack.preview());
    expect(message).to.contain(
      `belongs to this stack's \`${provider}-old-name\`: add an alias, \`{ aliases: [{ name: "${provider}-old-name" }] }\``,
    );
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

onEveryProvider("A preview that cannot be carried out", (_, provider) => {
  afterEach("declare what there is", () => {
    changed = undefined;
  });

  for (const [index, { title, says, kind, ...wrong }] of REFUSED.entries())
    it(`is refused for ${title}`, async () => {
      changed = { providers: [provider], of: { [kind]: wrong } };
      const preview = index % 2 === NAMES.indexOf(provider) ? checkedPreview() : stack.preview();
      expect(await failureOf(preview)).to.match(says);
    });
});

describe("A preview with the cures of all these", () => {
  it("passes and replaces nothing, also if the server checks it", async () => {
    changed = { providers: NAMES, of: Object.fromEntries(REFUSED.map(({ kind, cure }) => [kind, cure])) };
    const preview = await checkedPreview().finally(() => {
      changed = undefined;
    });
    const changes = KINDS.flatMap((kind) =>
      NAMES.flatMap((provider) => changesOf(preview, `${provider}-${kind}-`)),
    );
    expect(changes.sort()).to.deep.equal(["create new", "create new", "delete 0", "delete 0"]);
  });
});

describe("A run that no preview came before", () => {
  it("fails with the resource that has a value, and leaves everything as it was", async () => {
    changed = { providers: NAMES, of: { IpPolicyRule: { held: { 0: 1, 1: 0, 2: 2 } } } };
    const failures = await failuresOf(stack, () => stack.up({ continueOnError: true }));
    changed = undefined;
    for (const provider of NAMES)
      for (const [name, other] of ["01", "10"])
        expect(failures.get(`${provider}-IpPolicyRule-${name}`)).to.match(
          new RegExp(`TP_1501.*belongs to this stack's \`${provider}-IpPolicyRule-${other}\`: .*name each`),
        );
    expect(changesOf(await stack.preview())).to.deep.equal([]);
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
