import { Kinesis } from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { execute, onEveryDatabase, type Start } from "../support/databases";
import { HAS_MOTO, Moto } from "../support/moto";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { arn, KEYS, REGION } from "../support/targets";

type Json = Record<string, unknown>;

const stream = (secret = KEYS.secretAccessKey) => ({
  stream_service: {
    stream_ref: arn("kinesis", "stream/events"),
    auth: { creds: { cloud_access_key_id: KEYS.accessKeyId, cloud_secret_access_key: secret } },
  },
});

onEveryDatabase("Events of a server process", (startServer, database) => {
  if (!HAS_MOTO)
    return void it.skip("skipped: moto could not be installed, because Python 3 with venv is missing");

  const running: ServerProcess[] = [];
  let moto: Moto;
  let kinesis: Kinesis;
  before("start the cloud's services", async () => {
    moto = await Moto.start();
    kinesis = new Kinesis({
      ...{ endpoint: moto.url, region: REGION, credentials: KEYS },
      requestHandler: new NodeHttpHandler(),
    });
  });
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

  async function eventually<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await read();
      if (done(value)) return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function subscribed(rest: Rest, target: unknown): Promise<string> {
    const destination = await rest.created("/event_destinations", { target });
    await rest.created("/event_subscriptions", {
      sources: [{ type: "ip_policy_created.v0" }, { type: "ip_policy_updated.v0" }],
      destination_ids: [destination.id],
    });
    return destination.id as string;
  }

  it("arrive in the form of the API, with addresses that clients can use", async () => {
    const server = await start();
    const rest = restOf(server);
    await subscribed(rest, stream());
    const policy = await rest.created("/ip_policies", { description: "mine" });
    const [event] = await eventually(arrived, (events) => events.length === 1);
    expect(event).to.deep.equal((await rest.get("/events?type=ip_policy_created.v0")).body.events[0]);
    expect(event).to.deep.include({ event_type: "ip_policy_created.v0", object: policy });
  });

  it("of acknowledged changes arrive even if the server is killed", async () => {
    const data = await database.create();
    const first = await start("http://127.0.0.1:9", { data });
    await subscribed(restOf(first), stream());
    const policies = await Promise.all(
      Array.from({ length: 20 }, () => restOf(first).created("/ip_policies", {})),
    );
    await first.stop("SIGKILL");
    // As if it had been a while ago: what the killed server had taken would be left to it for a minute.
    await execute(data, "update delivery set due_at = '2026-01-01T00:00:00.000Z' where due_at is not null");
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

  if (database.name === "PostgreSQL") {
    it("arrive once even if two servers share the work", async () => {
      const data = await database.create();
      const servers = [await start(moto.url, { data }), await start(moto.url, { data })];
      const rests = servers.map(restOf);
      await subscribed(rests[0] as Rest, stream());
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const rest = rests[index % 2] as Rest;
          const { id } = await rest.created("/ip_policies", {});
          await rest.patch(`/ip_policies/${id}`, { description: "changed" });
        }),
      );
      const events = await eventually(arrived, (found) => found.length >= 120);
      expect(new Set(events.map((event) => event.event_id)).size).to.equal(120);
      expect(events).to.have.length(120);
    });
  }
});
