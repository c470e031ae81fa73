import type { CustomResourceOptions } from "@pulumi/pulumi";
import { definitionOf, isObject, modulesOf, pathFieldsOf, registry } from "@tunnelplane/sdk/contract";
import type { Engine, Run } from "../support/engine";
import { oneOfEach } from "../support/oneOfEach";
import { changesOf, describeStacks, requestsDuring } from "../support/provider";
import { type Classes, NAMES, type Name, PROVIDERS } from "../support/providers";

const OTHER = { dynamic: "native", native: "dynamic" } as const;
type Form = "first" | "second";

const EVENTS = {
  first: ["ip_policy_created.v0", "ip_policy_deleted.v0"],
  second: ["ip_policy_created.v0", "ip_policy_updated.v0"],
} as const;
const SCOPES = { first: ["openid"], second: ["openid", "email"] } as const;
const OIDC = { issuer: "https://id.example.com", clientId: "site", clientSecret: "hush" } as const;
const HOSTS = { first: ["a"], second: ["a", "b"] } as const;

const CLASSES = registry.flatMap(({ kind, type }) => [
  type,
  ...modulesOf(definitionOf(kind)).map(
    (name) => type + name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase()),
  ),
]);

interface Step extends Run {
  /** Without those with which each provider learns which server that is. */
  readonly requests: readonly string[];
}

