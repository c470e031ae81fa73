import { createHmac } from "node:crypto";
import type { EventDestinationTargetWebhook } from "@tunnelplane/sdk";
import { webhookKey } from "@tunnelplane/sdk/contract";
import type { Dispatcher } from "undici";
import { OtherServers } from "../../util";
import {
  type DeliveryTarget,
  isOfContent,
  type Outgoing,
  retryAfterMs,
  type Sent,
  type TargetOptions,
  unreachable,
} from "./target";

/** An answer that comes later is none: senders of Standard Webhooks wait 15 to 30 s. */
const ANSWER_MS = 15_000;
/** In bytes: more of a refusal is not read. */
const MAX_WORDS = 2048;
/** Standard Webhooks: whoever answers so wants no more. */
const GONE = 410;
/** So many requests at once for each part of a batch. */
const COUNT = 4;

/**
 * A webhook: one signed request for each event.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function openWebhook(target: EventDestinationTargetWebhook, options: TargetOptions): DeliveryTarget {
  const url = new URL(target.url);
  const others = new OtherServers({ connectMs: ANSWER_MS, allowPrivate: options.allowPrivate === true });
  const key = webhookKey(target.secret);

  const sendOne = async (event: Outgoing, cancelled: AbortSignal): Promise<Sent> => {
    const late = AbortSignal.timeout(ANSWER_MS);
    const headers = { "user-agent": "tunnelplane", ...lowerCase(target.headers), ...signed(event, key) };
    const asked = {
      method: "POST",
      body: event.body,
      headers,
      signal: AbortSignal.any([cancelled, late]),
    } as const;
    try {
      return await resultOf(await others.request(url, asked));
    } catch (error) {
      cancelled.throwIfAborted();
      const reason = late.aborted
        ? `gave no answer within ${ANSWER_MS / 1000} s`
        : unreachable(error).message;
      return { ok: false, error: reason };
    }
  };

  return {
    limits: { count: COUNT, bytes: Number.POSITIVE_INFINITY, recordBytes: Number.POSITIVE_INFINITY },
    atomic: false,
    sizeOf: ({ body }) => Buffer.byteLength(body),
    send: (batch, signal) => Promise.all(batch.map((event) => sendOne(event, signal))),
    close: () => void others.close(),
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The headers of a request that say what it is, and prove who sends it. */
function signed({ id, body }: Outgoing, key: Buffer): Record<string, string> {
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(time),
    "webhook-signature": `v1,${signature}`,
  };
}

async function resultOf({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<Sent> {
  if (status >= 200 && status <= 299) {
    body.on("error", () => {}).destroy(); // the status is all that counts
    return { ok: true };
  }
  const excerpt = await beginningOf(body);
  const why = status < 400 ? "it points to another address, which is not followed; name that one" : excerpt;
  return {
    ok: false,
    error: `refused with status ${status}${why && `: ${why}`}`,
    permanent: isOfContent(status) || status === GONE,
    ...(status === GONE && { gone: true }),
    throttled: status === 429,
    retryAfterMs: retryAfterMs(headers),
  };
}

async function beginningOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_WORDS) break;
    }
  } catch {
    // A refusal counts, whether all its words arrive or not.
  }
  return Buffer.concat(chunks).subarray(0, MAX_WORDS).toString();
}
