import { own } from "../../contract/core/narrow";
import { oncePer } from "../../contract/core/once";
import { isSeenAsSent } from "../judgement/incomingRequest";
import { all, any, type Condition, type Input, knowing, testsIn } from "../judgement/rules/condition";
import type { Choices, ConditionPart, Fragment, HeaderPart } from "./fragments";
import type { Room } from "./room";

type Compound = Exclude<Condition, boolean>;
type Headers = Readonly<Record<string, string>>;

/**
 * The conditions that ask for headers only. A comparison has to know whether such a condition holds, and not
 * which of its headers made it so: it chooses that, and looks for headers that fit all that was chosen.
 */
export interface HeaderConditions {
  /** The conditions of decisions in the form in which they are evaluated here, by their objects. */
  readonly forms: ReadonlyMap<Condition, Condition>;
  /** By the objects in these forms. */
  readonly parts: ReadonlyMap<object, ConditionPart>;
  /** Whether it holds, as in an ordinary request first. */
  fragments(part: ConditionPart): readonly Fragment[];
  /**
   * Headers for which this condition, and all that share headers with it, hold as chosen; undefined if there
   * are none, or the room is used up.
   */
  headersFor(part: ConditionPart, choices: Choices, room: Room): Headers | undefined;
}

/** A condition on headers, wherever it occurs. */
interface Node {
  readonly part: ConditionPart;
  readonly condition: Compound;
}

/**
 * @param isOnlyInConditions whether nothing but conditions asks for a header
 * @param fragments the pieces of a header
 */
export function headerConditionsIn(
  conditions: readonly Condition[],
  isOnlyInConditions: (header: string) => boolean,
  fragments: (part: HeaderPart) => readonly Fragment[],
): HeaderConditions {
  const isOfHeaders = oncePer((condition: Compound) =>
    testsIn(condition).every(
      ({ input }) =>
        typeof input === "object" && isSeenAsSent(input.header) && isOnlyInConditions(input.header),
    ),
  );
  const forms = new Map(conditions.map((condition) => [condition, joined(condition, isOfHeaders)]));
  const found = [...forms.values()].flatMap((form) => outermost(form, isOfHeaders));
  const distinct = [...new Map(found.map((condition) => [textOf(condition), condition])).values()];
  const parts = new Map<string, ConditionPart>();
  const nodesNear = new Map<ConditionPart, readonly Node[]>();
  // The pieces of one header by itself say more than the conditions on it.
  for (const near of independent(distinct).filter((group) => new Set(group.flatMap(namesIn)).size > 1)) {
    const nodes = near.map((condition): Node => {
      const part: ConditionPart = `condition ${parts.size}`;
      parts.set(textOf(condition), part);
      return { part, condition };
    });
    for (const { part } of nodes) nodesNear.set(part, nodes);
  }
  const valuesOf = (header: string) =>
    fragments(`header ${header}`).map(({ headers = {} }) => ({ headers, value: own(headers, header) ?? "" }));
  const search = new Search(valuesOf, orderIn(distinct));
  const nodeOf = (part: ConditionPart) => nodesNear.get(part)?.find((node) => node.part === part);
  const isOrdinarily = oncePer(({ condition }: Node) => {
    const known = namesIn(condition).reduce<Condition>(
      (rest, header) => knowing(rest, { header }, valuesOf(header)[0]?.value ?? ""),
      condition,
    );
    return known === true;
  });
  const fragmentsOf = oncePer((node: Node): readonly Fragment[] => {
    const holds = isOrdinarily(node);
    return [{ holds }, { holds: !holds }];
  });
  return {
    forms,
    parts: new Map(
      found.flatMap((condition) => {
        const part = parts.get(textOf(condition));
        return part ? [[condition, part] as const] : [];
      }),
    ),
    fragments: (part) => {
      const node = nodeOf(part);
      return node ? fragmentsOf(node) : [];
    },
    headersFor: (part, choices, room) => {
      const wanted = (nodesNear.get(part) ?? []).flatMap((node) => {
        const number = choices.get(node.part);
        return number === undefined ? [] : where(node.condition, isOrdinarily(node) === (number === 0));
      });
      return search.headersWhere(all(wanted), room);
    },
  };
}

/** Looks for headers for which conditions hold. */
class Search {
  readonly #known = new Map<number, Headers | null>();
  readonly #numbers = new Numbers();

  constructor(
    private readonly valuesOf: (
      header: string,
    ) => readonly { readonly headers: Headers; readonly value: string }[],
    private readonly order: ReadonlyMap<string, number>,
  ) {}

  headersWhere(condition: Condition, room: Room): Headers | undefined {
    if (typeof condition === "boolean") return condition ? {} : undefined;
    const number = this.#numbers.of(condition);
    const known = this.#known.get(number);
    if (known !== undefined) return known ?? undefined;
    room.evaluations -= testsIn(condition).length;
    if (room.evaluations < 0) return undefined;
    const found = this.#search(condition, room);
    if (room.evaluations >= 0) this.#known.set(number, found ?? null);
    return found;
  }

