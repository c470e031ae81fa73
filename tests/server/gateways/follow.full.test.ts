import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pruneEvents } from "../../../server/dist/events";
import { openStore } from "../../../server/dist/storage";
import {
  apiOnEveryDatabase,
  badQuery,
  expectRefused,
  overloaded,
  unique,
  unknownId,
} from "../../support/api/expect";
import { expectRefusedBut } from "../../support/api/refusedBut";
import { execute, optionsOf, untilTestEnds } from "../../support/databases";
import type { RestAnswer } from "../../support/rest";

interface Event {
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly object: { readonly id: string };
}

const typesOf = (events: readonly Event[]) => events.map(({ event_type }) => event_type);

apiOnEveryDatabase("A reader that follows events", (server, start) => {
  const another = untilTestEnds(start);
  const newest = async (): Promise<string> => (await server.read("/events?limit=1")).events[0].event_id;
  const after = (id: string, more = "") => server.read(`/events?after_id=${id}${more}`);
  const gateway = async () => (await server.member({ role: "gateway" })).rest;

  it("gets what came after an event, oldest first, page by page, without waiting", async () => {
    const begun = await newest();
    const policy = await server.created("/ip_policies", {});
    await server.rest.patch(policy.uri, { description: "changed" });
    await server.rest.delete(policy.uri);
    const seen: Event[] = [];
    for (let next: string | null = `/events?after_id=${begun}&limit=2&wait=30`; next; ) {
      const page = await server.read(next);
      seen.push(...page.events);
      next = page.next_page_uri;
    }
    expect(typesOf(seen)).to.deep.equal([
      "ip_policy_created.v0",
      "ip_policy_updated.v0",
      "ip_policy_deleted.v0",
    ]);
    const [first, ...others] = seen.map(({ sequence }) => sequence);
    expect(others).to.deep.equal([(first as number) + 1, (first as number) + 2]);
    expect(typesOf((await after(begun, "&type=ip_policy_updated.v0")).events)).to.deep.equal([
      "ip_policy_updated.v0",
    ]);
    expect((await after(seen.at(-1)?.event_id as string)).events).to.deep.equal([]);
  });

  it("is answered as soon as a change is made, by this server or another one of the database", async () => {
    const other = await another({ data: server.data });
    for (const through of [server.rest, other.rest]) {
      const waiting = after(await newest(), "&wait=30");
      const state = await Promise.race([waiting.then(() => "answered"), sleep(300).then(() => "waiting")]);
      expect(state).to.equal("waiting");
      await through.post("/ip_policies", {});
      expect(typesOf((await waiting).events)).to.deep.equal(["ip_policy_created.v0"]);
    }
  });

  it("is looked at again before it is answered: by then its key may be gone, expired, or see less", async () => {
    const bot = await server.created("/bot_users", { name: unique("viewer"), role: "viewer" });
    const key = async () => server.created("/api_keys", { owner_id: bot.id });
    const { rest: there } = await another({ data: server.data });
    const [kept, gone, elsewhere, lowered] = [await key(), await key(), await key(), await key()];
    const last = await newest();
    const waiting = [kept, gone, elsewhere, lowered].map(({ token }) =>
      server.rest.as(token).get(`/events?after_id=${last}&type=ip_policy_created.v0&wait=30`),
    );
    await sleep(300); // until all wait
    await server.rest.delete(gone.uri);
    await there.delete(elsewhere.uri);
    await there.patch(lowered.uri, { scopes: ["tls_edge:read"] });
    await server.rest.post("/ip_policies", {});
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 401, 403]);
    for (const { text } of answers.slice(1)) expect(text).not.to.contain("ip_policy_created");
  });

  it("waits on when something else happens, and gets an empty list when the time is over", async () => {
    const waiting = after(await newest(), "&wait=1&type=tls_edge_created.v0");
    await server.created("/ip_policies", {});
    expect(await waiting).to.deep.include({ events: [], next_page_uri: null });
  });

  it("gets the advice to read everything again after an event that is unknown, was removed, or has removed ones behind it", async () => {
    await expectRefusedBut(
      [unknownId("ev"), "ev_x", "ipp_1", ""].map((id) => () => server.rest.get(`/events?after_id=${id}`)),
      badQuery,
      async () => server.rest.get(`/events?after_id=${await newest()}`),
    );
    const policy = await server.created("/ip_policies", {});
    const removed = await newest();
    await server.rest.delete(policy.uri);
    const kept = await newest();
    // An old event that was never delivered stays, and younger ones around it go.
    const old = (
      await server.created("/event_destinations", {
        format: "json",
        target: { monitoring_service: { api_key: "a" } },
      })
    ).id;
    const left = await newest();
    const { sequence } = (await after(kept)).events.at(-1);
    await server.created("/ip_policies", {});
    const destination = `'${old}', ${sequence}, '${old}', 'dead'`;
    await execute(
      server.data,
      `insert into delivery (destination_id, sequence, object_id, status) values (${destination})`,
    );
    const store = await openStore({ databasePool: 2, ...optionsOf(server.data) });
    await pruneEvents(store, new Date(Date.now() + 1000));
    await store.close();
    for (const id of [removed, kept, left]) {
      const refused = await server.rest.get(`/events?after_id=${id}&wait=30`);
      expectRefused(refused, { ...badQuery, field: "after_id", mentions: ["read all objects again"] });
    }
    await server.created("/ip_policies", {});
    expect((await after(await newest())).events).to.deep.equal([]);
    expect(typesOf((await server.read("/events?wait=0")).events)).to.include("event_destination_created.v0");
  });

  it("says for how long, up to 30 seconds, and goes in one direction", async () => {
    const id = await newest();
    const wrong = [
      "wait=31",
      "wait=-1",
      "wait=x",
      `before_id=${id}&wait=1`,
      `before_id=${id}&after_id=${id}`,
    ];
    await expectRefusedBut(
      wrong.map((query) => () => server.rest.get(`/events?${query}`)),
      badQuery,
      () => server.rest.get(`/events?before_id=${id}`),
    );
  });

  it("waits eight times at once for each owner, takes no slot of anybody's, and may come back when it has gone", async () => {
    const small = await another({ args: ["--concurrency-limit", "2"] });
    const rest = small.rest;
    const id = (await rest.get("/events?limit=1")).body.events[0].event_id;
    const head = [
      ...[`GET /events?after_id=${id}&wait=30 HTTP/1.1`, "Host: a"],
      ...[`Authorization: Bearer ${small.apiKey}`, "Service-Version: 2"],
    ].join("\r\n");
    const sockets = Array.from({ length: 8 }, () => {
      const { hostname, port } = new URL(small.url);
      const socket = connect(Number(port), hostname);
      socket.write(`${head}\r\n\r\n`);
      return socket;
    });
    let ninth = await rest.get(`/events?after_id=${id}&wait=1`);
    while (ninth.status === 200) ninth = await rest.get(`/events?after_id=${id}&wait=1`);
    const refused = ninth;
    await expectRefusedBut(
      () => Promise.resolve(refused),
      overloaded,
      () => rest.get(`/events?after_id=${id}`),
    );
    expect((await rest.get("/ip_policies")).status).to.equal(200);
    for (const socket of sockets) socket.destroy();
    while (ninth.status !== 200) ninth = await rest.get(`/events?after_id=${id}&wait=1`);
  });

  it("is answered when the server stops", async () => {
    const stopping = await another();
    const rest = stopping.rest;
    const id = (await rest.get("/events?limit=1")).body.events[0].event_id;
    const untilServed = async (): Promise<RestAnswer> => {
      const answer = await rest.get(`/events?after_id=${id}&wait=30`);
      return answer.status === 503 ? untilServed() : answer;
    };
    const waiting = Array.from({ length: 8 }, untilServed);
    // A ninth is refused as soon as all of them wait.
    while ((await rest.get(`/events?after_id=${id}&wait=1`)).status === 200);
    const stopped = stopping.stop();
    for (const answer of waiting) expect((await answer).body.events).to.deep.equal([]);
    expect(await stopped).to.equal(0);
  });

  it("as a gateway sees what it enforces, and of everything else the id and what happened", async () => {
    const begun = await newest();
    const backend = await server.created("/backends/static", { address: "127.0.0.1:1" });
    const credential = await server.created("/credentials", { description: "of nobody's business" });
    await server.rest.patch(credential.uri, { description: "changed" });
    const rest = await gateway();
    const { body, text } = await rest.get(`/events?after_id=${begun}&limit=3`);
    const [made, ...others] = body.events;
    expect(made.object).to.deep.equal(backend);
    expect(made).to.have.property("principal");
    for (const [index, event] of others.entries()) {
      expect(event).to.have.all.keys(
        "event_id",
        "event_type",
        "event_timestamp",
        "account_id",
        "sequence",
        "object",
      );
      expect(event).to.deep.include({
        object: { id: credential.id },
        event_type: `tunnel_credential_${index === 0 ? "created" : "updated"}.v0`,
      });
    }
    expect(text).not.to.contain("nobody's business");
    expect((await rest.get("/events")).text).not.to.contain("nobody's business");
  });
});
