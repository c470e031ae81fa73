import { type Area, areasOf, type Claims, hostAndPort, type Serving, wildcardOf } from "../access/areas";
import { type Choices, exampleOf, type Pieces } from "../access/combinations";
import type { Fragment, Part } from "../access/fragments";
import {
  type Decision,
  type DecisionRequest,
  isLetIn,
  type Predicate,
  questionAbout,
} from "../decision/types";
import { beyond, isEveryone, isNobody } from "../networks/networkSet";
import { inOrder } from "../values";
import { type Credential, type Guarantee, prefixesAt } from "./guarantee";

/** An area that a guarantee covers, and in which worlds: a pattern covers what is declared there. */
export interface CoveredArea {
  readonly area: Area;
  readonly isCovered: { readonly before: boolean; readonly after: boolean };
}

/** The areas that a guarantee covers in either world. */
export function* coveredAreas(guarantee: Guarantee, before: Claims, after: Claims): Generator<CoveredArea> {
  for (const hostport of hostportsOf(guarantee, before, after)) {
    const [host, port] = hostAndPort(hostport);
    const prefixes = prefixesAt(guarantee, host, Number(port));
    if (prefixes.length === 0) continue;
    const isNamed =
      !host.startsWith("*") &&
      guarantee.addresses.some((one) => one.host === host && one.port === Number(port));
    for (const area of areasOf(hostport, before, after, prefixes)) {
      if (!prefixes.some((prefix) => area.place.path.startsWith(prefix))) continue;
      const isCoveredIn = ({ edges }: Serving) => isNamed || edges.length > 0;
      yield { area, isCovered: { before: isCoveredIn(area.before), after: isCoveredIn(area.after) } };
    }
  }
}

/** The declared hostports, and those that the guarantee names itself: a wildcard may serve these, or nothing. */
function hostportsOf({ addresses }: Guarantee, before: Claims, after: Claims): string[] {
  const all = new Set([...before.hostports, ...after.hostports]);
  for (const { host, port } of addresses) {
    if (host.includes("*")) continue;
    if (port !== undefined) all.add(`${host}:${port}`);
    else
      for (const hostport of [...all]) {
        const [, other] = hostAndPort(hostport);
        if (hostport === wildcardOf(`${host}:${other}`)) all.add(`${host}:${other}`);
      }
  }
  return [...all].sort(inOrder);
}

/** Questions of a guarantee, by which its requests are cut up besides. */
export const predicatesOf = ({ from, methods }: Guarantee): Predicate[] => [
  ...(isEveryone(from) ? [] : [{ dimension: "from", op: "in", networks: from } as const]),
  ...methods.map((method) => questionAbout("method", "==", method)),
];

/** The pieces whose requests a guarantee covers. */
export function coveredPieces(guarantee: Guarantee, { headers, fragments }: Pieces): Pieces {
  const known = new Map<Part, readonly Fragment[]>();
  return {
    headers,
    fragments: (part) => {
      const found = known.get(part) ?? fragments(part).filter((one) => isCovered(guarantee, part, one));
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

/** Where requests end that come without an accepted credential. */
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
  const credentials = (Object.keys(MODULES) as Credential[])
    .filter((part) => carried[part] === "required" && !chosen.has(part))
    .map((part) => ({ [part]: pieces.fragments(part).find((one) => isAccepted(one[part]))?.[part] ?? null }));
  return Object.assign({}, ...credentials, exampleOf(pieces, chosen), { method }, from && { from });
}

const isAccepted = (value: Fragment[Credential]): boolean =>
  typeof value === "object" && value !== null && !("authority" in value && value.authority === "other");
