import { plainAddress } from "@tunnelplane/sdk/contract";
import { type Json, script, typed } from "./json";
import { networkRbac } from "./rbac";

/** What a connection is for, by what the balancer says; Envoy's proxy for connections reads it too. */
const DESTINATION = "envoy.tcp_proxy.cluster";
/** No cluster has this name, and a connection for it ends. */
const NOWHERE = "nowhere";
const [PEER, CALLER] = ["tunnelplane.peer", "tunnelplane.caller"];

/**
 * Reads what a balancer says of each connection by the PROXY protocol, version 1 or 2; one without it is
 * closed. Envoy would take a connection of the balancer's own (LOCAL), or of an UNKNOWN caller, for one that
 * the balancer's address makes. Those lead nowhere.
 */
export const proxyProtocol = (): Json[] => [
  {
    name: "proxy_protocol",
    typed_config: typed("envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol", {
      stat_prefix: "balancers",
    }),
  },
  {
    name: "set_filter_state",
    typed_config: typed("envoy.extensions.filters.listener.set_filter_state.v3.Config", {
      on_accept: [
        state(PEER, "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS%"),
        state(CALLER, "%DOWNSTREAM_REMOTE_ADDRESS%"),
        {
          ...state(
            DESTINATION,
            `%CEL(filter_state["${PEER}"] == filter_state["${CALLER}"] ? "${NOWHERE}" : "")%`,
          ),
          factory_key: DESTINATION,
          skip_if_empty: true,
        },
      ],
    }),
  },
];

const state = (object_key: string, inline_string: string): Json => ({
  object_key,
  factory_key: "envoy.string",
  format_string: { text_format_source: { inline_string } },
});

/** Closes the connections that lead nowhere, where Envoy's proxy for connections does not. */
export const closingLocal = (): Json =>
  networkRbac("local", {
    rules: {
      action: "DENY",
      policies: {
        local: {
          permissions: [{ any: true }],
          principals: [{ filter_state: { key: DESTINATION, string_match: { exact: NOWHERE } } }],
        },
      },
    },
  });

/** Networks in the forms in which the PROXY protocol names their addresses; IPv4 may be within IPv6. */
export const inBothForms = (cidrs: readonly string[]): string[] =>
  cidrs.flatMap((cidr) => {
    const plain = plainAddress(cidr);
    const [address = "", bits] = plain.split("/");
    return address.includes(":") ? [plain] : [plain, `::ffff:${address}/${96 + Number(bits)}`];
  });

const PORT = "(?::[0-9]{1,5})?";
const MAPPED = "(?:::ffff:)?";
/** The last entry of a list; the address of it is in one of the groups. */
const LAST_ENTRY = `(?i)(?:^|,)[ \\t]*(?:${[
  `${MAPPED}([0-9.]+)${PORT}`,
  `\\[${MAPPED}([0-9.]+)\\]${PORT}`,
  `\\[([0-9a-f:.]+)\\]${PORT}`,
  "([0-9a-f.]*:[0-9a-f:.]*)",
].join("|")})[ \\t]*$`;

const cel = (value: string, pattern: string, rewrite: string): string =>
  `%CEL(re.extract(${value}, ${JSON.stringify(pattern)}, ${JSON.stringify(rewrite)}))%`;

/**
 * The caller's address in its one form, from the last entry of X-Forwarded-For; nothing where that is none.
 */
export const LAST_FORWARDED = cel('request.headers["x-forwarded-for"]', LAST_ENTRY, "\\1\\2\\3\\4");
/** An IPv4 address that the PROXY protocol named within IPv6; nothing for any other. */
export const PROXIED_IPV4 = cel("source.address", "^\\[::ffff:([0-9.]+)\\]", "\\1");

/**
 * Answers 400 where the last entry of X-Forwarded-For is not an address: Envoy would take the balancer for
 * the caller. It gives only addresses from that header the port 0.
 */
export const onlyKnownCallers = (): Json =>
  script(
    "caller",
    `function envoy_on_request(handle)
  local caller = handle:streamInfo():downstreamRemoteAddress()
  local named = string.find(caller, ":0$") and not string.find(caller, "^%[::ffff:")
  if handle:headers():get("x-forwarded-for") ~= nil and not named then
    handle:respond({[":status"] = "400"}, "The load balancer in front names no caller: the last entry of its X-Forwarded-For is not an IP address.\\n")
  end
end`,
  );
