import { type BucketKey, bucketOf as bucketIn, bucketKeysOf, type Limit } from "@tunnelplane/sdk/rules";
import { headersToAdd } from "./headerChanges";
import { extension, type Json, script } from "./json";

/** How many clients, hosts or headers are counted at once; Envoy forgets the least recently seen. */
const MAX_COUNTED = 10_000;

/** Carries the host in lower case and without a port, so that all spellings have one count. */
export const HOST = "x-tunnelplane-host";
const LOWER = `function envoy_on_request(handle)
  local headers = handle:headers()
  headers:replace("${HOST}", (string.gsub(string.lower(headers:get(":authority")), ":%d+$", "")))
end`;
export const lowerHost = (): Json => script("lower host", LOWER);
export const countsByHost = ({ config }: Limit): boolean => keysOf(config).some(({ key }) => key === HOST);

const keysOf = (config: Limit["config"]): Key[] => bucketKeysOf(config).map(keyOf);

/** The filter that counts requests for a rate-limit. Routes turn it on, and so share one count. */
export function limitFilter({ id, config }: Limit): Json {
  const bucket = bucketOf(config);
  const each = keysOf(config);
  const headers = each.flatMap(({ header }) => header ?? []);
  const fields = {
    ...{ stat_prefix: "limit", filter_enabled: ALWAYS, filter_enforced: ALWAYS },
    response_headers_to_add: headersToAdd({ "retry-after": String(Math.ceil(bucketIn(config).seconds)) }),
  };
  const one = (name: string, more: Json) => ({
    ...extension(name, "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit", {
      ...fields,
      ...more,
    }),
    disabled: true,
  });
  if (each.length === 0) return one(nameOf(id), { token_bucket: bucket });
  const without = (header: string) =>
    each.map((key) =>
      key.header === header
        ? {
            action: {
              header_value_match: {
                descriptor_value: "absent",
                expect_match: false,
                headers: [{ name: header, present_match: true }],
              },
            },
            key: "header_match",
            value: "absent",
          }
        : key,
    );
  const kinds = [each, ...headers.map(without)];
  return one(nameOf(id), {
    // Requests without a descriptor use this bucket; every filter needs one.
    token_bucket: bucket,
    always_consume_default_token_bucket: false,
    max_dynamic_descriptors: MAX_COUNTED,
    rate_limits: kinds.map((parts) => ({ actions: parts.map(({ action }) => action) })),
    descriptors: kinds.map((parts) => ({
      entries: parts.map(({ key, value }) => ({ key, value })),
      token_bucket: bucket,
    })),
  });
}

const nameOf = (id: string): string => `limit ${id}`;

export const limitNames = (limits: readonly Limit[]): string[] => limits.map(({ id }) => nameOf(id));

/** A token bucket of Envoy's, which is full again after the declared time. */
export function bucketOf(config: Limit["config"]): Json {
  const { capacity, seconds } = bucketIn(config);
  return { max_tokens: capacity, tokens_per_fill: capacity, fill_interval: `${seconds}s` };
}

interface Key {
  readonly action: Json;
  readonly key: string;
  readonly value?: string;
  /** The header, if it may be absent. */
  readonly header?: string;
}

function keyOf(counted: BucketKey): Key {
  if (counted === "client_ip") return { key: "remote_address", action: { remote_address: {} } };
  const key = typeof counted === "object" ? counted.header : NAMED[counted];
  const action = { request_headers: { header_name: key, descriptor_key: key } };
  return typeof counted === "object" ? { key, action, header: key } : { key, action };
}

const NAMED = { host: HOST, method: ":method" } as const;

const ALWAYS: Json = { default_value: { numerator: 100, denominator: "HUNDRED" } };
