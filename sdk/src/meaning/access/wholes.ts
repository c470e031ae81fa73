import { own } from "../../contract/core/narrow";
import { Arriving, isSeenAsSent } from "../decision/arriving";
import { isTrueOf } from "../decision/asking";
import { type Condition, testsIn } from "../decision/rules/condition";
import { canonical } from "../values";
import { ANYWHERE } from "./addresses";
import type { Fragment, HeaderPart, WholePart } from "./fragments";

type Compound = Exclude<Condition, boolean>;

/**
 * The conditions that stand for all headers in them: no other condition asks for these headers. A comparison
 * then has to know whether such a condition holds, and not which of its headers made it so.
 */
export interface Wholes {
  /** The conditions of decisions in the form in which they are evaluated here, by their objects. */
  readonly forms: ReadonlyMap<Condition, Condition>;
  /** By the objects in these forms. */
  readonly parts: ReadonlyMap<object, WholePart>;
  fragments(part: WholePart): readonly Fragment[];
}

/** The limit of requests that are tried to find out whether a condition can hold. */
const MAX_TRIED = 2_000;

/** @param fragments the pieces of a header */
export function wholesIn(
  conditions: readonly Condition[],
  fragments: (part: HeaderPart) => readonly Fragment[],
): Wholes {
  const forms = new Map(conditions.map((one) => [one, grouped(one)]));
  const distinct = [...new Map([...forms.values()].map((one) => [canonical(one), one])).values()];
  const asked = new Map<string, number>();
  const count = new Map<string, number>();
  for (const condition of distinct) {
    for (const header of headersIn(condition)) add(asked, header);
    for (const node of nodesIn(condition)) add(count, canonical(node));
  }
  const known = new Map<string, WholePart | null>();
  const pieces = new Map<WholePart, readonly Fragment[]>();
  /** The part that stands for a condition; null if it has none. */
  const partOf = (node: Compound): WholePart | null => {
    const text = canonical(node);
    const found = known.get(text);
    if (found !== undefined) return found;
    const isWhole =
      testsIn(node).every(({ input }) => typeof input === "object" && isSeenAsSent(input.header)) &&
      [...counted(headersIn(node))].every(
        ([header, times]) => times * (count.get(text) ?? 0) === asked.get(header),
      );
    const cut = isWhole ? cutUp(node, fragments) : undefined;
    const part: WholePart | null = cut ? `whole ${pieces.size}` : null;
    if (part && cut) pieces.set(part, cut);
    known.set(text, part);
    return part;
  };
  const parts = new Map<object, WholePart>();
  const visit = (condition: Condition): void => {
    if (typeof condition === "boolean" || new Set(headersIn(condition)).size < 2) return;
    const part = partOf(condition);
    if (part) parts.set(condition, part);
    else for (const child of childrenOf(condition)) visit(child);
  };
  for (const condition of forms.values()) visit(condition);
  return { forms, parts, fragments: (part) => pieces.get(part) ?? [] };
}

const add = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

function counted(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) add(counts, key);
  return counts;
}

const headersIn = (condition: Condition): string[] =>
  testsIn(condition).flatMap(({ input }) => (typeof input === "object" ? input.header : []));

const childrenOf = (condition: Compound): readonly Condition[] => {
  if ("not" in condition) return [condition.not];
  if ("input" in condition) return [];
  return "all" in condition ? condition.all : condition.any;
};

function* nodesIn(condition: Condition): Generator<Compound> {
  if (typeof condition === "boolean") return;
  yield condition;
  for (const child of childrenOf(condition)) yield* nodesIn(child);
}

/** The same, where what shares headers is a condition of its own: that may occur elsewhere, too. */
function grouped(condition: Condition): Condition {
  if (typeof condition === "boolean" || "input" in condition) return condition;
  if ("not" in condition) return { not: grouped(condition.not) };
  const isAll = "all" in condition;
  const groups = groupsOf(childrenOf(condition).map(grouped));
  const whole = (members: readonly Condition[]): Condition => (isAll ? { all: members } : { any: members });
  const [only] = groups;
  if (groups.length === 1 && only) return whole(only);
  return whole(groups.map((members) => (members.length === 1 ? (members[0] ?? isAll) : whole(members))));
}

/** Headers with which a condition holds, and with which it does not; none if there are no such headers. */
interface Sides {
  readonly yes?: Headers;
  readonly no?: Headers;
}

type Headers = Readonly<Record<string, string>>;

type FragmentsOf = (part: HeaderPart) => readonly Fragment[];

