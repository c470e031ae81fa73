import { randomBytes } from "node:crypto";
import { conditioned, text } from "../core/fields";

const PREFIX = "whsec_";
/** In bytes: the sizes of keys that Standard Webhooks takes, and the one of new ones. */
const KEY = { least: 24, most: 64, made: 32 };

/** The key of a secret that signs webhooks, as Standard Webhooks writes it. */
export const webhookKey = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

export const newWebhookSecret = (): string => PREFIX + randomBytes(KEY.made).toString("base64");

/**
 * A secret that signs webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */
export const webhookSecret = () =>
  conditioned(text(255), (value) => {
    const size = webhookKey(value).length;
    const isBase64 = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
    return isBase64 && size >= KEY.least && size <= KEY.most
      ? undefined
      : `must be \`${PREFIX}\` and ${KEY.least} to ${KEY.most} bytes in base64; leave it out, and the server makes one`;
  });
