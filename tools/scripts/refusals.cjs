// Finds tests that show a refusal, but not that the same is allowed where it should be. A request that is refused
// for another reason (a typing error, a missing header) would pass as a promise that is kept.
//
// `node tools/scripts/refusals.cjs` reads the files of CHECKED. `node tools/scripts/refusals.cjs FILE…` reads these files.
const { existsSync, readFileSync, readdirSync, statSync } = require("node:fs");
const { dirname, join, relative, resolve } = require("node:path");
const ts = require("typescript");

const ROOT = join(__dirname, "../..");

/** Folders and files whose tests comply. */
const CHECKED = [
  "tests/gateway",
  "tests/trust",
  ...["apiKeys", "guarantees", "names", "owners", "places", "rights", "teams"].map(
    (name) => `tests/api/${name}.full.test.ts`,
  ),
  ...["guaranteedChanges", "scopes", "viewers"].map((name) => `tests/api/${name}.test.ts`),
  ...[
    "accessThatEnds",
    "guaranteesOfTwo",
    "login",
    "revokedKeys",
    "signIn",
    "signInAway",
    "tokenExchange",
  ].map((name) => `tests/server/${name}.full.test.ts`),
  "tests/server/gateways",
];

/** Answers that keep somebody out; 400 is left to the tests of validation. */
const REFUSING = new Set(["401", "403", "404", "405", "409", "410", "412", "413", "421", "429", "431"]);
const REFUSING_WORD = /^(closed|denied|hung up|refused|reset|ECONN(REFUSED|RESET))$/;
const REFUSING_PATTERN = /closed|denied|hang up|refused|reset|not allowed/i;
const ALLOWING = /^[23]\d\d$/;
const HELPER = "refusedBeside";

const CURE = `show beside it that the same is allowed: ${HELPER}({ refused, as, allowed }) of tests/support/refusal.ts`;

