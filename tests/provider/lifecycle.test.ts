import type * as pulumi from "@pulumi/pulumi";
import { expect } from "chai";
import type { Engine, Run } from "../support/engine";
import { changesOf, requestsDuring, World } from "../support/provider";
import { type Classes, PROVIDERS } from "../support/providers";

type Name = keyof typeof PROVIDERS;
type Form = "first" | "second";

const COUNT = 8;
/** The many edges of a provider are of one type, whose path shows whose requests they are. */
const MANY = {
  dynamic: { type: "HttpsEdge", path: "/edges/https" },
  native: { type: "TlsEdge", path: "/edges/tls" },
} as const;
const EVENTS = {
  first: ["ip_policy_created.v0", "ip_policy_deleted.v0"],
  second: ["ip_policy_created.v0", "ip_policy_updated.v0"],
} as const;
const ACL = { first: ["bind:a.example.com"], second: ["bind:a.example.com", "bind:b.example.com"] } as const;

/** The resources of all cases, before and after a change. */
function declare(provider: Name, tunnels: Classes, form: Form): pulumi.Inputs {
  for (let index = 0; index < COUNT; index++)
    new tunnels[MANY[provider].type](`${provider}-many-${index}`, { description: form });

  const description = `shared, ${provider}`;
  new tunnels.TunnelCredential(`${provider}-shared`, { description, acl: [...ACL[form]] });
  const { token } = new tunnels.TunnelCredential(`${provider}-own`, { description: form });

  const target = { monitoringService: { apiKey: "0123456789abcdef0123456789abcdef" } };
  const audit = new tunnels.EventDestination(`${provider}-audit`, { target });
  const watch = new tunnels.EventSubscription(`${provider}-watch`, {
    description: provider,
    sources: EVENTS[form].map((type) => ({ type })),
    destinationIds: [audit.id],
  });

  const { id: ipPolicyId } = new tunnels.IpPolicy(`${provider}-policy`);
  const action = form === "first" ? "allow" : "deny";
  new tunnels.IpPolicyRule(`${provider}-rule`, { ipPolicyId, cidr: "192.0.2.0/24", action });
  return { token, destinations: watch.destinations, sources: watch.sources, uri: watch.uri };
}

interface Step extends Run {
  readonly requests: readonly string[];
}

