import { keysOf } from "../../contract/core/narrow";
import { type Area, areasOf, type Claims, hostAndPort, type Serving, wildcardOf } from "../access/areas";
import { exampleOf, type Pieces } from "../access/combinations";
import type { Choices, Fragment, Part } from "../access/fragments";
import {
  type Decision,
  type DecisionRequest,
  isLetIn,
  type Predicate,
  questionAbout,
} from "../judgement/types";
import { beyond, isEveryone, isNobody } from "../networks/networkSet";
import { inOrder } from "../values";
import { type Credential, type Guarantee, prefixesAt } from "./guarantee";

/**
 * An area that a guarantee covers, and the worlds in which it does: a pattern covers only declared addresses.
 */
export interface CoveredArea {
  readonly area: Area;
  readonly isCovered: { readonly before: boolean; readonly after: boolean };
}

/** The declared hostports of both worlds, in lower case and sorted, with their parts. */
export type Declared = ReadonlyMap<string, readonly [host: string, port: number]>;

export const declaredIn = (before: Claims, after: Claims): Declared =>
  new Map(
    [...new Set([...before.hostports, ...after.hostports])].sort(inOrder).map((hostport) => {
      const [host, port] = hostAndPort(hostport);
      return [hostport, [host, Number(port)]];
    }),
  );

/** The areas that a guarantee covers in either world. */
export function* coveredAreas(
  guarantee: Guarantee,
  declared: Declared,
  before: Claims,
  after: Claims,
): Generator<CoveredArea> {
  for (const [hostport, [host, port]] of hostportsOf(guarantee, declared)) {
    const prefixes = prefixesAt(guarantee, host, port);
    const isNamed =
      !host.startsWith("*") &&
      guarantee.addresses.some((address) => address.host === host && address.port === port);
    for (const area of areasOf(hostport, before, after, prefixes)) {
      if (!prefixes.some((prefix) => area.match.path.startsWith(prefix))) continue;
      const isCoveredIn = ({ edges }: Serving) => isNamed || edges.length > 0;
      yield { area, isCovered: { before: isCoveredIn(area.before), after: isCoveredIn(area.after) } };
    }
  }
}

/**
 * The hostports of a guarantee: those declared that it covers, and those that it names itself, which a
 * wildcard may serve, or nothing.
 */
function hostportsOf(guarantee: Guarantee, declared: Declared): Declared {
  const found = new Map<string, readonly [string, number]>();
  const add = (host: string, port: number) => found.set(`${host}:${port}`, [host, port]);
  const isNamed = ({ host }: Guarantee["addresses"][number]) => !host.includes("*");
  for (const { host, port } of guarantee.addresses.filter(isNamed)) {
    if (port !== undefined) add(host, port);
    else
      for (const [name, at] of declared.values())
        if (name === host || name === wildcardOf(host)) add(host, at);
  }
  if (!guarantee.addresses.every(isNamed))
    for (const [host, port] of declared.values())
      if (prefixesAt(guarantee, host, port).length > 0) add(host, port);
  return found;
}

/** The questions of a guarantee, which divide its requests further. */
export const predicatesOf = ({ from, methods }: Guarantee): Predicate[] => [
  ...(isEveryone(from) ? [] : [{ dimension: "from", op: "in", networks: from } as const]),
  ...methods.map((method) => questionAbout("method", "==", method)),
];

/** The pieces whose requests a guarantee covers. */
export function coveredPieces(guarantee: Guarantee, { fragments, ...pieces }: Pieces): Pieces {
  const known = new Map<Part, readonly Fragment[]>();
  return {
    ...pieces,
    fragments: (part) => {
      const found =
        known.get(part) ?? fragments(part).filter((fragment) => isCovered(guarantee, part, fragment));
      known.set(part, found);
      return found;
    },
  };
}

function isCovered({ from, methods, carried }: Guarantee, part: Part, fragment: Fragment): boolean {
  if (part === "from") return !fragment.networks || isNobody(beyond(fragment.networks, from));
  if (part === "method") return methods.length === 0 || methods.includes(fragment.method ?? "");
  return !isCredential(part) || carried[part] !== "none" || !fragment[part];
}

/** The modules that end requests without an accepted credential. */
const MODULES = { client_certificate: "mutual_tls", token: "jwt_validation", session: "oidc" } as const;
const isCredential = (part: Part): part is Credential => Object.hasOwn(MODULES, part);

/** Whether a request with these pieces lacks what it would have to carry to be covered. */
export const lacksCredential = ({ carried }: Guarantee, decision: Decision, chosen: Choices): boolean =>
  !isLetIn(decision) &&
  [...chosen.keys()].some(
    (part) => isCredential(part) && carried[part] === "required" && decision.by?.field === MODULES[part],
  );

/** A request of a combination that the guarantee covers. */
export function coveredExample({ carried }: Guarantee, pieces: Pieces, chosen: Choices): DecisionRequest {
  const pieceOf = (part: Part): Fragment => pieces.fragments(part)[chosen.get(part) ?? 0] ?? {};
  const { from } = pieceOf("from");
  const { method = "GET" } = pieceOf("method");
  const credentials = keysOf(MODULES)
    .filter((part) => carried[part] === "required" && !chosen.has(part))
    .map((part) => ({
      [part]: pieces.fragments(part).find((fragment) => isAccepted(fragment[part]))?.[part] ?? null,
    }));
  return Object.assign({}, ...credentials, exampleOf(pieces, chosen), { method }, from && { from });
}

const isAccepted = (value: Fragment[Credential]): boolean =>
  typeof value === "object" && value !== null && !("authority" in value && value.authority === "other");
