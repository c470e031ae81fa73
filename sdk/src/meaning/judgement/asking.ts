import { remembering } from "../../contract/core/once";
import { masked, networkSet } from "../networks/networkSet";
import { isIn } from "../networks/source";
import { type IncomingRequest, LEFT_OUT } from "./incomingRequest";
import {
  type Condition,
  evaluate,
  holds,
  type Input,
  type Test,
  type TextTest,
  testsIn,
} from "./rules/condition";
import type { Predicate, TextDimension, TextQuestion } from "./types";

/** Whether a condition holds for a request; undefined if that depends on a part that was not recorded. */
export const isTrueOf = (condition: Condition, request: IncomingRequest): boolean | undefined =>
  evaluate(
    request.formOf(condition),
    (input, test) => answer(request, input, test),
    (inner) => request.truthOf(inner),
  );

function answer(request: IncomingRequest, input: Input, test: Test): boolean | undefined {
  if ("cidr" in test) return isIn(request.from, networkOf(test.cidr));
  if (input === "path") return holdsForPath(test, request);
  const value = textIn(request, input);
  return value === undefined ? undefined : holds(test, value);
}

function textIn(request: IncomingRequest, input: Input): string | undefined {
  if (typeof input === "object") return request.header(input.header);
  if (input === "method") return request.method;
  if (input === "sni") return request.sni;
  return input === "host" ? request.host : request.fromText;
}

function holdsForPath(test: Test, { path, isPathPartial }: IncomingRequest): boolean | undefined {
  if (path === null) return undefined;
  return isPathPartial ? holdsForPart(test, path) : holds(test, path);
}

/** A test of a path with parts that were not recorded. */
export function holdsForPart(test: Test, path: string): boolean | undefined {
  const parts = path.split(LEFT_OUT);
  const [start = "", end = ""] = [parts[0], parts.at(-1)];
  if ("prefix" in test)
    return start.startsWith(test.prefix) || (test.prefix.startsWith(start) ? undefined : false);
  if ("suffix" in test) return end.endsWith(test.suffix) || (test.suffix.endsWith(end) ? undefined : false);
  if ("exact" in test) return test.exact.startsWith(start) && test.exact.endsWith(end) ? undefined : false;
  return "contains" in test && parts.some((part) => part.includes(test.contains)) ? true : undefined;
}

const MAX_NETWORKS = 10_000;

const networkOf = remembering(MAX_NETWORKS, (cidr: string) => networkSet([masked(cidr)]));

/**
 * The questions of a condition, as predicates. If a condition only asks whether any of several tests of one
 * input holds, or none, that is one question.
 */
export function predicatesIn(condition: Condition): Predicate[] {
  if (typeof condition === "boolean" || isUncut(condition)) return [];
  if ("input" in condition) return oneOf([condition]);
  if ("not" in condition) return predicatesIn(condition.not);
  if ("any" in condition) {
    const [leaves, rest] = parted(condition.any, leafOf);
    return [...oneOf(leaves), ...rest.flatMap(predicatesIn)];
  }
  const [denied, rest] = parted(condition.all, (member) =>
    typeof member === "object" && "not" in member ? leafOf(member.not) : undefined,
  );
  return [...oneOf(denied), ...rest.flatMap(predicatesIn)];
}

/** Whether it asks for the text of an address, by which addresses cannot be cut into networks. */
const isUncut = (condition: Condition): boolean =>
  typeof condition === "object" &&
  "input" in condition &&
  condition.input === "client_ip" &&
  !("cidr" in condition.test);

/** Why comparisons cannot cut requests up by a condition; undefined where they can. */
export const uncutIn = (condition: Condition): string | undefined =>
  testsIn(condition).some(isUncut)
    ? "A policy looks at the text of addresses, which cannot be cut into networks: use inCidrRange."
    : undefined;

type Leaf = Extract<Condition, { input: Input }>;

const leafOf = (condition: Condition): Leaf | undefined =>
  typeof condition === "object" && "input" in condition ? condition : undefined;

function parted(conditions: readonly Condition[], leaf: (condition: Condition) => Leaf | undefined) {
  const leaves = conditions.flatMap((condition) => leaf(condition) ?? []);
  return [leaves, conditions.filter((condition) => leaf(condition) === undefined)] as const;
}

/** Whether one of some tests holds, for each input. */
function oneOf(leaves: readonly Leaf[]): Predicate[] {
  const networks = leaves.flatMap(({ test }) => ("cidr" in test ? masked(test.cidr) : []));
  const texts = new Map<TextDimension, TextQuestion[]>();
  for (const { input, test } of leaves) {
    if ("cidr" in test || input === "client_ip") continue;
    const dimension = dimensionOf(input);
    texts.set(dimension, [...(texts.get(dimension) ?? []), questionOf(test)]);
  }
  return [
    ...(networks.length > 0
      ? [{ dimension: "from", op: "in", networks: networkSet(networks) } as const]
      : []),
    ...[...texts].map(([dimension, of]) => ({ dimension, op: "any", of }) as const),
  ];
}

function questionOf(test: TextTest): TextQuestion {
  if ("regex" in test) return { op: "matches", text: test.regex };
  if ("prefix" in test) return { op: "startsWith", text: test.prefix };
  if ("suffix" in test) return { op: "endsWith", text: test.suffix };
  return "contains" in test ? { op: "contains", text: test.contains } : { op: "==", text: test.exact };
}

const dimensionOf = (input: Exclude<Input, "client_ip">): TextDimension =>
  typeof input === "object" ? `header ${input.header}` : input;

const WORDS = {
  method: "the method",
  host: "the host",
  path: "the path",
  client_ip: "the address",
  sni: "the name",
} as const;

/** The first part that a condition asks for and that was not recorded, in words. */
export function unrecordedIn(condition: Condition, request: IncomingRequest): string {
  const found = testsIn(condition).find(({ input, test }) => answer(request, input, test) === undefined);
  if (!found) return "something";
  if (typeof found.input === "object") return `the header \`${found.input.header}\``;
  return WORDS[found.input];
}
