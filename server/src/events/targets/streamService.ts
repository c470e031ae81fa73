import type { EventDestinationTargetStreamService } from "@tunnelplane/sdk";
import { arnOf, cloudSettings, LazyClient, outcome } from "./cloud";
import type { DeliveryTarget, Outgoing, TargetOptions } from "./target";

const MIB = 1024 * 1024;

/**
 * A stream: Kinesis Data Streams, PutRecords. Since 2025 it allows requests of 10 MiB, and records of 10 MiB
 * on streams that are configured for them. We keep to the limits that every stream has.
 * https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html
 */
export function openStreamService(
  { stream_ref, auth }: EventDestinationTargetStreamService,
  options: TargetOptions,
): DeliveryTarget {
  const { region } = arnOf("stream", stream_ref);
  const kinesis = new LazyClient(async () => {
    const { Kinesis } = await import("@aws-sdk/client-kinesis");
    return new Kinesis(await cloudSettings("stream_service", region, auth, options));
  });
  return {
    limits: { count: 500, bytes: 5 * MIB, recordBytes: MIB },
    atomic: false,
    sizeOf: ({ body, key }: Outgoing) => Buffer.byteLength(body) + Buffer.byteLength(key),
    async send(batch, signal) {
      const records = batch.map(({ body, key }) => ({ Data: Buffer.from(body), PartitionKey: key }));
      const answer = await kinesis.use((client) =>
        client.putRecords({ StreamARN: stream_ref, Records: records }, { abortSignal: signal }),
      );
      return batch.map((_, index) => outcome(answer.Records?.[index]));
    },
    close: () => kinesis.close(),
  };
}
