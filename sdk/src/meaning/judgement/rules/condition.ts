import { finds } from "./patterns";

/** A test of a text. `matches`: an RE2 expression, searched for. */
export interface TextQuestion {
  readonly op: "==" | "startsWith" | "endsWith" | "contains" | "matches";
  readonly text: string;
}

/** An input of an expression; headers by their names in lower case. */
export type Input = "method" | "host" | "path" | "client_ip" | "sni" | { readonly header: string };

/** A test of a text. */
export type TextTest =
  | { readonly exact: string }
  | { readonly prefix: string }
  | { readonly suffix: string }
  | { readonly contains: string }
  /** An RE2 expression, searched for. */
  | { readonly regex: string };

/** How expressions write tests of texts. */
export const TEXT_TESTS = {
  "==": (exact: string): TextTest => ({ exact }),
  startsWith: (prefix: string): TextTest => ({ prefix }),
  endsWith: (suffix: string): TextTest => ({ suffix }),
  contains: (contains: string): TextTest => ({ contains }),
  matches: (regex: string): TextTest => ({ regex }),
} as const satisfies Record<TextQuestion["op"], (text: string) => TextTest>;

export type Test = TextTest | { readonly cidr: string };

/** A condition, independent of CEL and Envoy. */
export type Condition =
  | boolean
  | { readonly not: Condition }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly input: Input; readonly test: Test };

export const not = (condition: Condition): Condition =>
  typeof condition === "boolean" ? !condition : { not: condition };

export function all(conditions: readonly Condition[]): Condition {
  if (conditions.includes(false)) return false;
  const open = conditions
    .filter((condition) => condition !== true)
    .flatMap((member) => (typeof member === "object" && "all" in member ? member.all : [member]));
  return open.length > 1 ? { all: open } : (open[0] ?? true);
}

export function any(conditions: readonly Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const open = conditions
    .filter((condition) => condition !== false)
    .flatMap((member) => (typeof member === "object" && "any" in member ? member.any : [member]));
  return open.length > 1 ? { any: open } : (open[0] ?? false);
}

/** Simplifies a condition when the value of one input is known. */
export function knowing(condition: Condition, input: Input, value: string): Condition {
  if (typeof condition === "boolean") return condition;
  if ("not" in condition) {
    const inner = knowing(condition.not, input, value);
    return inner === condition.not ? condition : not(inner);
  }
  if ("input" in condition) return isSame(condition.input, input) ? holds(condition.test, value) : condition;
  const isAll = "all" in condition;
  const before = isAll ? condition.all : condition.any;
  const after = before.map((member) => knowing(member, input, value));
  if (after.every((member, index) => member === before[index])) return condition;
  return isAll ? all(after) : any(after);
}

const isSame = (a: Input, b: Input): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && a.header === b.header);

/** Whether a condition depends on an input. */
export function asks(condition: Condition, input: Input): boolean {
  if (typeof condition === "boolean") return false;
  if ("not" in condition) return asks(condition.not, input);
  if ("all" in condition) return condition.all.some((member) => asks(member, input));
  if ("any" in condition) return condition.any.some((member) => asks(member, input));
  return isSame(condition.input, input);
}

/** Whether a test holds for a text. */
export function holds(test: Test, value: string): boolean {
  if ("exact" in test) return value === test.exact;
  if ("prefix" in test) return value.startsWith(test.prefix);
  if ("suffix" in test) return value.endsWith(test.suffix);
  if ("contains" in test) return value.includes(test.contains);
  if ("regex" in test) return finds(test.regex, value);
  return false;
}

/**
 * Whether a condition holds, if some answers may not be known.
 *
 * @param ask returns whether a test of an input holds; undefined if that is not known
 * @param truthOf returns whether a condition holds, where that is known without its tests
 */
export function evaluate(
  condition: Condition,
  ask: (input: Input, test: Test) => boolean | undefined,
  truthOf: (condition: object) => boolean | undefined = () => undefined,
): boolean | undefined {
  if (typeof condition === "boolean") return condition;
  const known = truthOf(condition);
  if (known !== undefined) return known;
  if ("not" in condition) {
    const inner = evaluate(condition.not, ask, truthOf);
    return inner === undefined ? undefined : !inner;
  }
  if ("input" in condition) return ask(condition.input, condition.test);
  const isAll = "all" in condition;
  let result: boolean | undefined = isAll;
  for (const member of isAll ? condition.all : condition.any) {
    const inner = evaluate(member, ask, truthOf);
    if (inner === !isAll) return inner;
    if (inner === undefined) result = undefined;
  }
  return result;
}

/** All inputs that a condition asks for, with their tests. */
export function testsIn(condition: Condition): { readonly input: Input; readonly test: Test }[] {
  if (typeof condition === "boolean") return [];
  if ("not" in condition) return testsIn(condition.not);
  if ("input" in condition) return [condition];
  return ("all" in condition ? condition.all : condition.any).flatMap(testsIn);
}
