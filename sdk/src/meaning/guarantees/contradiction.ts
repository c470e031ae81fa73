import { entriesOf } from "../../contract/core/narrow";
import type { GuaranteedAddress } from "../../contract/formats/guaranteedAddress";
import { addressesApart } from "../access/addresses";
import { type DecisionRequest, UNRECORDED } from "../judgement/types";
import { beyond, isNobody, type NetworkSet } from "../networks/networkSet";
import type { Fields } from "../values";
import { type Credential, coversHost, type Guarantee, readGuarantee } from "./guarantee";

/**
 * A request that one of two enforced guarantees wants refused and the other one answered. A credential that
 * an address must accept is `unknown` in it, because each address accepts other ones.
 */
export function contradiction(first: Fields, second: Fields): DecisionRequest | undefined {
  const [a, b] = [readGuarantee(first), readGuarantee(second)];
  if (!a || !b || !a.isEnforced || !b.isEnforced || a.expect === b.expect) return undefined;
  const from = fromBoth(a.from, b.from);
  const method = methodOfBoth(a.methods, b.methods);
  const shared = placeOfBoth(a.addresses, b.addresses);
  const credentials = credentialsOfBoth(a, b);
  if (from === undefined || method === undefined || !shared || !credentials) return undefined;
  return { ...shared, method, from, ...credentials };
}

function fromBoth(a: NetworkSet, b: NetworkSet): string | undefined {
  const both = beyond(a, beyond(a, b));
  return addressesApart([both]).find(({ networks }) => isNobody(beyond(networks, both)))?.from;
}

function methodOfBoth(a: readonly string[], b: readonly string[]): string | undefined {
  if (a.length === 0) return b[0] ?? "GET";
  return b.length === 0 ? a[0] : a.find((method) => b.includes(method));
}

function placeOfBoth(
  first: readonly GuaranteedAddress[],
  second: readonly GuaranteedAddress[],
): Pick<DecisionRequest, "address" | "path"> | undefined {
  for (const a of first)
    for (const b of second) {
      const host = coversHost(a.host, b.host) ? b.host : coversHost(b.host, a.host) ? a.host : undefined;
      const isOnePort = a.port === undefined || b.port === undefined || a.port === b.port;
      const path = a.prefix.startsWith(b.prefix)
        ? a.prefix
        : b.prefix.startsWith(a.prefix)
          ? b.prefix
          : undefined;
      if (host === undefined || !isOnePort || path === undefined) continue;
      return { address: `${nameIn(host)}:${a.port ?? b.port ?? 443}`, path };
    }
  return undefined;
}

/** A name that a pattern covers. */
const nameIn = (pattern: string): string =>
  pattern === "*" ? "www.example.com" : pattern.startsWith("*.") ? `www${pattern.slice(1)}` : pattern;

/** Undefined if one asks for a credential and the other one for none. */
function credentialsOfBoth(a: Guarantee, b: Guarantee): Partial<DecisionRequest> | undefined {
  const found: [Credential, typeof UNRECORDED][] = [];
  for (const [name, carried] of entriesOf(a.carried)) {
    const both = new Set([carried, b.carried[name]]);
    if (both.has("none") && both.has("required")) return undefined;
    if (both.has("required")) found.push([name, UNRECORDED]);
  }
  return Object.fromEntries(found);
}
