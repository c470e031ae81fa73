import { expect } from "chai";
import { changesOf, requestsDuring, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

onEveryProvider("A program that is run again and again", (tunnels) => {
  const world = new World();
  after(() => world.close());

  it("takes one request for each object that it creates, refreshes, updates or destroys, one to learn which server that is, and none for a preview or where nothing changes", async () => {
    const server = await world.server();
    const count = 8;
    let description = "first";
    const stack = await world.stack(server, async () => {
      for (let index = 0; index < count; index++) new tunnels.IpPolicy(`policy-${index}`, { description });
    });
    const requestsOf = async (run: () => Promise<unknown>) =>
      (await requestsDuring(server, run)).map((request) =>
        request === "GET /caller" ? request : request.split(" ")[0],
      );
    const each = (method: string) => ["GET /caller", ...new Array(count).fill(method)];
    expect(await requestsOf(() => stack.preview()), "preview").to.deep.equal([]);
    expect(await requestsOf(() => stack.up()), "create").to.deep.equal(each("POST"));
    expect(await requestsOf(() => stack.up()), "nothing to do").to.deep.equal([]);
    expect(await requestsOf(() => stack.refresh()), "refresh").to.deep.equal(each("GET"));
    description = "second";
    expect(await requestsOf(() => stack.up()), "update").to.deep.equal(each("PATCH"));
    expect(await requestsOf(() => stack.destroy()), "destroy").to.deep.equal(each("DELETE"));
  });

  it("sends an update with the changed fields only, so that what others changed elsewhere survives", async () => {
    const server = await world.server();
    let acl = ["bind:a.example.com"];
    const stack = await world.stack(
      server,
      async () => void new tunnels.TunnelCredential("credential", { acl }),
    );
    await stack.up();
    const [{ id }] = (await server.rest.get("/credentials")).body.credentials;
    await server.rest.patch(`/credentials/${id}`, { metadata: "somebody else's" });
    acl = ["bind:a.example.com", "bind:b.example.com"];
    expect(changesOf(await stack.up())).to.deep.equal(["update credential acl[1]"]);
    expect((await server.rest.get(`/credentials/${id}`)).body).to.deep.include({
      acl,
      metadata: "somebody else's",
    });
  });

  it("keeps the authtoken, a one-time secret, through refreshes and updates", async () => {
    const server = await world.server();
    let description = "first";
    const stack = await world.stack(server, async () => ({
      token: new tunnels.TunnelCredential("credential", { description }).token,
    }));
    await stack.up();
    const { token } = await stack.outputs();
    expect(token?.value).to.match(/^tpt_/);
    await stack.refresh();
    description = "second";
    await stack.up();
    await stack.refresh();
    await stack.up();
    expect((await stack.outputs()).token).to.deep.equal(token);
  });

  it("gets the addresses of a subscription's destinations and sources, which are no change of what it declares", async () => {
    const server = await world.server();
    let types = ["ip_policy_created.v0", "ip_policy_deleted.v0"];
    const stack = await world.stack(server, async () => {
      const target = { monitoringService: { apiKey: "0123456789abcdef0123456789abcdef" } };
      const audit = new tunnels.EventDestination("audit", { target });
      const sources = types.map((type) => ({ type }));
      const watch = new tunnels.EventSubscription("watch", { sources, destinationIds: [audit.id] });
      return { destinations: watch.destinations, sources: watch.sources, uri: watch.uri };
    });
    const expectOutputs = async (): Promise<void> => {
      const { destinations, sources, uri } = await stack.outputs();
      const [stored] = (await server.rest.get("/event_subscriptions")).body.event_subscriptions;
      expect(destinations?.value).to.deep.equal(stored.destinations);
      expect(sources?.value).to.deep.equal(stored.sources);
      expect(sources?.value).to.deep.equal(
        types.map((type) => ({ type, uri: `${uri?.value}/sources/${type}` })),
      );
    };
    await stack.up();
    await expectOutputs();
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);

    types = ["ip_policy_created.v0", "ip_policy_updated.v0"];
    expect(changesOf(await stack.preview())).to.deep.equal(["update watch sources[1].type"]);
    await stack.up();
    await expectOutputs();

    const state = await stack.exportState();
    const { resources } = state.deployment as {
      resources: { urn: string; outputs: { destinations?: unknown; sources: object[] } }[];
    };
    const outputs = resources.find(({ urn }) => urn.endsWith("::watch"))?.outputs;
    delete outputs?.destinations;
    for (const source of outputs?.sources ?? []) Reflect.deleteProperty(source, "uri");
    await stack.importState(state);
    expect(changesOf(await stack.up()), "with the state of an earlier version").to.deep.equal([]);
    await stack.refresh();
    await stack.up();
    await expectOutputs();
  });

  it("replaces a rule whose action changes, the old one first because a policy holds each network once", async () => {
    const server = await world.server();
    let action: "allow" | "deny" = "allow";
    const stack = await world.stack(server, async () => {
      const policy = new tunnels.IpPolicy("policy");
      new tunnels.IpPolicyRule("rule", { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action });
    });
    await stack.up();
    action = "deny";
    expect(changesOf(await stack.up())).to.deep.equal([
      "delete-replaced rule",
      "replace rule action",
      "create-replacement rule action",
    ]);
    expect((await server.rest.get("/ip_policy_rules")).body.ip_policy_rules).to.have.length(1);
  });
});
