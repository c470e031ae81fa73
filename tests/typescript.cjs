// Loads TypeScript, and keeps what it was compiled to: most processes of a run load the same files, and need
// no compiler for them. Node's own cache of compiled code serves this process and all that it starts.
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");
const { version } = require("esbuild/package.json");

const KEPT = join(__dirname, "..", "node_modules", ".tunnelplane", "compiled");
const OPTIONS = { loader: "ts", format: "cjs", platform: "node", target: "es2022", sourcemap: "inline" };

// For servers, too. They live for seconds; collecting garbage would take an eighth of that. Benches
// load no such file, and measure servers as users start them.
process.env.TESTS_NODE_FLAG ??= "--min-semi-space-size=32";
process.env.NODE_COMPILE_CACHE ??= join(KEPT, "node");
enableCompileCache(process.env.NODE_COMPILE_CACHE);
process.setSourceMapsEnabled(true);
mkdirSync(KEPT, { recursive: true });

const digest = (...parts) => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

require.extensions[".ts"] = (module, file) => module._compile(compiled(file), file);

function compiled(file) {
  const source = readFileSync(file, "utf8");
  const kept = join(KEPT, `${digest(file)}.js`);
  const mark = `\n//${digest(version, OPTIONS, source)}`;
  const text = textOf(kept);
  if (text?.endsWith(mark)) return text;
  const { transformSync } = require("esbuild");
  const made = transformSync(source, { ...OPTIONS, sourcefile: file }).code + mark;
  // Two processes may write it at the same time.
  const unfinished = `${kept}-${process.pid}`;
  writeFileSync(unfinished, made);
  renameSync(unfinished, kept);
  return made;
}

function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
