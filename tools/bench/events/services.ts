import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { TargetOptions } from "../../../server/src/events/targets";

const auth = { creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: "of-nobody" } };

/** The destination that accepts everything at once. */
export const STREAM = {
  stream_service: { stream_ref: "arn:aws:kinesis:eu-west-1:123456789012:stream/events", auth },
};

/** The destination that never answers. */
export const DEAD = {
  delivery_service: {
    delivery_stream_ref: "arn:aws:firehose:eu-west-1:123456789012:deliverystream/events",
    auth,
  },
};

/**
 * The stand-ins for the services: a process that accepts everything at once, and a port where nobody ever
 * answers.
 */
export async function startServices(): Promise<{ options: TargetOptions; stop(): void }> {
  const stream: ChildProcess = fork(join(__dirname, "standInKinesis.cjs"));
  const [port] = await once(stream, "message");
  const silence = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(silence, "listening");
  const { port: silent } = silence.address() as AddressInfo;
  return {
    options: {
      endpoints: {
        stream_service: `http://127.0.0.1:${port}`,
        delivery_service: `http://127.0.0.1:${silent}`,
      },
    },
    stop() {
      stream.disconnect();
      silence.close();
    },
  };
}
