import type * as Cel from "@marcbachmann/cel-js" with { "resolution-mode": "import" };
import ipaddr from "ipaddr.js";
import { plainAddress } from "../../../contract/formats/cidr";
import { all, any, type Condition, type Input, not, TEXT_TESTS, type TextTest } from "./condition";
import { searching } from "./patterns";
import { rememberingRefusals, Unservable } from "./unservable";

/** Nobody nests deeper by hand; deeper expressions are refused. */
const MAX_DEPTH = 64;
const ADVICE = "see docs/gateway.md for the part of the language that gateways enforce";

/**
 * Translates a CEL expression into a condition that Envoy can check.
 * @throws Unservable for one that it cannot
 */
export const readExpression = rememberingRefusals((text): Condition => {
  // Loaded on first use: few programs declare policies.
  const { ParseError, parse } = require("@marcbachmann/cel-js") as typeof Cel;
  try {
    return conditionOf(parse(text).ast, 0);
  } catch (error) {
    if (!(error instanceof Unservable) && !(error instanceof ParseError)) throw error;
    throw new Unservable(
      `the expression ${JSON.stringify(shortened(text))} cannot be enforced: ${error.message.split("\n")[0]}; ${ADVICE}`,
    );
  }
});

const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
const beyond = (node: Cel.ASTNode): Unservable =>
  new Unservable(
    `${JSON.stringify(shortened(node.input.slice(node.start, node.end)))} (at character ${node.pos + 1}) has no counterpart in Envoy`,
  );

function conditionOf(node: Cel.ASTNode, depth: number): Condition {
  if (depth > MAX_DEPTH) throw new Unservable(`it is nested more than ${MAX_DEPTH} deep`);
  const inner = (child: Cel.ASTNode) => conditionOf(child, depth + 1);
  switch (node.op) {
    case "value":
      if (typeof node.args === "boolean") return node.args;
      throw beyond(node);
    case "!_":
      return not(inner(node.args));
    case "&&":
      return all(node.args.map(inner));
    case "||":
      return any(node.args.map(inner));
    case "==":
      return equality(node, node.args);
    case "!=":
      return not(equality(node, node.args));
    case "in":
      return any(literals(node.args[1]).map((value) => equal(node, inputOf(node.args[0]), value)));
    case "rcall":
      return call(node, node.args[0], node.args[1], node.args[2]);
    case "call":
      // A function of the family: inCidrRange(conn.client_ip, "10.0.0.0/8").
      if (node.args[0] === "inCidrRange" && node.args[1][0])
        return call(node, node.args[0], node.args[1][0], node.args[1].slice(1));
      throw beyond(node);
    default:
      throw beyond(node);
  }
}

function equality(node: Cel.ASTNode, [left, right]: readonly [Cel.ASTNode, Cel.ASTNode]): Condition {
  if (left.op === "value" && right.op === "value") return left.args === right.args;
  if (left.op === "value") return equal(node, inputOf(right), textOf(left));
  return equal(node, inputOf(left), textOf(right));
}

function equal(node: Cel.ASTNode, input: Input, value: string): Condition {
  if (input === "client_ip") return { input, test: { cidr: networkOf(node, value, false) } };
  return { input, test: { exact: input === "host" || input === "sni" ? value.toLowerCase() : value } };
}

function call(
  node: Cel.ASTNode,
  name: string,
  receiver: Cel.ASTNode,
  args: readonly Cel.ASTNode[],
): Condition {
  const [argument] = args;
  if (!argument || args.length > 1) throw beyond(node);
  const input = inputOf(receiver);
  if (name === "inCidrRange") {
    if (input !== "client_ip") throw beyond(node);
    return any(
      literals(argument).map((value) => ({ input, test: { cidr: networkOf(argument, value, true) } })),
    );
  }
  const text = textOf(argument);
  if (!isTextTest(name)) throw beyond(node);
  const test = TEXT_TESTS[name](text);
  if ("regex" in test) searching(test.regex);
  if (input === "client_ip" && "prefix" in test) {
    const networks = networksOfPrefix(test.prefix);
    if (networks) return any(networks.map((cidr) => ({ input, test: { cidr } })));
  }
  const isName = input === "host" || input === "sni";
  if (isName && "regex" in test) return { input, test: { regex: `(?i:${test.regex})` } };
  return { input, test: isName ? lowered(test) : test };
}

const isTextTest = (name: string): name is keyof typeof TEXT_TESTS => Object.hasOwn(TEXT_TESTS, name);

/** Names of hosts are the same in any case; Envoy and the gateway compare them in lower case. */
const lowered = (test: TextTest): TextTest =>
  // The same key with another text is a test of the same kind.
  Object.fromEntries(Object.entries(test).map(([kind, text]) => [kind, text.toLowerCase()])) as TextTest;

function inputOf(node: Cel.ASTNode): Input {
  if (node.op === "[]" && pathOf(node.args[0]) === "req.headers") return headerInput(node.args[1]);
  switch (pathOf(node)) {
    case "req.method":
      return "method";
    case "req.host":
      return "host";
    case "req.path":
      return "path";
    case "req.user_agent":
      return { header: "user-agent" };
    case "conn.client_ip":
    case "conn.ClientIP":
      return "client_ip";
    case "conn.tls.sni":
      return "sni";
    default:
      throw beyond(node);
  }
}

function headerInput(node: Cel.ASTNode): Input {
  const name = textOf(node).toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || name.startsWith("x-tunnelplane-")) throw beyond(node);
  return name === "host" ? "host" : { header: name };
}

/** `a.b.c` of a name and its fields. */
function pathOf(node: Cel.ASTNode): string | undefined {
  if (node.op === "id") return node.args;
  if (node.op !== ".") return undefined;
  const parent = pathOf(node.args[0]);
  return parent === undefined ? undefined : `${parent}.${node.args[1]}`;
}

function textOf(node: Cel.ASTNode): string {
  if (node.op === "value" && typeof node.args === "string") return node.args;
  throw beyond(node);
}

const literals = (node: Cel.ASTNode): string[] =>
  node.op === "list" ? node.args.map(textOf) : [textOf(node)];

function networkOf(node: Cel.ASTNode, given: string, mayHaveMask: boolean): string {
  const text = plainAddress(given);
  if (mayHaveMask && ipaddr.isValidCIDR(text)) return text;
  if (ipaddr.isValid(text) && (ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text)))
    return `${text}/${ipaddr.IPv6.isValid(text) ? 128 : 32}`;
  throw beyond(node);
}

/** A part of an IPv4 address as it is printed. */
const OCTETS = Array.from({ length: 256 }, (_, number) => String(number));

/**
 * The IPv4 networks whose addresses begin with a text, `10.1` for example, in CIDR notation; undefined for a
 * text with which addresses of IPv6 may begin.
 */
function networksOfPrefix(text: string): readonly string[] | undefined {
  if (!text.includes(".")) return undefined;
  const whole = text.split(".");
  const begun = whole.pop() ?? "";
  if (whole.length > 3 || !whole.every((octet) => OCTETS.includes(octet))) return [];
  const last = begun === "" ? [] : OCTETS.filter((octet) => octet.startsWith(begun));
  const networks = begun === "" ? [whole] : last.map((octet) => [...whole, octet]);
  return networks.map((octets) => {
    const bits = octets.length * 8;
    return `${[...octets, "0", "0", "0", "0"].slice(0, 4).join(".")}/${bits}`;
  });
}
