import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { type Arn, readArn } from "@tunnelplane/sdk/contract";
import type { Service } from "./endpoints";
import { retryAfterMs, type Sent, TargetError, type TargetOptions, unreachable } from "./target";

/** How to sign in to the cloud: exactly one is set. */
export interface CloudAuth {
  readonly role: { readonly role_ref: string } | null;
  readonly creds: { readonly cloud_access_key_id: string; readonly cloud_secret_access_key: string } | null;
}

const CONNECT_MS = 10_000;

/** Reads an ARN. It was validated before it was stored. */
export function arnOf(kind: Parameters<typeof readArn>[0], text: string): Arn {
  const arn = readArn(kind, text);
  if (!arn) throw new TargetError(`cannot be found: ${JSON.stringify(text)} is not an ARN of its kind`);
  return arn;
}

/** The settings of an SDK client. The region decides the address; no ARN can turn it into another host. */
export async function cloudSettings(
  service: Service,
  region: string,
  auth: CloudAuth,
  options: TargetOptions,
) {
  const { role, creds } = auth;
  return {
    ...(await connection(service, region, options)),
    credentials: creds
      ? { accessKeyId: creds.cloud_access_key_id, secretAccessKey: creds.cloud_secret_access_key }
      : () => assumeRole(role?.role_ref ?? "", region, options),
  };
}

async function connection(service: Service, region: string, { endpoints, timeoutMs }: TargetOptions) {
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
  return {
    region,
    endpoint: endpoints?.[service],
    maxAttempts: 1, // the delivery worker decides about retries
    // HTTP/1.1 for all: the Kinesis client prefers HTTP/2, which few compatible services support.
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_MS,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // Through the proxy that the environment names, if it names one.
      httpAgent: new HttpAgent({ keepAlive: true, proxyEnv: process.env }),
      httpsAgent: new HttpsAgent({ keepAlive: true, proxyEnv: process.env }),
    }),
  };
}

/**
 * Asks STS for keys of a role with the server's own identity. The SDK client caches them and renews them
 * before they expire.
 */
async function assumeRole(role: string, region: string, options: TargetOptions) {
  const { STS } = await import("@aws-sdk/client-sts");
  const sts = new STS(await connection("sts", region, options));
  try {
    const { Credentials: keys } = await sts.assumeRole({ RoleArn: role, RoleSessionName: "tunnelplane" });
    if (!keys?.AccessKeyId || !keys.SecretAccessKey)
      throw new TargetError(`STS answered no keys for ${role}`);
    return {
      accessKeyId: keys.AccessKeyId,
      secretAccessKey: keys.SecretAccessKey,
      sessionToken: keys.SessionToken,
      expiration: keys.Expiration,
    };
  } finally {
    sts.destroy();
  }
}

/** Creates a client on first use, because its SDK takes long to load. */
export class LazyClient<C extends { destroy(): void }> {
  #client: Promise<C> | undefined;

  constructor(private readonly open: () => Promise<C>) {}

  /** Works with the client, and turns its errors into a {@link TargetError}. */
  async use<T>(work: (client: C) => Promise<T>): Promise<T> {
    try {
      this.#client ??= this.open();
      return await work(await this.#client);
    } catch (error) {
      throw cloudError(error);
    }
  }

  close(): void {
    this.#client?.then((client) => client.destroy()).catch(() => {});
  }
}

/** The fields of an SDK's error that we use. */
interface CloudFailure extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Record<string, string> };
}

// The services' lists of common errors; their JSON ones come with status 400, whatever they mean.
const CREDENTIALS =
  /AccessDenied|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|InvalidClientTokenId|ExpiredToken|IncompleteSignature|MissingAuthenticationToken|InvalidAccessKeyId|AuthFailure|OptInRequired/;
// "ServiceUnavailable" is how a delivery stream says it (Firehose API reference, PutRecordBatch).
const THROTTLED = /Throttl|ThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown|ServiceUnavailable/;

/** Their other names are about the whole request, such as a stream that is missing. */
const CONTENT = /^(?:Validation|InvalidArgument|InvalidParameter|Serialization)(?:Exception|Error)?$/;

function cloudError(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const { name, message, $metadata, $response } = error as CloudFailure;
  if (name === "CredentialsProviderError")
    return new TargetError(
      `needs a role, and the server has no identity in the cloud to assume it with: ${message}`,
      { credentials: true },
    );
  const status = $metadata?.httpStatusCode;
  if (status === undefined) return unreachable(error);
  const unread = error instanceof SyntaxError; // for example a proxy answered
  const why = unread
    ? `answered ${status} in no form that the service has; check its endpoint`
    : `refused: ${name}: ${message}`;
  return new TargetError(why, {
    throttled: THROTTLED.test(name) || status === 429,
    credentials: CREDENTIALS.test(name) || status === 401 || status === 403,
    ofContent: CONTENT.test(name) || status === 413,
    retryAfterMs: retryAfterMs($response?.headers ?? {}),
  });
}

/** Reads the result of one record from the answer to its batch. */
export function outcome(record: { ErrorCode?: string; ErrorMessage?: string } | undefined): Sent {
  if (!record) return { ok: false, error: "the service's answer does not mention it" };
  const { ErrorCode: code, ErrorMessage: message } = record;
  return code ? { ok: false, error: `${code}: ${message}`, throttled: THROTTLED.test(code) } : { ok: true };
}