/** The pieces of a condition, the ordinary one first; undefined where they are too many to find. */
function cutUp(node: Compound, fragments: FragmentsOf): Fragment[] | undefined {
  const sides = sidesOf(node, fragments);
  if (!sides) return undefined;
  const { yes, no } = sides;
  const ordinary = merged(headersIn(node).map((header) => fragments(`header ${header}`)[0]?.headers ?? {}));
  const isOrdinary = holdsFor(node, ordinary);
  return [true, false]
    .flatMap((holds): Fragment[] => {
      const headers = holds === isOrdinary ? ordinary : holds ? yes : no;
      return headers ? [{ headers, holds }] : [];
    })
    .sort((a, b) => Number(b.holds === isOrdinary) - Number(a.holds === isOrdinary));
}

const merged = (all: readonly Headers[]): Headers => Object.assign(Object.create(null), ...all);

const holdsFor = (condition: Condition, headers: Headers): boolean => {
  const request = Arriving.of({ address: "", from: ANYWHERE, headers }, "");
  return request !== undefined && isTrueOf(condition, request) === true;
};

function sidesOf(condition: Condition, fragments: FragmentsOf): Sides | undefined {
  if (typeof condition === "boolean") return condition ? { yes: {} } : { no: {} };
  if ("not" in condition) {
    const inner = sidesOf(condition.not, fragments);
    return inner && swapped(inner);
  }
  if ("input" in condition) return tried(condition, fragments);
  const isAll = "all" in condition;
  const all: Sides[] = [];
  for (const group of groupsOf(childrenOf(condition))) {
    const [only] = group;
    const found =
      group.length === 1 && only !== undefined
        ? sidesOf(only, fragments)
        : tried(isAll ? { all: group } : { any: group }, fragments);
    if (!found) return undefined;
    all.push(isAll ? found : swapped(found));
  }
  // Of `any`, the sides are swapped: it fails where all fail.
  const holding = all.flatMap(({ yes }) => (yes ? [yes] : []));
  const both: Sides = {
    ...(holding.length === all.length && { yes: merged(holding) }),
    ...all.flatMap(({ no }) => (no ? [{ no }] : []))[0],
  };
  return isAll ? both : swapped(both);
}

const swapped = ({ yes, no }: Sides): Sides => ({ ...(no && { yes: no }), ...(yes && { no: yes }) });

/** Conditions that share a header, near or far, belong to one group. */
function groupsOf(conditions: readonly Condition[]): Condition[][] {
  let groups: { readonly headers: ReadonlySet<string>; readonly members: readonly Condition[] }[] = [];
  for (const condition of conditions) {
    const headers = new Set(headersIn(condition));
    const isNear = (group: (typeof groups)[number]) => [...headers].some((name) => group.headers.has(name));
    const near = groups.filter(isNear);
    groups = [
      ...groups.filter((group) => !isNear(group)),
      {
        headers: new Set([...headers, ...near.flatMap((group) => [...group.headers])]),
        members: [...near.flatMap(({ members }) => members), condition],
      },
    ];
  }
  return groups.map(({ members }) => [...members]);
}

/** Tries the pieces of headers that decide, until both sides are found or no further ones are left. */
function tried(condition: Condition, fragments: FragmentsOf): Sides | undefined {
  const sides: { yes?: Headers; no?: Headers } = {};
  const open: ReadonlyMap<HeaderPart, number>[] = [new Map()];
  for (let count = 0; open.length > 0; count++) {
    if (sides.yes && sides.no) break;
    if (count === MAX_TRIED) return undefined;
    const settled: ReadonlyMap<HeaderPart, number> = open.pop() ?? new Map();
    const chosen = new Map<HeaderPart, number>();
    const headers: Record<string, string> = Object.create(null);
    for (const name of new Set(headersIn(condition))) {
      const part: HeaderPart = `header ${name}`;
      const get = () => {
        const number = settled.get(part) ?? 0;
        chosen.set(part, number);
        return own(fragments(part)[number]?.headers ?? {}, name) ?? "";
      };
      Object.defineProperty(headers, name, { enumerable: true, get });
    }
    const holds = holdsFor(condition, headers);
    sides[holds ? "yes" : "no"] ??= merged(
      [...chosen].map(([part, number]) => fragments(part)[number]?.headers ?? {}),
    );
    const looked = [...chosen.keys()].filter((part) => !settled.has(part));
    for (let part = looked.pop(); part !== undefined; part = looked.pop())
      for (let other = 1; other < fragments(part).length; other++)
        open.push(new Map([...settled, ...looked.map((one) => [one, 0] as const)]).set(part, other));
  }
  return sides;
}
