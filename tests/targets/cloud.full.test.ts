import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { Firehose } from "@aws-sdk/client-firehose";
import { Kinesis } from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { openTarget } from "../../server/src/events/targets";
import { HAS_MOTO, Moto } from "../support/moto";
import { StandInServer } from "../support/standIn";
import {
  event,
  eventOfSize,
  failureOf,
  forever,
  inTheCloud,
  KEYS,
  REGION,
  role,
  sendOnce,
} from "../support/targets";

// Without access control, moto serves buckets to any signed request.
const SIGNED = `AWS4-HMAC-SHA256 Credential=${KEYS.accessKeyId}/20260101/us-east-1/s3/aws4_request`;
const KINDS = ["stream_service", "delivery_service", "log_service"] as const;

describe("Targets in the cloud", () => {
  if (!HAS_MOTO)
    return void it.skip("skipped: moto could not be installed, because Python 3 with venv is missing");

  let moto: Moto;
  let endpoints: Record<(typeof KINDS)[number] | "sts", string>;
  const client = () => ({
    endpoint: moto.url,
    region: REGION,
    credentials: KEYS,
    requestHandler: new NodeHttpHandler(),
  });

  before(async () => {
    moto = await Moto.start();
    endpoints = {
      stream_service: moto.url,
      delivery_service: moto.url,
      log_service: moto.url,
      sts: moto.url,
    };
    await new Kinesis(client()).createStream({ StreamName: "events", ShardCount: 1 });
    await bucket("PUT", "/events");
    await new Firehose(client()).createDeliveryStream({
      DeliveryStreamName: "events",
      S3DestinationConfiguration: { BucketARN: "arn:aws:s3:::events", RoleARN: role.role.role_ref },
    });
    await new CloudWatchLogs(client()).createLogGroup({ logGroupName: "events" });
  });

  const bucket = async (method: string, path: string): Promise<string> =>
    (await fetch(`${moto.url}${path}`, { method, headers: { authorization: SIGNED } })).text();

  /** The content of each service, read through its own API. */
  const arrived = {
    async stream_service(): Promise<{ key?: string; body: string }[]> {
      const kinesis = new Kinesis(client());
      const { Shards } = await kinesis.listShards({ StreamName: "events" });
      const { ShardIterator } = await kinesis.getShardIterator({
        StreamName: "events",
        ShardId: Shards?.[0]?.ShardId,
        ShardIteratorType: "TRIM_HORIZON",
      });
      const { Records = [] } = await kinesis.getRecords({ ShardIterator });
      return Records.map(({ PartitionKey, Data }) => ({
        key: PartitionKey,
        body: Buffer.from(Data ?? []).toString(),
      }));
    },
    async delivery_service(): Promise<{ body: string }[]> {
      const keys = [...(await bucket("GET", "/events?list-type=2")).matchAll(/<Key>([^<]+)<\/Key>/g)].map(
        ([, key]) => key,
      );
      const objects = await Promise.all(keys.map((key) => bucket("GET", `/events/${key}`)));
      const text = objects.join("");
      expect(text, keys.join()).to.match(/\n$/);
      return text
        .trimEnd()
        .split("\n")
        .map((body) => ({ body }));
    },
    async log_service(): Promise<{ at?: number; body: string }[]> {
      const { events = [] } = await new CloudWatchLogs(client()).getLogEvents({
        logGroupName: "events",
        logStreamName: "tunnelplane",
      });
      return events.map(({ message, timestamp }) => ({ body: message ?? "", at: timestamp }));
    },
  };

  for (const kind of KINDS) {
    it(`a ${kind} receives every event unchanged`, async () => {
      const batch = [event(), event({ key: "ipp_2" }), event()];
      expect(await sendOnce(inTheCloud()[kind], batch, { endpoints })).to.deep.equal([
        { ok: true },
        { ok: true },
        { ok: true },
      ]);
      const bodies = (await arrived[kind]()).map(({ body }) => body);
      expect(bodies).to.include.members(batch.map(({ body }) => body));
    });

    it(`a ${kind} accepts events up to the limits of its target, and gets none that is too large`, async () => {
      const target = openTarget(inTheCloud()[kind], { endpoints });
      try {
        const many = Array.from({ length: target.limits.count }, () => event());
        expect((await target.send(many, forever())).every(({ ok }) => ok)).to.equal(true);
        const largest = eventOfSize(target, target.limits.recordBytes);
        const larger = eventOfSize(target, target.limits.recordBytes + 1);
        const [first, second] = await target.send([largest, larger], forever());
        expect(first).to.deep.equal({ ok: true });
        expect(second).to.deep.include({ ok: false, permanent: true });
      } finally {
        target.close();
      }
    });

    it(`a missing ${kind} is reported as missing`, async () => {
      const there = inTheCloud()[kind];
      const gone = JSON.parse(JSON.stringify(there).replace(/(stream\/|log-group:)events/g, "$1gone"));
      const error = await failureOf(sendOnce(gone, [event()], { endpoints }));
      expect(error.message).to.match(/ResourceNotFoundException/);
      expect(error.credentials).to.equal(false);
    });

    it(`keys that a ${kind} does not accept are reported as the reason, without the secret`, async () => {
      await moto.checkKeys(true);
      try {
        const error = await failureOf(sendOnce(inTheCloud()[kind], [event()], { endpoints }));
        expect(error.credentials, error.message).to.equal(true);
        expect(error.message).not.to.include(KEYS.secretAccessKey);
      } finally {
        await moto.checkKeys(false);
      }
    });
  }

  it("a log group gets events in the order of sending, whatever their times are", async () => {
    const now = Date.now();
    const batch = [0, -5_000, 1_000].map((ms) => event({ time: new Date(now + ms).toISOString() }));
    await sendOnce(inTheCloud().log_service, batch, { endpoints });
    const logged = (await arrived.log_service()).filter(({ body }) =>
      batch.some((sent) => sent.body === body),
    );
    expect(logged).to.deep.equal(
      [now, now, now + 1_000].map((at, index) => ({ at, body: batch[index]?.body })),
    );
  });

  it("a log group gets events of several days in one batch", async () => {
    const days = [3, 1, 0].map((ago) =>
      event({ time: new Date(Date.now() - ago * 24 * 3600 * 1000).toISOString() }),
    );
    expect(await sendOnce(inTheCloud().log_service, days, { endpoints })).to.deep.equal([
      { ok: true },
      { ok: true },
      { ok: true },
    ]);
  });

  describe("with a role", () => {
    const environment = { ...process.env };
    before(() => {
      process.env.AWS_ACCESS_KEY_ID = "AKIASERVERSOWN";
      process.env.AWS_SECRET_ACCESS_KEY = "the-servers-own-secret";
    });
    after(() => {
      for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
        if (environment[name] === undefined) delete process.env[name];
        else process.env[name] = environment[name];
      }
    });

    /** Stands between a target and moto's STS: the keys that it hands out end after so many milliseconds. */
    const stsWithKeysThatEndAfter = async (ms: number) => {
      const asked: string[] = [];
      const standIn = await StandInServer.start(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        asked.push(new URLSearchParams(body).get("RoleArn") ?? "");
        const { host, "content-length": _, ...headers } = request.headers;
        const answer = await fetch(moto.url, {
          method: "POST",
          body,
          headers: { ...(headers as Record<string, string>) },
        });
        const text = (await answer.text()).replace(
          /(<Expiration>)[^<]*/,
          `$1${new Date(Date.now() + ms).toISOString()}`,
        );
        response.writeHead(answer.status, { "content-type": "text/xml" }).end(text);
      });
      return { asked, standIn };
    };

    for (const [name, ms, fewest, most] of [
      ["is assumed once while its keys last", 3_600_000, 1, 1],
      ["is assumed again before its keys end", 60_000, 3, Number.POSITIVE_INFINITY],
    ] as const)
      it(`a role ${name}`, async () => {
        const { asked, standIn } = await stsWithKeysThatEndAfter(ms);
        const target = openTarget(inTheCloud(role).stream_service, {
          endpoints: { ...endpoints, sts: standIn.url },
        });
        try {
          for (let tries = 0; tries < 3; tries++)
            expect(await target.send([event()], forever())).to.deep.equal([{ ok: true }]);
          expect(asked.length).to.be.within(fewest, most);
          expect(new Set(asked)).to.deep.equal(new Set([role.role.role_ref]));
        } finally {
          target.close();
        }
      });

    it("writes to a stream use the role's keys, not the server's own", async () => {
      const signers: string[] = [];
      const standIn = await StandInServer.start((request, response) => {
        signers.push(/Credential=(\w+)/.exec(request.headers.authorization ?? "")?.[1] ?? "");
        response
          .writeHead(200, { "content-type": "application/x-amz-json-1.1" })
          .end('{"FailedRecordCount":0,"Records":[{"ShardId":"1"}]}');
      });
      await sendOnce(inTheCloud(role).stream_service, [event()], {
        endpoints: { ...endpoints, stream_service: standIn.url },
      });
      expect(signers[0]).to.match(/^ASIA/);
    });

    it("a role that STS does not grant is an error of its credentials, without secrets", async () => {
      await moto.checkKeys(true);
      try {
        const error = await failureOf(sendOnce(inTheCloud(role).stream_service, [event()], { endpoints }));
        expect(error.credentials, error.message).to.equal(true);
        expect(error.message).not.to.include("the-servers-own-secret");
      } finally {
        await moto.checkKeys(false);
      }
    });
  });
});
