import type { EventDestinationTargetDeliveryService } from "@tunnelplane/sdk";
import { arnOf, cloudSettings, LazyClient, outcome } from "./cloud";
import type { DeliveryTarget, Outgoing, TargetOptions } from "./target";

/**
 * A delivery stream: Data Firehose, PutRecordBatch. It joins records as they are, so each ends its line.
 * https://docs.aws.amazon.com/firehose/latest/APIReference/API_PutRecordBatch.html
 */
export function openDeliveryService(
  { delivery_stream_ref, auth }: EventDestinationTargetDeliveryService,
  options: TargetOptions,
): DeliveryTarget {
  const { region, name } = arnOf("deliveryStream", delivery_stream_ref);
  const firehose = new LazyClient(async () => {
    const { Firehose } = await import("@aws-sdk/client-firehose");
    return new Firehose(await cloudSettings("delivery_service", region, auth, options));
  });
  return {
    limits: { count: 500, bytes: 4 * 1024 * 1024, recordBytes: 1000 * 1024 },
    atomic: false,
    sizeOf: ({ body }: Outgoing) => Buffer.byteLength(body) + 1,
    async send(batch, signal) {
      const records = batch.map(({ body }) => ({ Data: Buffer.from(`${body}\n`) }));
      const answer = await firehose.use((client) =>
        client.putRecordBatch({ DeliveryStreamName: name, Records: records }, { abortSignal: signal }),
      );
      return batch.map((_, index) => outcome(answer.RequestResponses?.[index]));
    },
    close: () => firehose.close(),
  };
}
