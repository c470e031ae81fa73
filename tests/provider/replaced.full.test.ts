import type { CustomResourceOptions } from "@pulumi/pulumi";
import type { Engine } from "../support/engine";
import {
  changesOf,
  describeStacks,
  failureOf,
  makeSshKey,
  requestsDuring,
  saidDuring,
} from "../support/provider";
import { type Classes, everywhere, NAMES, type Name } from "../support/providers";

/** What is replaced: the server hands hostports, paths, networks and keys over. */
const REPLACED = ["edge", "site", "route", "rule", "key", "redirect"];
const PATHS = ["/edges/tls", "/edges/https", "/ip_policy_rules", "/ssh_credentials"];

describeStacks("Replacing resources because the user asks for it", ({ world, server }) => {
  const keys = { dynamic: makeSshKey(), native: makeSshKey() };
  let stack: Engine;
  let options: CustomResourceOptions = {};
  /** Which resource declares the module of the host. */
  let form: "module" | "renamed" | "inline" = "module";
  function declare(provider: Name, tunnels: Classes): void {
    const name = (of: string) => `${provider}-${of}`;
    const host = `${provider}.example.com:443`;
    const edge = new tunnels.TlsEdge(name("edge"), { hostports: [`app.${host}`] }, options);
    new tunnels.TlsEdgeTlsTermination(name("module"), { edgeId: edge.id, minVersion: "1.3" });
    const site = new tunnels.HttpsEdge(name("site"), { hostports: [`www.${host}`] }, options);
    const route = { edgeId: site.id, match: "/", matchType: "path_prefix" as const };
    new tunnels.HttpsEdgeRoute(name("route"), route, options);
    const { id: ipPolicyId } = new tunnels.IpPolicy(name("policy"));
    const rule = { ipPolicyId, cidr: "192.0.2.0/24", action: "deny" as const };
    new tunnels.IpPolicyRule(name("rule"), rule);
    new tunnels.SshCredential(name("key"), { publicKey: keys[provider] });
    new tunnels.HttpResponseBackend(name("redirect"), { statusCode: 308, body: "" });
    const tlsTermination = form === "inline" ? { minVersion: "1.3" as const } : undefined;
    const holder = new tunnels.TlsEdge(name("holder"), { hostports: [`holder.${host}`], tlsTermination });
    if (form !== "inline")
      new tunnels.TlsEdgeTlsTermination(name(form === "module" ? "held" : form), {
        edgeId: holder.id,
        minVersion: "1.3",
      });
  }

  before("declare everything", async () => {
    stack = await world.stack(server, everywhere(declare));
    await stack.up();
  });

  const urnsOf = (state: readonly { readonly urn: string }[], names: readonly string[]): string[] =>
    state
      .map(({ urn }) => urn)
      .filter((urn) => NAMES.some((of) => names.some((name) => urn.endsWith(`::${of}-${name}`))));

  /** The edges that are not replaced hold a module. */
  const isHolder = ({ hostports = [] }: { hostports?: string[] }) => /^holder/.test(hostports[0] ?? "");
  async function ids(): Promise<string[]> {
    const answers = await Promise.all(PATHS.map((path) => server.rest.get(path)));
    return answers.flatMap(({ body }) =>
      (Object.values(body).find(Array.isArray) as { id: string; hostports?: string[] }[])
        .filter((object) => !isHolder(object))
        .map(({ id }) => id),
    );
  }

  /** Every edge has its module, whichever resource declares it now. */
  async function expectModules(): Promise<void> {
    const { tls_edges } = (await server.rest.get("/edges/tls")).body;
    expect(tls_edges).to.have.length(2 * NAMES.length);
    for (const { hostports, tls_termination } of tls_edges)
      expect(tls_termination?.min_version, hostports[0]).to.equal("1.3");
  }

  /** As many objects as before, all of them new, and nothing left to do. */
  async function expectNewObjects(before: readonly string[]): Promise<void> {
    const now = await ids();
    expect(now).to.have.length(before.length);
    expect(now.filter((id) => before.includes(id))).to.deep.equal([]);
    await expectModules();
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
  }

  it("works with --replace for hostports, networks of a policy, routes, keys and modules, while a module's resource is renamed", async () => {
    const before = await ids();
    form = "renamed";
    await stack.up({ replace: urnsOf(stack.resources(), REPLACED) });
    await expectNewObjects(before);
  });

  it("works for tainted resources, while an edge begins to declare its module itself", async () => {
    const before = await ids();
    form = "inline";
    const tainted = urnsOf(stack.resources(), REPLACED);
    expect(tainted).to.have.length(REPLACED.length * NAMES.length);
    stack.editState((resource) => {
      if (tainted.includes(resource.urn)) resource.taint = true;
    });
    await stack.up();
    await expectNewObjects(before);
  });

  it("keeps a module, whether the old or the new resource goes first, and where it becomes a resource again", async () => {
    const replace = urnsOf(stack.resources(), ["module"]);
    form = "module";
    await stack.up({ replace });
    await expectModules();
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
  });

  it("deletes the old objects first where the program says so", async () => {
    const before = await ids();
    options = { deleteBeforeReplace: true };
    await stack.up({ replace: urnsOf(stack.resources(), REPLACED) });
    options = {};
    await expectNewObjects(before);
  });

  it("asks for one earlier object at the most, however often a resource was replaced", async () => {
    const replace = urnsOf(stack.resources(), ["redirect"]);
    const requests = await requestsDuring(server, () => stack.up({ replace }));
    const created = requests.filter((request) => request === "POST /backends/http_response");
    expect(created).to.have.length(2 * NAMES.length);
  });

  it("leaves the old edge where its routes and modules are not replaced with it, and replaces them in the next run", async () => {
    const before = await ids();
    const target = urnsOf(stack.resources(), ["edge", "site"]);
    const said = await saidDuring(stack, "error", () =>
      failureOf(stack.up({ target, replace: target, continueOnError: true })),
    );
    for (const provider of NAMES)
      for (const [whole, part] of [
        ["edge", "module"],
        ["site", "route"],
      ])
        expect(
          said.find((text) => text.startsWith(`${provider}-${whole}:`)),
          `${provider}-${whole}`,
        ).to.include(`\`${provider}-${part}\` still belong to it`);
    expect(await ids()).to.include.members(before);
    await stack.up();
    await expectModules();
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
  });

  it("replaces a route and a denying rule by themselves (targets): their edge stays open, and no old one is left", async () => {
    const before = await ids();
    const target = urnsOf(stack.resources(), ["route", "rule"]);
    await stack.up({ target, replace: target });
    expect(await ids()).to.have.length(before.length);
    const { https_edges } = (await server.rest.get("/edges/https")).body;
    for (const { hostports, closed_without } of https_edges)
      expect(closed_without, hostports[0]).to.equal(null);
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
  });

  it("passes in a preview that asks the server", async () => {
    process.env.TUNNELPLANE_VALIDATE_ON_SERVER = "true";
    try {
      const names = ["edge", "rule", "key"];
      const replace = urnsOf(stack.resources(), names);
      const changes = changesOf(await stack.preview({ replace }));
      for (const provider of NAMES)
        for (const name of names)
          expect(
            changes.filter((change) => change.startsWith(`create-replacement ${provider}-${name}`)),
          ).to.have.length(1);
    } finally {
      delete process.env.TUNNELPLANE_VALIDATE_ON_SERVER;
    }
  });

  it("is followed by a destroy that leaves nothing", async () => {
    await stack.destroy();
    for (const path of PATHS)
      expect(Object.values((await server.rest.get(path)).body).find(Array.isArray), path).to.deep.equal([]);
  });
});

