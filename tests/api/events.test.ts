import { definitionOfId, EVENT_TYPES, eventTypeOf, registry, secretPathsOf } from "@tunnelplane/sdk/contract";
import {
  apiOnEveryDatabase,
  badQuery,
  expectRefused,
  hostport,
  type Json,
  notFound,
  unknownId,
} from "../support/api/expect";
import { asListed, TYPES } from "../support/api/types";
import type { RestAnswer } from "../support/rest";

interface Event {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_timestamp: string;
  readonly account_id: string;
  readonly principal: Json;
  readonly object: Json & { id: string };
  readonly changes?: readonly { path: string; old?: unknown; new?: unknown }[];
}

function shown(body: Json): Json {
  const copy = structuredClone(body);
  for (const path of secretPathsOf(definitionOfId(body.id as string) as never)) {
    const names = path.split(".");
    const last = names.pop() as string;
    const holder = names.reduce<Json | undefined>((value, name) => value?.[name] as Json | undefined, copy);
    const isSet = typeof holder?.[last] === "string" && holder[last] !== "";
    if (isSet || path === "private_key_pem") delete holder?.[last]; // answers have null in its place
  }
  return copy;
}

apiOnEveryDatabase("An event", (server) => {
  const eventsOf = async (id: string): Promise<Event[]> =>
    (await server.read(`/events?object_id=${id}`)).events.reverse();

  for (const type of TYPES) {
    it(`is written for the creation, update and deletion of ${type.name}: with old and new state, changes and author`, async () => {
      const made = await server.created(type.path, await type.body(server.rest));
      const one = `${type.path}/${made.id}`;
      const changed = (await server.rest.patch(one, { description: "another", ...type.update })).body;
      await server.rest.patch(one, { description: "another", ...type.update }); // changes nothing more
      expect((await server.rest.delete(one)).status).to.equal(204);
      const events = await eventsOf(made.id);
      const definition = definitionOfId(made.id) as never;
      expect(events.map(({ event_type }) => event_type)).to.deep.equal(
        (["created", "updated", "deleted"] as const).map((change) => eventTypeOf(definition, change)),
      );
      const [creation, update, deletion] = events as [Event, Event, Event];
      expect(creation.object).to.deep.equal(shown(asListed(type, made)));
      expect(update.object).to.deep.equal(shown(asListed(type, changed)));
      expect(deletion.object).to.deep.equal(shown(asListed(type, changed)));
      expect(creation).not.to.have.property("changes");
      expect(deletion).not.to.have.property("changes");
      expect(update.changes).to.deep.include({ path: "description", old: "", new: "another" });
      const roots = new Set(update.changes?.map(({ path }) => path.split(/[.[]/)[0]));
      expect([...roots]).to.have.members(["description", ...Object.keys(type.update ?? {})]);
      const key = (await server.read("/api_keys")).keys.at(-1);
      for (const event of events) {
        expect(event.event_id).to.match(/^ev_[0-9A-Za-z]{27}$/);
        expect(event.account_id).to.match(/^ac_/);
        expect(Number.isNaN(Date.parse(event.event_timestamp))).to.equal(false);
        expect(event.principal).to.deep.equal({
          ...{ id: key.owner_id, subject: "admin", source: "API" },
          credential: { id: key.id, uri: key.uri },
        });
        expect(await server.read(`/events/${event.event_id}`)).to.deep.equal(event);
      }
    });
  }

  it("of an update lists old and new values by path, but of secrets only that they changed", async () => {
    const target = (api_key: string, service: string) => ({ monitoring_service: { api_key, service } });
    const { id } = await server.created("/event_destinations", { target: target("first-secret", "one") });
    await server.rest.patch(`/event_destinations/${id}`, { target: target("second-secret", "two") });
    const text = JSON.stringify((await eventsOf(id)).at(-1));
    expect((await eventsOf(id)).at(-1)?.changes).to.deep.equal([
      { path: "target.monitoring_service.service", old: "one", new: "two" },
      { path: "target.monitoring_service.api_key" },
    ]);
    expect(text).not.to.match(/(first|second)-secret/);
    const edge = await server.created("/edges/tls", { hostports: [hostport()] });
    await server.rest.put(`/edges/tls/${edge.id}/tls_termination`, { min_version: "1.3" });
    await server.rest.put(`/edges/tls/${edge.id}/tls_termination`, { min_version: "1.2" });
    await server.rest.delete(`/edges/tls/${edge.id}/tls_termination`);
    const [, configured, changed, removed] = await eventsOf(edge.id);
    expect(configured?.changes?.[0]).to.deep.include({ path: "tls_termination", old: null });
    expect(changed?.changes).to.deep.equal([{ path: "tls_termination.min_version", old: "1.3", new: "1.2" }]);
    expect(removed?.changes?.[0]).to.deep.include({ path: "tls_termination", new: null });
  });

  it("is written for each object that is deleted along: routes of an edge, rules of a policy", async () => {
    const edge = await server.created("/edges/https", { hostports: [hostport()] });
    const routes: string[] = [];
    for (const match of ["/a", "/b"])
      routes.push(
        (await server.created(`/edges/https/${edge.id}/routes`, { match_type: "exact_path", match })).id,
      );
    await server.rest.delete(`/edges/https/${edge.id}`);
    const policy = await server.created("/ip_policies", {});
    const rules: string[] = [];
    for (const cidr of ["10.0.0.0/8", "fd00::/8"]) {
      rules.push(
        (await server.created("/ip_policy_rules", { ip_policy_id: policy.id, cidr, action: "allow" })).id,
      );
    }
    await server.rest.delete(`/ip_policies/${policy.id}`);
    for (const [ids, type, parent] of [
      [routes, "https_edge_route_deleted.v0", edge.id],
      [rules, "ip_policy_rule_deleted.v0", policy.id],
    ] as const) {
      const { events } = await server.read(`/events?type=${type}&limit=2`);
      expect(events.map(({ object }: Event) => object.id)).to.have.members(ids);
      expect((await eventsOf(parent)).at(-1)?.event_type).to.match(/_deleted\.v0$/);
    }
  });

  it("is listed newest first, by type, by object and page by page, each once", async () => {
    const policies: string[] = [];
    for (let index = 0; index < 7; index++) policies.push((await server.created("/ip_policies", {})).id);
    const all: Event[] = [];
    for (let next = "/events?limit=5"; next; ) {
      const { events, next_page_uri, uri } = await server.read(next);
      expect(uri).to.equal(`${server.url}/events`);
      all.push(...events);
      next = next_page_uri;
    }
    expect(new Set(all.map(({ event_id }) => event_id)).size).to.equal(all.length);
    expect(all.slice(0, 7).map(({ object }) => object.id)).to.deep.equal(policies.toReversed());
    const ofType: Event[] = [];
    for (let next = "/events?type=ip_policy_created.v0&limit=3"; next; ) {
      const { events, next_page_uri } = await server.read(next);
      ofType.push(...events);
      next = next_page_uri;
    }
    expect(ofType).to.deep.equal(all.filter(({ event_type }) => event_type === "ip_policy_created.v0"));
    expect(
      (await server.read(`/events?type=ip_policy_deleted.v0&object_id=${policies[0]}`)).events,
    ).to.deep.equal([]);
    expect((await server.read(`/events?object_id=${unknownId("ipp")}`)).events).to.deep.equal([]);
  });

  it("cannot be searched by an unknown type, id or parameter", async () => {
    const queries = [
      ...["type=nothing_created.v0", "type=ip_policy_created", "type=", "limit=0", "limit=101"],
      ...["before_id=ipp_1", "before=1", "type=a&type=b"],
    ];
    for (const query of queries) expectRefused(await server.rest.get(`/events?${query}`), badQuery);
    expectRefused(await server.rest.get(`/events/${unknownId("ev")}`), notFound);
  });

  it("has one of the types in /event_types, which are those that a subscription may name", async () => {
    const answer: RestAnswer = await server.rest.get("/event_types");
    expect(answer.body.event_types).to.deep.equal(EVENT_TYPES.map((type) => ({ type })));
    const subjects = [...new Set(registry.map(({ subject }) => subject))].sort();
    const ending = TYPES.filter(({ fields }) => fields.includes("expired")).map(({ path }) => path);
    const expired = registry.filter(({ path }) => ending.includes(path)).map(({ subject }) => subject);
    expect([...EVENT_TYPES].sort()).to.deep.equal(
      [
        ...subjects.flatMap((subject) =>
          ["created", "deleted", "updated"].map((change) => `${subject}_${change}.v0`),
        ),
        ...expired.map((subject) => `${subject}_expired.v0`),
        "tunnel_session_started.v0",
        "tunnel_session_stopped.v0",
      ].sort(),
    );
    const destination = await server.created("/event_destinations", {
      target: { monitoring_service: { api_key: "k" } },
    });
    const sources = EVENT_TYPES.map((type) => ({ type }));
    await server.created("/event_subscriptions", { sources, destination_ids: [destination.id] });
  });
});
