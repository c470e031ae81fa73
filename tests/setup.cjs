// What every process of the tests loads first, by .mocharc.json.
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");
require("tsx/cjs");

// For servers and providers, too. They live for seconds: collecting garbage would take an eighth of that, and
// compiling the same files again a tenth. Benchmarks load no such file, and measure servers as users start them.
process.env.TESTS_NODE_FLAG ??= "--min-semi-space-size=32";
process.env.NODE_COMPILE_CACHE ??= join(__dirname, "../node_modules/.tunnelplane/compiled");
enableCompileCache(process.env.NODE_COMPILE_CACHE);

const { endFile } = require("./support/endOfFile.ts");
exports.mochaHooks = { afterAll: endFile };
