import { extension, type Json, script } from "./json";
import { Unservable } from "./model";
import type { Limit } from "./policies";

/** How many clients, hosts or headers are counted at once; Envoy forgets the least recently seen. */
const MOST_COUNTED = 10_000;

/** Carries the host in lower case, so that all spellings have one count. Envoy has removed the port. */
export const HOST = "x-tunnelplane-host";
const LOWER = `function envoy_on_request(handle)
  local headers = handle:headers()
  headers:replace("${HOST}", string.lower(headers:get(":authority")))
end`;
export const lowerHost = (): Json => script("lower host", LOWER);
export const countsByHost = ({ config }: Limit): boolean => keysOf(config).some(({ key }) => key === HOST);

const keysOf = (config: Limit["config"]): Key[] =>
  // The contract has texts here; what a newer server adds is refused by name.
  (Array.isArray(config.bucket_key) ? config.bucket_key : []).map((key) => keyOf(String(key)));

/** The filter that counts requests for a rate-limit. Routes turn it on, and so share one count. */
export function limitFilter({ id, config }: Limit): Json {
  const bucket = bucketOf(config);
  const each = keysOf(config);
  const headers = each.flatMap(({ header }) => header ?? []);
  if (headers.length > 1)
    throw new Unservable("a rate-limit counts by more than one header; gateways count by one header at most");
  const fields = { stat_prefix: "limit", filter_enabled: ALWAYS, filter_enforced: ALWAYS };
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
    max_dynamic_descriptors: MOST_COUNTED,
    rate_limits: kinds.map((parts) => ({ actions: parts.map(({ action }) => action) })),
    descriptors: kinds.map((parts) => ({
      entries: parts.map(({ key, value }) => ({ key, value })),
      token_bucket: bucket,
    })),
  });
}

const nameOf = (id: string): string => `limit ${id}`;

export const limitNames = (limits: readonly Limit[]): string[] => limits.map(({ id }) => nameOf(id));

const MOST_REQUESTS = 1_000_000;
const LONGEST_SECONDS = 86_400;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * A bucket with the declared average: at most twice a sliding window across a border. The ranges are those of
 * the contract: one number out of range makes the whole file unreadable for Envoy.
 */
export function bucketOf({ capacity, rate }: Limit["config"]): Json {
  if (!Number.isInteger(capacity) || Number(capacity) < 1 || Number(capacity) > MOST_REQUESTS)
    throw new Unservable(
      `the capacity ${JSON.stringify(capacity)} of a rate-limit is out of range: use 1 to ${MOST_REQUESTS}`,
    );
  const [, count, unit] = /^(\d{1,5})([smh])$/.exec(String(rate)) ?? [];
  const seconds = Number(count) * Number(SECONDS[unit ?? ""]);
  if (!(seconds >= 1 && seconds <= LONGEST_SECONDS))
    throw new Unservable(
      `the rate ${JSON.stringify(rate)} of a rate-limit is out of range: use 1s to 24h, in s, m or h`,
    );
  return { max_tokens: capacity, tokens_per_fill: capacity, fill_interval: `${seconds}s` };
}

interface Key {
  readonly action: Json;
  readonly key: string;
  readonly value?: string;
  /** The header, where it may be absent. */
  readonly header?: string;
}

function keyOf(text: string): Key {
  const name =
    /^req\.headers\[(["'])([!#$%&'*+.^_`|~0-9A-Za-z-]+)\1\]$/.exec(text)?.[2]?.toLowerCase() ?? NAMED[text];
  if (name !== undefined) {
    const key = name === "host" ? HOST : name;
    const action = { request_headers: { header_name: key, descriptor_key: key } };
    return key === HOST || key === ":method" ? { key, action } : { key, action, header: key };
  }
  if (text === "conn.client_ip" || text === "conn.ClientIP")
    return { key: "remote_address", action: { remote_address: {} } };
  throw new Unservable(
    `a rate-limit counts by ${JSON.stringify(text)}; gateways count by conn.client_ip, req.host, req.method, req.user_agent and req.headers["…"]`,
  );
}

const NAMED: Readonly<Record<string, string>> = {
  "req.host": HOST,
  "req.method": ":method",
  "req.user_agent": "user-agent",
};

const ALWAYS: Json = { default_value: { numerator: 100, denominator: "HUNDRED" } };