// One stack has the resources of all cases and of both providers: each run of the engine serves them all.
describe("A program that is run again and again", () => {
  const world = new World();
  const providers = Object.keys(PROVIDERS) as Name[];
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Engine;
  let form: Form = "first";
  before("declare everything", async () => {
    server = await world.server();
    stack = await world.stack(server, async () =>
      Object.fromEntries(providers.map((name) => [name, declare(name, PROVIDERS[name], form)])),
    );
  });
  after(() => world.close());

  async function step(run: () => Promise<Run>): Promise<Step> {
    const runs: Run[] = [];
    const requests = await requestsDuring(server, async () => void runs.push(await run()));
    return { ...(runs[0] as Run), requests };
  }

  /** One request for each object, with one for each provider to learn which server that is. */
  function expectOneEach({ requests, steps }: Step, method: string, objects = steps.length): void {
    for (const provider of providers) {
      const { path } = MANY[provider];
      const ofMany = requests.filter((request) => request.includes(path));
      expect(
        ofMany.map((request) => request.split(" ")[0]),
        `${method} ${path}`,
      ).to.deep.equal(new Array(COUNT).fill(method));
    }
    const toLearn = requests.filter((request) => request === "GET /caller");
    expect(toLearn, "to learn which server that is").to.have.length(providers.length);
    expect(requests, "no other requests").to.have.length(objects + toLearn.length);
  }

  /** The outputs of the stack, by provider. */
  function outputs(): Record<Name, pulumi.Inputs> {
    const all = Object.entries(stack.outputs()).map(([name, { value }]) => [name, value]);
    return Object.fromEntries(all) as Record<Name, pulumi.Inputs>;
  }
  /** The outputs of a subscription are those that the server has. */
  async function expectOutputs(): Promise<void> {
    const { event_subscriptions } = (await server.rest.get("/event_subscriptions")).body;
    const all = outputs();
    for (const provider of providers) {
      const { destinations, sources, uri } = all[provider];
      const stored = event_subscriptions.find(
        ({ description }: { description: string }) => description === provider,
      );
      expect(destinations).to.deep.equal(stored.destinations);
      expect(sources).to.deep.equal(stored.sources);
      expect(sources).to.deep.equal(EVENTS[form].map((type) => ({ type, uri: `${uri}/sources/${type}` })));
    }
  }

  let created: Step;
  let made: Record<Name, pulumi.Inputs>;
  it("takes no request for a preview, and one for each object that it creates, with one to learn which server that is", async () => {
    const previewed = await step(() => stack.preview());
    expect(previewed.requests).to.deep.equal([]);
    created = await step(() => stack.up());
    expectOneEach(created, "POST");
    expect(created.steps).to.have.length(previewed.steps.length);
    made = outputs();
  });

  it("takes one request for each object that it refreshes, and none where nothing changes", async () => {
    expectOneEach(await step(() => stack.refresh()), "GET", created.steps.length);
    const again = await step(() => stack.up());
    expect(again.requests).to.deep.equal([]);
    expect(changesOf(again)).to.deep.equal([]);
  });

  it("gets the addresses of a subscription's destinations and sources, which are no change of what it declares", async () => {
    await expectOutputs();
  });

  let preview: Run;
  let update: Step;
  it("takes one request for each object that it updates", async () => {
    const { credentials } = (await server.rest.get("/credentials")).body;
    for (const { id, description } of credentials)
      if (description.startsWith("shared"))
        await server.rest.patch(`/credentials/${id}`, { metadata: "somebody else's" });
    form = "second";
    preview = await stack.preview();
    update = await step(() => stack.up());
    const asked = update.steps.filter(({ op }) => /^(update|create-replacement|delete-replaced)$/.test(op));
    expectOneEach(update, "PATCH", asked.length);
  });

  for (const provider of providers)
    it(`sends an update with the changed fields only, so that what others changed elsewhere survives (${provider} provider)`, async () => {
      expect(changesOf(update, `${provider}-shared`)).to.deep.equal(["update  acl[1]"]);
      const { credentials } = (await server.rest.get("/credentials")).body;
      const shared = credentials.find(
        ({ description }: { description: string }) => description === `shared, ${provider}`,
      );
      expect(shared).to.deep.include({ acl: ACL.second, metadata: "somebody else's" });
    });

  for (const provider of providers)
    it(`replaces a rule whose action changes, the old one first because a policy holds each network once (${provider} provider)`, async () => {
      expect(changesOf(update, `${provider}-rule`)).to.deep.equal([
        "delete-replaced ",
        "replace  action",
        "create-replacement  action",
      ]);
      const { ip_policy_rules } = (await server.rest.get("/ip_policy_rules")).body;
      expect(ip_policy_rules).to.have.length(providers.length);
    });

  it("shows a changed source of a subscription, and gets its address", async () => {
    for (const provider of providers)
      expect(changesOf(preview, `${provider}-watch`)).to.deep.equal(["update  sources[1].type"]);
    await expectOutputs();
  });

  it("gets the addresses of a subscription with a refresh if the state of an earlier version lacks them", async () => {
    const state = await stack.exportState();
    const { resources } = state.deployment as {
      resources: { urn: string; outputs: { destinations?: unknown; sources: object[] } }[];
    };
    for (const { urn, outputs } of resources) {
      if (!urn.endsWith("-watch")) continue;
      delete outputs.destinations;
      for (const source of outputs.sources) Reflect.deleteProperty(source, "uri");
    }
    await stack.importState(state);
    const before = await stack.up();
    await stack.refresh();
    const after = await stack.up();
    for (const provider of providers)
      for (const run of [before, after]) expect(changesOf(run, `${provider}-watch`)).to.deep.equal([]);
    await expectOutputs();
  });

  it("keeps the authtoken, a one-time secret, through refreshes and updates", async () => {
    const now = outputs();
    for (const provider of providers) {
      expect(made[provider].token, provider).to.match(/^tpt_/);
      expect(now[provider].token, provider).to.equal(made[provider].token);
    }
  });

  it("takes one request for each object that it destroys", async () => {
    expectOneEach(await step(() => stack.destroy()), "DELETE");
  });
});