/** What a file has: its functions by name, and from which files its imports come. */
const parsed = new Map();
function read(path, text) {
  const known = parsed.get(path);
  if (known) return known;
  const source = ts.createSourceFile(path, text ?? readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const file = { path, source, functions: new Map(), imports: new Map() };
  parsed.set(path, file);
  visit(source, (node) => {
    const name = functionName(node);
    if (name) file.functions.set(name, [...(file.functions.get(name) ?? []), node]);
    if (ts.isImportDeclaration(node) && node.moduleSpecifier.text.startsWith(".")) {
      const from = [".ts", "/index.ts"].map((end) => resolve(dirname(path), node.moduleSpecifier.text + end));
      const bindings = node.importClause?.namedBindings;
      const found = from.find(existsSync);
      if (found && bindings && ts.isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          file.imports.set(name.text, { path: found, name: (propertyName ?? name).text });
    }
  });
  return file;
}

function visit(node, look) {
  if (look(node) !== false) ts.forEachChild(node, (child) => visit(child, look));
}

const isFunction = (node) =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

function functionName(node) {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText();
  const holds =
    ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node);
  return holds && isFunction(node.initializer) ? node.name.getText() : undefined;
}

/** The name of what is called: `get` of `get()` and of `rest.get()`. */
function calledName({ expression }) {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined;
}

/** The name at which a chain of calls begins: `expect` of `expect(a).to.equal(b)`. */
function rootName(node) {
  if (ts.isIdentifier(node)) return node.text;
  return "expression" in node ? rootName(node.expression) : undefined;
}

/** Whether a call compares what was answered. */
const compares = (call) =>
  (rootName(call) === "expect" && calledName(call) !== "expect") ||
  /^(becomes|expect.+)$/.test(calledName(call) ?? "");

/** Whether a call of the helper asks for something on both sides. */
function showsBoth(call, { imports }) {
  if (calledName(call) !== HELPER || !imports.get(HELPER)?.path.endsWith("support/refusal.ts")) return false;
  const [sides] = call.arguments;
  if (!sides || !ts.isObjectLiteralExpression(sides)) return false;
  return ["refused", "allowed"].every((name) => {
    const side = sides.properties.find((property) => property.name?.getText() === name);
    if (!side) return false;
    if (ts.isShorthandPropertyAssignment(side) || !ts.isPropertyAssignment(side)) return true;
    return asks(side.initializer);
  });
}

/** Whether a side of the helper asks for something: `async () => 200` does not. */
function asks(side) {
  if (ts.isArrayLiteralExpression(side)) return side.elements.length > 0 && side.elements.every(asks);
  if (!isFunction(side)) return true;
  let calls = false;
  visit(side.body, (node) => {
    if (ts.isCallExpression(node)) calls = true;
  });
  return calls;
}

const literalsIn = (node, wanted) => {
  let found = false;
  visit(node, (child) => {
    if (ts.isNumericLiteral(child) && wanted.test(child.text)) found = true;
  });
  return found;
};

/** Whether a status is what a test expects, and nothing beside it in the same comparison is allowed. */
function isExpected(literal, top) {
  for (let node = literal; node !== top; node = node.parent) {
    const { parent } = node;
    if (ts.isPropertyAssignment(parent) && parent.name.getText() === "status_code") return false;
    if (ts.isCallExpression(parent) && parent.arguments.includes(node)) {
      if (parent.arguments[0] === node && calledName(parent) === HELPER) return false;
      return compares(parent) && !literalsIn(node, ALLOWING);
    }
    if (ts.isBinaryExpression(parent))
      return parent.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken;
    if (ts.isForOfStatement(parent) && parent.expression === node) return !literalsIn(node, ALLOWING);
    if (ts.isVariableDeclaration(parent))
      return ts.isArrayLiteralExpression(node) && !literalsIn(node, ALLOWING);
  }
  return false;
}

/** Whether a word or pattern is what a comparison wants, and not a part of a longer text such as a log. */
function isCompared(word) {
  const call = word.parent;
  const wants = ts.isCallExpression(call) && call.arguments[0] === word && rootName(call) === "expect";
  return wants && /^(equal|match)$/.test(calledName(call) ?? "");
}

function expectsRefusal(node, top) {
  if (ts.isCallExpression(node)) return calledName(node) === "expectRefused";
  if (ts.isNumericLiteral(node)) return REFUSING.has(node.text) && isExpected(node, top);
  if (ts.isStringLiteral(node)) return REFUSING_WORD.test(node.text) && isCompared(node);
  return ts.isRegularExpressionLiteral(node) && REFUSING_PATTERN.test(node.text) && isCompared(node);
}

/** The functions that a call may mean. A method is looked for in all files that its file imports. */
function calledFunctions(call, file) {
  const name = calledName(call);
  if (!name) return [];
  const own = file.functions.get(name);
  if (own) return own.map((node) => ({ node, file }));
  const imported = ts.isIdentifier(call.expression) ? [file.imports.get(name)] : [...file.imports.values()];
  return imported.filter(Boolean).flatMap(({ path, name: original }) => {
    const from = read(path);
    const nodes = from.functions.get(ts.isIdentifier(call.expression) ? original : name) ?? [];
    return nodes.map((node) => ({ node, file: from }));
  });
}

/** Whether something is in a function, or in functions that it calls. */
function reaches(node, file, isIt, follows, seen = new Set()) {
  if (seen.has(node)) return false;
  seen.add(node);
  let found = false;
  visit(node, (child) => {
    if (found) return false;
    if (isIt(child, node, file)) found = true;
    else if (ts.isCallExpression(child))
      found = calledFunctions(child, file)
        .filter((called) => follows(called, file))
        .some((called) => reaches(called.node, called.file, isIt, follows, seen));
  });
  return found;
}

/** The cases of a file that show a refusal only: their lines and names. @param text default: what the file has */
function refusalsAlone(path, text) {
  const file = read(resolve(path), text);
  const cases = [];
  visit(file.source, (node) => {
    if (!ts.isCallExpression(node) || !/^(it|specify)$/.test(rootName(node) ?? "")) return;
    const body = node.arguments[1];
    if (!isFunction(body)) return;
    const refuses = reaches(body, file, expectsRefusal, (called, from) => called.file === from);
    const isBeside = (call, _, from) => ts.isCallExpression(call) && showsBoth(call, from);
    if (!refuses || reaches(body, file, isBeside, () => true)) return;
    const { line } = file.source.getLineAndCharacterOfPosition(node.getStart());
    cases.push({ line: line + 1, name: node.arguments[0].getText().replace(/^["'`]|["'`]$/g, "") });
  });
  return cases;
}

const filesIn = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => join(path, name))
    : [path];

if (require.main === module) {
  const named = process.argv.slice(2);
  const paths = named.length > 0 ? named : CHECKED.map((path) => join(ROOT, path));
  const found = paths
    .flatMap(filesIn)
    .flatMap((path) =>
      refusalsAlone(path).map((one) => `${relative(process.cwd(), path)}:${one.line}: ${one.name}`),
    );
  for (const line of found) console.error(line);
  if (found.length > 0) {
    console.error(`\n${found.length} test(s) show a refusal only. In each, ${CURE}.`);
    process.exitCode = 1;
  }
}

module.exports = { refusalsAlone };
