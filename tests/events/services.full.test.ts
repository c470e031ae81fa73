import { Kinesis } from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { expect } from "chai";
import { execute, onEveryDatabase, type Start } from "../support/databases";
import { HAS_MOTO, Moto } from "../support/moto";
import { Rest, type RestAnswer } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";
import { arn, KEYS, REGION } from "../support/targets";

type Json = Record<string, unknown>;

const stream = (secret = KEYS.secretAccessKey) => ({
  stream_service: {
    stream_ref: arn("kinesis", "stream/events"),
    auth: { creds: { cloud_access_key_id: KEYS.accessKeyId, cloud_secret_access_key: secret } },
  },
});

onEveryDatabase("Events of a server process", (startServer, database) => {
  if (!HAS_MOTO) {
    it("skipped: moto could not be installed, because Python 3 with venv is missing", function () {
      this.skip();
    });
    return;
  }

  const running: ServerProcess[] = [];
  let moto: Moto;
  let kinesis: Kinesis;
  before("start the cloud's services", async () => {
    moto = await Moto.start();
    kinesis = new Kinesis({
      endpoint: moto.url,
      region: REGION,
      credentials: KEYS,
      requestHandler: new NodeHttpHandler(),
    });
  });
  after(() => moto.stop());
  beforeEach("make a stream", () => kinesis.createStream({ StreamName: "events", ShardCount: 1 }));
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop();
    await kinesis.deleteStream({ StreamName: "events" });
  });

  const start = async (endpoint = moto.url, options: Parameters<Start>[0] = {}): Promise<ServerProcess> => {
    const server = await startServer({
      ...options,
      env: { TUNNELPLANE_EVENT_ENDPOINTS: `stream_service=${endpoint},monitoring_service=${endpoint}` },
    });
    running.push(server);
    return server;
  };
  const restOf = ({ url, apiKey }: ServerProcess): Rest => new Rest(url, apiKey);

  /** The events that the stream has, in order. */
  async function arrived(): Promise<Json[]> {
    const { Shards } = await kinesis.listShards({ StreamName: "events" });
    const ShardId = Shards?.[0]?.ShardId;
    const { ShardIterator } = await kinesis.getShardIterator({
      StreamName: "events",
      ShardId,
      ShardIteratorType: "TRIM_HORIZON",
    });
    const { Records = [] } = await kinesis.getRecords({ ShardIterator });
    return Records.map(({ Data }) => JSON.parse(Buffer.from(Data ?? []).toString()));
  }

  /** Waits for what happens by itself. */
  async function eventually<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await read();
      if (done(value)) return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function subscribed(rest: Rest, target: unknown): Promise<string> {
    const destination = await created(rest.post("/event_destinations", { target }));
    await created(
      rest.post("/event_subscriptions", {
        sources: [{ type: "ip_policy_created.v0" }, { type: "ip_policy_updated.v0" }],
        destination_ids: [destination.id],
      }),
    );
    return destination.id as string;
  }

  async function created(answer: Promise<RestAnswer>): Promise<Json> {
    const { status, body, text } = await answer;
    expect(status, text).to.equal(201);
    return body;
  }

  it("arrive in the form of the API, with addresses that clients can use", async () => {
    const server = await start();
    const rest = restOf(server);
    await subscribed(rest, stream());
    const policy = await created(rest.post("/ip_policies", { description: "mine" }));
    const [event] = await eventually(arrived, (events) => events.length === 1);
    expect(event).to.deep.equal((await rest.get("/events?type=ip_policy_created.v0")).body.events[0]);
    expect(event).to.deep.include({ event_type: "ip_policy_created.v0", object: policy });
  });

  it("of acknowledged changes arrive even if the server is killed", async () => {
    const data = await database.create();
    const first = await start("http://127.0.0.1:9", { data });
    await subscribed(restOf(first), stream());
    const policies = await Promise.all(
      Array.from({ length: 20 }, () => created(restOf(first).post("/ip_policies", {}))),
    );
    await first.stop("SIGKILL");
    // As if it had been a while ago: what the killed server had taken would be left to it for a minute.
    await execute(data, "update lane set due_at = '2026-01-01T00:00:00.000Z'");
    await execute(data, "update batch set leased_until = '2026-01-01T00:00:00.000Z'");
    const second = await start(moto.url, { data });
    const events = await eventually(
      arrived,
      (found) => new Set(found.map((event) => event.event_id)).size === 20,
    );
    expect(new Set(events.map(({ object }) => (object as Json).id))).to.deep.equal(
      new Set(policies.map(({ id }) => id)),
    );
    expect(second.log).not.to.contain("failed inside");
  });

  it("can be tested, listed by status, and replayed", async () => {
    let status = 403;
    const bodies: string[] = [];
    const service = await StandInServer.start((request, response) => {
      request
        .on("data", () => undefined)
        .on("end", () => {
          bodies.push(request.url ?? "");
          response.writeHead(status).end("no such key");
        });
    });
    const rest = restOf(await start(service.url));
    const id = await subscribed(rest, { monitoring_service: { api_key: "key-of-the-monitoring" } });
    const path = `/event_destinations/${id}`;
    const refused = await rest.post(`${path}/test`);
    expect(refused.body).to.include({ ok: false }).and.to.have.property("error").that.contains("403");
    status = 202;
    expect((await rest.post(`${path}/test`)).body).to.include({ ok: true, error: null });
    for (let count = 0; count < 3; count++) await created(rest.post("/ip_policies", {}));
    const list = async (query: string) => (await rest.get(`${path}/deliveries?${query}`)).body;
    await eventually(
      () => list("status=delivered"),
      ({ deliveries }) => deliveries.length === 3,
    );
    expect((await list("status=dead")).deliveries).to.deep.equal([]);
    const first = await list("limit=2");
    const second = (await rest.get(first.next_page_uri)).body;
    expect([first.deliveries.length, second.deliveries.length, second.next_page_uri]).to.deep.equal([
      2,
      1,
      null,
    ]);
    expect((await rest.post(`${path}/replay`, { dead_letters: true })).body).to.deep.equal({ count: 0 });
    expect((await rest.post(`${path}/replay`, { since: "2020-01-01T00:00:00Z" })).body).to.deep.equal({
      count: 3,
    });
    await eventually(
      () => list("status=delivered"),
      ({ deliveries }) => deliveries.length === 3,
    );
    expect((await rest.post(`${path}/replay`, {})).status).to.equal(400);
    expect((await rest.get(`${path}/deliveries?status=lost`)).status).to.equal(400);
    expect((await rest.post("/event_destinations/ed_nobody/test")).status).to.equal(404);
    service.stop();
  });

  if (database.name === "PostgreSQL") {
    it("arrive once even if two servers share the work", async () => {
      const data = await database.create();
      const servers = [await start(moto.url, { data }), await start(moto.url, { data })];
      const rests = servers.map(restOf);
      await subscribed(rests[0] as Rest, stream());
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const rest = rests[index % 2] as Rest;
          const { id } = await created(rest.post("/ip_policies", {}));
          await rest.patch(`/ip_policies/${id}`, { description: "changed" });
        }),
      );
      const events = await eventually(arrived, (found) => found.length >= 120);
      expect(new Set(events.map((event) => event.event_id)).size).to.equal(120);
      expect(events).to.have.length(120);
    });
  }
});
