import type * as Cel from "@marcbachmann/cel-js" with { "resolution-mode": "import" };
import { conditioned, word } from "../core/fields";

const MAX_EXPRESSION_LENGTH = 4096;
const MAX_DEPTH = 100;
/** No list in an expression has more entries than its text has characters. */
const LIMITS = {
  maxDepth: MAX_DEPTH,
  maxAstNodes: 2 * MAX_EXPRESSION_LENGTH,
  maxListElements: MAX_EXPRESSION_LENGTH,
  maxMapEntries: MAX_EXPRESSION_LENGTH,
  maxCallArguments: MAX_EXPRESSION_LENGTH,
};

const VALUES = [
  "req.method",
  "req.host",
  "req.path",
  "req.user_agent",
  "conn.client_ip",
  "conn.ClientIP",
  "conn.tls.sni",
];
const FUNCTIONS = ["startsWith", "endsWith", "contains", "matches", "inCidrRange"];
const OPERATORS = ["value", "list", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||", "!_", "-_"];

/** The part of CEL that gateways serve, for the documentation and for warnings. */
export const SERVED_EXPRESSIONS = `${VALUES.map((name) => `\`${name}\``).join(", ")}, \`req.headers["x"]\`, comparison, \`in\`, ${FUNCTIONS.map((name) => `\`${name}\``).join(", ")}, \`&&\`, \`||\`, \`!\`, parentheses, literals and lists`;

/** A condition in the Common Expression Language. */
export const expression = () =>
  conditioned(word(MAX_EXPRESSION_LENGTH, "bytes"), (text) => {
    const read = readExpression(text);
    return typeof read === "string" ? read : undefined;
  }).meta({ examples: ['req.path.startsWith("/api")'] });

/**
 * The parts of an expression that no gateway serves, in the order of the text; empty if it is not an
 * expression.
 */
export function notServed(text: string): string[] {
  const read = readExpression(text);
  if (typeof read === "string") return [];
  const found = new Map<number, string>();
  const pending: Cel.ASTNode[] = [read];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const path = pathOf(node);
    if (path !== undefined) {
      if (!VALUES.includes(path)) found.set(node.start, path);
    } else if (node.op === "call" || node.op === "rcall") {
      const name = node.args[0];
      if (!FUNCTIONS.includes(name)) found.set(node.start, `${name}()`);
      pending.push(...nodesIn(node.args));
    } else if (!isHeader(node)) {
      if (!OPERATORS.includes(node.op)) found.set(node.start, text.slice(node.start, node.end));
      else if (node.op !== "value") pending.push(...nodesIn(node.args));
    }
  }
  return [...new Set([...found].sort(([a], [b]) => a - b).map(([, name]) => name))];
}

/** Parses an expression. Returns an error text if it is invalid. */
function readExpression(text: string): Cel.ASTNode | string {
  // Loaded on first use: few programs declare policies.
  const { Environment, ParseError }: typeof Cel = require("@marcbachmann/cel-js");
  try {
    const { ast } = new Environment({ limits: LIMITS }).parse(text);
    return signsBefore(ast) > MAX_DEPTH ? TOO_DEEP : ast;
  } catch (error) {
    if (!(error instanceof ParseError)) return TOO_DEEP; // the parser overflowed the stack
    if (error.code === "limit_exceeded") return TOO_DEEP;
    const where = error.range ? ` at character ${error.range.start + 1}` : "";
    return `is not a CEL expression: ${error.summary}${where}; expected for example req.path.startsWith("/api")`;
  }
}

/** The longest run of "!" and "-" before a value. The parser's own depth limit does not count them. */
function signsBefore(ast: Cel.ASTNode): number {
  let longest = 0;
  const pending: [node: Cel.ASTNode, signs: number][] = [[ast, 0]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, signs] = next;
    longest = Math.max(longest, signs);
    const isSign = node.op === "!_" || node.op === "-_";
    for (const inner of nodesIn(node.op === "value" ? [] : node.args))
      pending.push([inner, isSign ? signs + 1 : 0]);
  }
  return longest;
}

const TOO_DEEP = `is nested more than ${MAX_DEPTH} deep; split it into several expressions, which all have to hold`;

/** A name with its fields as a path: `a.b.c`. */
function pathOf(node: Cel.ASTNode): string | undefined {
  const fields: string[] = [];
  let at = node;
  while (at.op === ".") {
    const [object, field] = at.args;
    fields.unshift(field);
    at = object;
  }
  return at.op === "id" ? [at.args, ...fields].join(".") : undefined;
}

const isHeader = (node: Cel.ASTNode): boolean =>
  node.op === "[]" &&
  pathOf(node.args[0]) === "req.headers" &&
  node.args[1].op === "value" &&
  typeof node.args[1].args === "string";

/** The expressions among an operator's arguments, also those in lists. */
const nodesIn = (args: unknown): Cel.ASTNode[] =>
  [args].flat(3).filter((one): one is Cel.ASTNode => typeof one === "object" && one !== null && "op" in one);
