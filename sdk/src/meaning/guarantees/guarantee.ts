import { type GuaranteedAddress, readGuaranteedAddress } from "../../contract/formats/guaranteedAddress";
import { beyond, EVERYONE, isNobody, type NetworkSet, networkSet } from "../networks/networkSet";
import { type Fields, holdsUnknown, textIn, textsIn } from "../values";

/** Whether requests come with a credential: with or without, without, or with one that is accepted. */
export type Carried = "any" | "none" | "required";

export type Credential = "client_certificate" | "token" | "session";
const CREDENTIALS: readonly Credential[] = ["client_certificate", "token", "session"];

/** A guarantee, read from its fields; decision.md "Guarantees". */
export interface Guarantee {
  readonly expect: "refused" | "answered";
  readonly isEnforced: boolean;
  readonly addresses: readonly GuaranteedAddress[];
  /** Empty for all methods. */
  readonly methods: readonly string[];
  /** The networks whose requests it covers. */
  readonly from: NetworkSet;
  readonly carried: Readonly<Record<Credential, Carried>>;
}

/** Undefined if a field is not known yet, or not valid by the contract. */
export function readGuarantee(fields: Fields): Guarantee | undefined {
  const { expect, mode = "enforce", addresses, methods, networks, except_networks } = fields;
  const asked = CREDENTIALS.map((name) => fields[name] ?? "any");
  if (holdsUnknown([expect, mode, addresses, methods, networks, except_networks, asked])) return undefined;
  if (expect !== "refused" && expect !== "answered") return undefined;
  const read = textsIn(addresses).map(readGuaranteedAddress);
  const found = read.filter((entry) => typeof entry !== "string");
  if (found.length === 0 || found.length < read.length) return undefined;
  const [only, but] = [textsIn(networks), textsIn(except_networks)];
  const [client_certificate, token, session] = asked.map((value) => carriedIn(textIn(value)));
  return {
    expect,
    isEnforced: mode === "enforce",
    addresses: found,
    methods: textsIn(methods),
    from: beyond(only.length > 0 ? networkSet(only) : EVERYONE, networkSet(but)),
    carried: {
      client_certificate: client_certificate ?? "any",
      token: token ?? "any",
      session: session ?? "any",
    },
  };
}

const carriedIn = (text: string | undefined): Carried =>
  text === "none" || text === "required" ? text : "any";

/** An error text for a guarantee that covers no request at all. */
export function mistakeInGuarantee(fields: Fields): string | undefined {
  const read = readGuarantee(fields);
  return read && isNobody(read.from)
    ? "`except_networks` leaves nothing of `networks`, so the guarantee covers no request"
    : undefined;
}

/** Whether every name of a hostport is one that a pattern covers: a name, `*.name` at any depth, or `*`. */
export function coversHost(pattern: string, host: string): boolean {
  if (pattern === "*" || pattern === host) return true;
  if (!pattern.startsWith("*.")) return false;
  const below = pattern.slice(1);
  // All names below `*.a.example.com` are below `*.example.com`, and so are those below `*.example.com`.
  return (host.startsWith("*.") ? host.slice(1) : host).endsWith(below);
}

/** The beginnings of paths that a guarantee covers at a hostport. */
export const prefixesAt = ({ addresses }: Guarantee, host: string, port: number): string[] =>
  addresses
    .filter(
      (address) => (address.port === undefined || address.port === port) && coversHost(address.host, host),
    )
    .map(({ prefix }) => prefix);