describeStacks("Resources that are deleted with another one (deletedWith)", ({ world, server }) => {
  it("end with it at the first try, with all that only they used", async () => {
    const declare = (provider: Name, tunnels: Classes) => {
      const name = (of: string) => `${provider}-${of}`;
      const { id: backendId } = new tunnels.TunnelGroupBackend(name("backend"), { labels: { of: provider } });
      const policy = new tunnels.IpPolicy(name("policy"));
      const rule = { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action: "allow" as const };
      new tunnels.IpPolicyRule(name("rule"), rule, { deletedWith: policy });
      const site = new tunnels.HttpsEdge(name("site"), { hostports: [`${provider}.example.com:443`] });
      const route = {
        edgeId: site.id,
        match: "/",
        matchType: "path_prefix" as const,
        backend: { backendId },
      };
      new tunnels.HttpsEdgeRoute(name("route"), route, { deletedWith: site });
      const edge = new tunnels.TlsEdge(name("edge"), { hostports: [`tls.${provider}.example.com:443`] });
      const restriction = { edgeId: edge.id, ipPolicyIds: [policy.id] };
      new tunnels.TlsEdgeIpRestriction(name("restriction"), restriction, { deletedWith: edge });
    };
    const stack = await world.stack(server, everywhere(declare));
    await stack.up();
    await stack.destroy();
    for (const path of ["/edges/tls", "/edges/https", "/ip_policies", "/backends/tunnel_group"])
      expect(Object.values((await server.rest.get(path)).body).find(Array.isArray), path).to.deep.equal([]);
  });
});