  #search(condition: Compound, room: Room): Headers | undefined {
    if ("any" in condition) return first(condition.any, (member) => this.headersWhere(member, room));
    const groups = "all" in condition ? independent(condition.all) : [[condition]];
    if (groups.length > 1) return this.#ofAll(groups, room);
    const header = this.#next(condition, groups[0] ?? []);
    return first(this.valuesOf(header), ({ headers, value }) => {
      const rest = this.headersWhere(knowing(condition, { header }, value), room);
      return rest && merged([headers, rest]);
    });
  }

  /** A header with no choice left, or the next in an order in which those of one clause are close. */
  #next(condition: Compound, members: readonly Compound[]): string {
    const names = members.map(namesIn).find(({ length }) => length === 1) ?? namesIn(condition);
    const rankOf = (name: string) => this.order.get(name) ?? 0;
    return names.reduce((a, b) => (rankOf(b) < rankOf(a) ? b : a));
  }

  /** Conditions that share no header are searched apart. */
  #ofAll(groups: readonly (readonly Compound[])[], room: Room): Headers | undefined {
    const found: Headers[] = [];
    for (const group of groups) {
      const headers = this.headersWhere(all(group), room);
      if (!headers) return undefined;
      found.push(headers);
    }
    return merged(found);
  }
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const merged = (headers: readonly Headers[]): Headers => Object.assign(Object.create(null), ...headers);

/** The condition that this one holds, or does not, with `not` at its tests only. */
function where(condition: Condition, holds: boolean): Condition {
  if (typeof condition === "boolean") return condition === holds;
  if ("not" in condition) return where(condition.not, !holds);
  if ("input" in condition) return holds ? condition : { not: condition };
  const members = membersOf(condition).map((member) => where(member, holds));
  return "all" in condition === holds ? all(members) : any(members);
}

/** The same, where neighbours that ask for headers only are one condition. */
function joined(condition: Condition, isOfHeaders: (condition: Compound) => boolean): Condition {
  if (typeof condition === "boolean" || "input" in condition || isOfHeaders(condition)) return condition;
  if ("not" in condition) return { not: joined(condition.not, isOfHeaders) };
  const compound = (members: readonly Condition[]): Compound =>
    "all" in condition ? { all: members } : { any: members };
  const members = membersOf(condition).map((member) => joined(member, isOfHeaders));
  const near = members.filter((member) => typeof member === "object" && isOfHeaders(member));
  const [start] = near;
  if (start === undefined || near.length === 1) return compound(members);
  return compound(
    members.flatMap((member) => (member === start ? compound(near) : near.includes(member) ? [] : member)),
  );
}

/** The largest conditions in one that ask for headers only. */
function outermost(condition: Condition, isOfHeaders: (condition: Compound) => boolean): Compound[] {
  if (typeof condition === "boolean") return [];
  if (isOfHeaders(condition)) return [condition];
  return membersOf(condition).flatMap((member) => outermost(member, isOfHeaders));
}

const membersOf = (condition: Compound): readonly Condition[] => {
  if ("not" in condition) return [condition.not];
  if ("input" in condition) return [];
  return "all" in condition ? condition.all : condition.any;
};

/** Conditions in groups: those that share a header, near or far, are in one. */
function independent(conditions: readonly Condition[]): Compound[][] {
  const above = new Map<string, string>();
  const topOf = (name: string): string => {
    let top = name;
    for (let next = above.get(top); next !== undefined; next = above.get(top)) top = next;
    return top;
  };
  const compounds = conditions.filter((condition) => typeof condition === "object");
  for (const condition of compounds) {
    const [start = "", ...rest] = namesIn(condition);
    for (const name of rest) if (topOf(name) !== topOf(start)) above.set(topOf(name), topOf(start));
  }
  const groups = new Map<string, Compound[]>();
  for (const condition of compounds) {
    const top = topOf(namesIn(condition)[0] ?? "");
    const group = groups.get(top);
    if (group) group.push(condition);
    else groups.set(top, [condition]);
  }
  return [...groups.values()];
}

/** The ranks of headers in an order in which those that clauses connect, near or far, are close. */
function orderIn(conditions: readonly Compound[]): ReadonlyMap<string, number> {
  const near = new Map<string, Set<string>>();
  const visit = (condition: Condition): void => {
    if (typeof condition === "boolean") return;
    const members = membersOf(condition);
    for (const member of members) visit(member);
    if (members.some((member) => typeof member === "object" && membersOf(member).length > 1)) return;
    const names = namesIn(condition);
    for (const name of names) {
      const known = near.get(name) ?? new Set();
      for (const neighbour of names) known.add(neighbour);
      near.set(name, known);
    }
  };
  for (const condition of conditions) visit(condition);
  const order = new Map<string, number>();
  for (const start of near.keys()) {
    if (order.has(start)) continue;
    const reached = new Set([start]);
    for (const name of reached) {
      order.set(name, order.size);
      for (const neighbour of near.get(name) ?? []) reached.add(neighbour);
    }
  }
  return order;
}

/** The headers in a condition, in their order. */
const namesIn = oncePer((condition: Compound): readonly string[] => [
  ...new Set(testsIn(condition).flatMap(({ input }) => (typeof input === "object" ? input.header : []))),
]);

/** Equal for equal conditions. */
const textOf: (condition: Compound) => string = oncePer((condition) => {
  const of = (member: Condition) => (typeof member === "boolean" ? String(member) : textOf(member));
  if ("input" in condition) return JSON.stringify([condition.input, condition.test]);
  return `${operatorOf(condition)}(${membersOf(condition).map(of).join(",")})`;
});

const operatorOf = (condition: Exclude<Compound, { readonly input: Input }>): string =>
  "not" in condition ? "!" : "all" in condition ? "&" : "|";

/** Gives equal conditions the same number, which takes less room than their texts. */
class Numbers {
  readonly #known = new Map<string, number>();

  readonly of: (condition: Compound) => number = oncePer((condition) => {
    const text =
      "input" in condition
        ? textOf(condition)
        : operatorOf(condition) +
          membersOf(condition).map((member) => (typeof member === "boolean" ? member : this.of(member)));
    const number = this.#known.get(text) ?? this.#known.size;
    this.#known.set(text, number);
    return number;
  });
}