describeStacks("The life of a stack with resources of every class", ({ world, server }) => {
  let form: Form = "first";
  /** Which provider makes the resources that another one made first. */
  let isSwapped = false;
  /** The ids of edges that were there before, by the provider that adopts them. */
  const adopted = new Map<Name, string>();
  let stack: Engine;
  before("start a server", async () => {
    for (const name of NAMES)
      adopted.set(name, (await server.rest.post("/edges/tls", { description: `${name} was there` })).body.id);
    stack = await world.stack(server, async () =>
      Object.fromEntries(
        NAMES.map((name) => {
          const classes = isSwapped ? aliased(PROVIDERS[OTHER[name]], OTHER[name]) : PROVIDERS[name];
          oneOfEach(classes, `${name}-`);
          return [name, declare(name, classes)];
        }),
      ),
    );
  });

  function declare(provider: Name, tunnels: Classes) {
    const name = (of: string) => `${provider}-${of}`;
    const hostports = HOSTS[form].map((host) => `${host}.${provider}.example.com:443`);
    new tunnels.TlsEdge(name("shared"), { description: name("shared"), hostports });
    const { token } = new tunnels.TunnelCredential(name("own"), { description: form });
    // The server makes its secret.
    const target = { webhook: { url: "https://hooks.example.com", headers: { "x-key": "of-the-hook" } } };
    const audit = new tunnels.EventDestination(name("audit"), { target });
    const watch = new tunnels.EventSubscription(name("watch"), {
      description: name("watch"),
      sources: EVENTS[form].map((type) => ({ type })),
      destinationIds: [audit.id],
    });
    const { id: ipPolicyId } = new tunnels.IpPolicy(name("office"));
    const action = form === "first" ? "allow" : "deny";
    new tunnels.IpPolicyRule(name("berlin"), { ipPolicyId, cidr: "192.0.2.0/24", action });
    const { id: edgeId } = new tunnels.HttpsEdge(name("site"), { description: name("site") });
    new tunnels.HttpsEdgeRoute(name("pages"), {
      ...{ edgeId, matchType: "path_prefix", match: "/", oidc: { ...OIDC, scopes: [...SCOPES[form]] } },
      ...(form === "first" && { userAgentFilter: { deny: ["^curl/"] } }),
    });
    new tunnels.IpPolicy(name("drifting"), { description: name("drifting") });
    new tunnels.IpPolicy(name("deleted"), { description: name("deleted") });
    if (form === "second") {
      const options = isSwapped ? {} : { import: adopted.get(provider) as string };
      new tunnels.TlsEdge(name("adopted"), { description: `${provider} was there` }, options);
    }
    return { token, destinations: watch.destinations, sources: watch.sources };
  }

  async function step(run: () => Promise<Run>): Promise<Step> {
    const runs: Run[] = [];
    const all = await requestsDuring(server, async () => void runs.push(await run()));
    const requests = all.filter((request) => request !== "GET /caller");
    expect(all.length - requests.length, "to learn which server that is").to.be.at.most(NAMES.length);
    return { ...(runs[0] as Run), requests };
  }
  const ofBoth = (...changes: string[]): string[] =>
    NAMES.flatMap((name) => changes.map((change) => change.replace("…", `${name}-`)));
  const outputOf = (name: Name) => stack.outputs()[name]?.value;
  /** Objects on the server by their descriptions, which are the names of their resources. */
  async function objectsAt(path: string): Promise<Record<string, Record<string, unknown>>> {
    const lists = Object.values((await server.rest.get(`${path}?limit=100`)).body);
    const objects = lists.find(Array.isArray) as Record<string, string>[];
    return Object.fromEntries(objects.map((object) => [object.description, object]));
  }
  /** The outputs of the subscription are those that the server has. */
  async function expectAddresses(): Promise<void> {
    const stored = await objectsAt("/event_subscriptions");
    for (const name of NAMES) {
      const { destinations, sources } = outputOf(name);
      expect({ destinations, sources }).to.deep.equal({
        destinations: stored[`${name}-watch`]?.destinations,
        sources: stored[`${name}-watch`]?.sources,
      });
    }
  }

  let created: Step;
  let tokens: string[];
  const countTokens = () => stack.resources().filter(({ outputs }) => isObject(outputs?.token)).length;
  it("begins with a preview without a request, and takes one request for each object that it creates", async () => {
    const previewed = await step(() => stack.preview());
    expect(previewed.requests).to.deep.equal([]);
    created = await step(() => stack.up());
    expect(new Set(created.steps.map(({ op }) => op))).to.deep.equal(new Set(["create"]));
    expect(created.steps).to.have.length(previewed.steps.length);
    for (const name of NAMES) {
      const declared = created.steps.filter((one) => one.name.startsWith(`${name}-`)).map(({ type }) => type);
      const missing = CLASSES.filter((one) => !declared.includes(one));
      expect(missing, "classes that tests/support/oneOfEach.ts does not declare").to.deep.equal([]);
    }
    expect(created.requests.filter((request) => !/^(POST|PUT) /.test(request))).to.deep.equal([]);
    expect(created.requests).to.have.length(created.steps.length);
    await expectAddresses();
    tokens = NAMES.map((name) => outputOf(name).token);
    for (const token of tokens) expect(token).to.match(/^tpt_/);
  });

  it("has nothing to do and sends no request when it runs again", async () => {
    const again = await step(() => stack.up());
    expect(again.requests).to.deep.equal([]);
    expect(changesOf(again)).to.deep.equal([]);
  });

  it("finds in a refresh, with one request for each object, what drifted and nothing else", async () => {
    const policies = await objectsAt("/ip_policies");
    for (const name of NAMES) {
      const { [`${name}-drifting`]: drifting, [`${name}-deleted`]: deleted } = policies;
      await server.rest.patch(`/ip_policies/${drifting?.id}`, { description: "of somebody" });
      await server.rest.delete(`/ip_policies/${deleted?.id}`);
    }
    const refreshed = await step(() => stack.refresh());
    expect(refreshed.requests.filter((request) => !request.startsWith("GET "))).to.deep.equal([]);
    expect(refreshed.requests).to.have.length(created.steps.length);
    const found = stack.resources().filter(({ urn }) => /-(watch|drifting|deleted)$/.test(urn));
    expect(
      found.map(({ urn, outputs }) => [urn.split("::").at(-1), outputs.description]),
    ).to.have.deep.members(
      NAMES.flatMap((name) => [
        [`${name}-watch`, `${name}-watch`],
        [`${name}-drifting`, "of somebody"],
      ]),
    );
    for (const { outputs } of found.filter(({ urn }) => urn.endsWith("-watch"))) {
      expect(outputs.destinations).to.have.length(1);
      for (const source of outputs.sources as object[]) expect(source).to.have.property("uri");
    }
  });

  let changed: Step;
  const CHANGES = [
    ...["update …drifting description", "create …deleted", "update …own description"],
    ...["update …shared hostports[1]", "update …pages oidc.scopes[1] userAgentFilter"],
    "update …watch sources[1].type",
  ];
  it("repairs that, updates, replaces and imports in one run, with one request for each change and none that writes to what it imports", async () => {
    for (const [description, { id }] of Object.entries(await objectsAt("/edges/tls")))
      if (description.endsWith("-shared"))
        await server.rest.put(`/edges/tls/${id}/tls_termination`, { min_version: "1.3" });
    form = "second";
    changed = await step(() => stack.up());
    const others = changesOf(changed).filter((change) => !/-(berlin|adopted)( |$)/.test(change));
    expect(others).to.have.members(ofBoth(...CHANGES));
    expect(changesOf(changed, "dynamic-adopted")).to.deep.equal(["create "]);
    expect(changesOf(changed, "native-adopted")).to.deep.equal(["import "]);
    const writes = changed.requests.filter((request) => !request.startsWith("GET "));
    // An object that somebody deleted takes two: the first is answered as its first creation was.
    const besides = ["create-replacement", "delete-replaced", "create …deleted"];
    expect(writes).to.have.length(ofBoth(...CHANGES, ...besides).length);
    for (const name of NAMES) expect(writes.join()).not.to.contain(adopted.get(name));
    await expectAddresses();
  });

  for (const name of NAMES)
    it(`sends an update with the changed fields only, so that what others changed elsewhere survives, and replaces a rule whose action changes (${name} provider)`, async () => {
      const { [`${name}-shared`]: shared } = await objectsAt("/edges/tls");
      expect(shared?.hostports).to.have.length(HOSTS.second.length);
      expect(shared?.tls_termination).to.include({ min_version: "1.3" });
      expect(changesOf(changed, `${name}-berlin`)).to.include.members([
        "delete-replaced ",
        "create-replacement  action",
      ]);
      const { [`${name}-site`]: site } = await objectsAt("/edges/https");
      const [route] = site?.routes as { oidc: object; user_agent_filter: unknown }[];
      expect(route?.user_agent_filter, "a module that is not declared any more").to.equal(null);
      expect(route?.oidc).to.deep.include({ client_secret: OIDC.clientSecret, scopes: SCOPES.second });
      const { ip_policy_rules } = (await server.rest.get("/ip_policy_rules")).body;
      const berlin = ip_policy_rules.filter(({ cidr }: { cidr: string }) => cidr === "192.0.2.0/24");
      expect(berlin.map(({ action }: { action: string }) => action)).to.deep.equal(["deny", "deny"]);
    });

  it("has nothing left to do then, and keeps authtokens, which are shown once", async () => {
    const again = await step(() => stack.up());
    expect(again.requests).to.deep.equal([]);
    expect(changesOf(again)).to.deep.equal([]);
    expect(NAMES.map((name) => outputOf(name).token)).to.deep.equal(tokens);
  });

  it("moves to the native provider with nothing changed and its tokens kept, and from it without a write", async () => {
    const count = countTokens();
    expect(count).to.equal(3 * NAMES.length);
    const dynamicIds = stack
      .resources()
      .flatMap(({ urn, id }) => (/::dynamic-/.test(urn) && id ? id.split("/") : []));
    isSwapped = true;
    const moved = await step(() => stack.up());
    expect(changesOf(moved, "dynamic-")).to.deep.equal([]);
    const ofDynamic = moved.requests.filter((request) => dynamicIds.some((id) => request.includes(id)));
    expect(ofDynamic, "to the native provider").to.deep.equal([]);
    expect(moved.requests.filter((request) => !/^(GET|PUT) /.test(request))).to.deep.equal([]);
    expect(countTokens()).to.equal(count);
    expect(changesOf(await stack.up({ refresh: true })), "with a refresh").to.deep.equal([]);
    expect(countTokens()).to.equal(count);
  });

  it("is destroyed completely, with one request for each object; denying rules go with their policy", async () => {
    const denying = stack.resources().filter(({ inputs }) => inputs?.action === "deny");
    const destroyed = await step(() => stack.destroy());
    expect(destroyed.requests.filter((request) => !request.startsWith("DELETE "))).to.deep.equal([]);
    expect(destroyed.requests).to.have.length(destroyed.steps.length - denying.length);
    for (const { path } of registry.filter((definition) => pathFieldsOf(definition).length === 0)) {
      const left = Object.values((await server.rest.get(path)).body).find(Array.isArray) ?? [];
      // The admin's own key, and the project that is there from the start.
      expect(left.length, path).to.equal(path === "/api_keys" || path === "/projects" ? 1 : 0);
    }
  });
});

type Constructor = new (name: string, args: object, options: CustomResourceOptions) => object;

/** Classes whose resources had the types of the native provider before; its own have aliases already. */
function aliased(classes: Classes, name: Name): Classes {
  if (name === "native") return classes;
  return Object.fromEntries(
    Object.entries(classes).map(([type, Class]) => [type, withAlias(type, Class as Constructor)]),
  ) as unknown as Classes;
}

const withAlias = (type: string, Class: Constructor): Constructor =>
  class extends Class {
    constructor(name: string, args: object, options: CustomResourceOptions) {
      super(name, args, { ...options, aliases: [{ type: `tunnelplane:index:${type}` }] });
    }
  };
