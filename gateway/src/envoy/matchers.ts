import { present } from "@tunnelplane/sdk/contract";
import { escapeRegex } from "@tunnelplane/sdk/rules";
import { isWildcard } from "./hostports";
import { extension, type Json, typed } from "./json";
import { rangeAsWritten } from "./networks";

/*
 * How Envoy finds the chain of a connection. The names and networks are not in the chains: a name that
 * comes or
 * goes changes no chain, and so ends no connection.
 */

/** What Envoy does where something matches: it takes a chain, or looks further. */
export type OnMatch = { readonly action: Json } | { readonly matcher: Json };

export const toChain = (name: string): OnMatch => ({
  action: { name, typed_config: typed("google.protobuf.StringValue", { value: name }) },
});

const input = (name: string): Json =>
  extension(name, `envoy.extensions.matching.common_inputs.network.v3.${name}`);

/** The part of a listener's matcher for one name; a wildcard covers one label. */
export interface Named {
  readonly host: string;
  readonly to: OnMatch;
}

export function byName(names: readonly Named[]): Json {
  const exact = names.filter(({ host }) => !isWildcard(host));
  const wildcards = names.filter(({ host }) => isWildcard(host));
  const rest: Json =
    wildcards.length === 0
      ? {}
      : {
          on_no_match: {
            matcher: {
              matcher_list: {
                matchers: wildcards.map(({ host, to }) => ({ predicate: below(host), on_match: to })),
              },
            },
          },
        };
  if (exact.length === 0) return (rest.on_no_match as { matcher?: Json } | undefined)?.matcher ?? {};
  const map = Object.fromEntries(exact.map(({ host, to }) => [host, to]));
  return { matcher_tree: { input: input("ServerNameInput"), exact_match_map: { map } }, ...rest };
}

const below = (wildcard: string): Json => ({
  single_predicate: {
    input: input("ServerNameInput"),
    value_match: { safe_regex: { google_re2: {}, regex: `[^.]+${escapeRegex(wildcard.slice(1))}` } },
  },
});

/** Of the networks that an address is in, the smallest decides. */
export const byNetwork = (
  from: "SourceIPInput" | "DirectSourceIPInput",
  networks: readonly { readonly ranges: readonly string[]; readonly to: OnMatch }[],
  otherwise?: OnMatch,
): Json => ({
  matcher_tree: {
    input: input(from),
    custom_match: extension("networks", "xds.type.matcher.v3.IPMatcher", {
      range_matchers: networks
        .filter(({ ranges }) => ranges.length > 0)
        .map(({ ranges, to }) => ({ ranges: ranges.map(rangeAsWritten), on_match: to })),
    }),
  },
  on_no_match: otherwise,
});

/** Those who offer only this protocol in TLS. */
export const byProtocol = (protocol: string, to: OnMatch, otherwise?: OnMatch): OnMatch => ({
  matcher: {
    matcher_tree: {
      input: input("ApplicationProtocolInput"),
      exact_match_map: { map: { [`'${protocol}'`]: to } },
    },
    on_no_match: otherwise,
  },
});

/** The first way whose protocol a client offers in TLS; the last one for all others. */
export function byOffer(ways: readonly { readonly protocol: string; readonly to: OnMatch }[]): OnMatch {
  const last = present(ways.at(-1)).to;
  const matchers = ways.slice(0, -1).map(({ protocol, to }) => ({
    predicate: {
      single_predicate: {
        input: input("ApplicationProtocolInput"),
        value_match: { contains: `'${protocol}'` },
      },
    },
    on_match: to,
  }));
  return matchers.length === 0 ? last : { matcher: { matcher_list: { matchers }, on_no_match: last } };
}
