import type { HttpsEdgeRoutes } from "@tunnelplane/sdk";
import type { Backends } from "./backends";
import { extension, type Json, turnOn } from "./json";
import { Unservable } from "./model";

/** The name of the socket where the gateway checks signatures, in the folder of agents' sockets. */
export const WEBHOOK_SOCKET = "webhooks";
/** The largest body in bytes; a larger one is answered 413. */
const MAX_BODY_SIZE = 1_048_576;

/** The headers that each service signs with. */
export const SIGNING_HEADERS = {
  github: ["x-hub-signature-256"],
  gitlab: ["x-gitlab-token"],
  shopify: ["x-shopify-hmac-sha256"],
  slack: ["x-slack-signature", "x-slack-request-timestamp"],
  stripe: ["stripe-signature"],
  svix: [
    ...["svix-id", "svix-timestamp", "svix-signature"],
    ...["webhook-id", "webhook-timestamp", "webhook-signature"],
  ],
  twilio: ["x-twilio-signature", "content-type"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Provider = keyof typeof SIGNING_HEADERS;

export interface WebhookCheck {
  readonly filter: Json;
  /** The part that routes turn on. */
  readonly on: Json;
}

/** Has the gateway check each request of a route; while it is away, requests are answered 503. */
export function webhookCheck(
  { id, webhook_verification: module }: HttpsEdgeRoutes,
  port: number,
  backends: Backends,
): WebhookCheck | undefined {
  if (!module?.enabled) return undefined;
  if (!module.secret)
    throw new Unservable(
      "webhook_verification has no secret that this gateway may read: set one, and use the API key of a bot of role gateway",
    );
  const name = `webhook ${id}`;
  return {
    on: { [name]: turnOn() },
    filter: {
      ...extension(name, "envoy.extensions.filters.http.ext_authz.v3.ExtAuthz", {
        transport_api_version: "V3",
        http_service: {
          server_uri: {
            uri: "http://gateway",
            cluster: backends.gatewaySocket(WEBHOOK_SOCKET),
            timeout: "5s",
          },
          path_prefix: `/${id}/${port}`,
        },
        allowed_headers: {
          patterns: SIGNING_HEADERS[module.provider].map((exact) => ({ exact, ignore_case: true })),
        },
        with_request_body: { max_request_bytes: MAX_BODY_SIZE },
        status_on_error: { code: "ServiceUnavailable" },
      }),
      disabled: true,
    },
  };
}
