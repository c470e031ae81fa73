// Refuses look-ups by a variable text on plain objects, in the rooms that read what users name: such an object
// also has what it inherits, so `headers[name]` finds a function where the name is `constructor`.
const { join, relative, resolve } = require("node:path");
const ts = require("typescript");

const ROOT = resolve(__dirname, "../..");
const ROOMS = {
  sdk: ["sdk/src/contract", "sdk/src/meaning"],
  server: ["server/src/http"],
  gateway: ["gateway/src"],
};
/** The one place that looks up after asking. */
const ALLOWED = "sdk/src/contract/core/narrow.ts";
const { TypeFlags } = ts;
const TEXT = TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping | TypeFlags.Any;

/** Whether a value may be any text, and not one of a few or a number. */
const isText = (type) => (type.isUnion() ? type.types.some(isText) : (type.flags & TEXT) !== 0);

const isChanged = (node) =>
  ts.isDeleteExpression(node.parent) ||
  (ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken);

function* lookupsIn(node, checker) {
  const key = ts.isElementAccessExpression(node)
    ? !isChanged(node) && node.argumentExpression
    : ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.InKeyword &&
      !ts.isPrivateIdentifier(node.left) &&
      node.left;
  if (key && !ts.isStringLiteralLike(key) && isText(checker.getTypeAtLocation(key))) yield node;
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* lookupsIn(child, checker);
}

function* mistakesIn(workspace) {
  const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, workspace, "tsconfig.json"), {}, ts.sys);
  const program = ts.createProgram(config.fileNames, config.options);
  const checker = program.getTypeChecker();
  for (const file of program.getSourceFiles()) {
    const path = relative(ROOT, file.fileName);
    if (path === ALLOWED || !ROOMS[workspace].some((room) => path.startsWith(`${room}/`))) continue;
    for (const node of lookupsIn(file, checker)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      yield `${path}:${line + 1}: ${node.getText()}`;
    }
  }
}

const mistakes = Object.keys(ROOMS).flatMap((workspace) => [...mistakesIn(workspace)]);
for (const mistake of mistakes)
  console.error(
    `${mistake} looks a name up on an object, which inherits some: use own(values, name), Object.hasOwn, or a Map`,
  );
process.exitCode = mistakes.length > 0 ? 1 : 0;
