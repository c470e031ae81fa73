// Lets @pulumi/pulumi load only when it needs them: npm's installer, the TypeScript compiler, its Automation API, and
// what those load. It loads all of them whenever it starts, and needs them only to turn functions of a program into
// text, to compile a program and to start an engine. Four fifths of the processor time of each start go there, and a
// tenth to collecting young objects. zod loads its messages in 60 languages.
const Module = require("node:module");
const { setFlagsFromString } = require("node:v8");

setFlagsFromString("--min-semi-space-size=32");

const LATE =
  /^(@npmcli\/arborist|@opentelemetry\/.*|execa|js-yaml|normalize-package-data|semver|typescript|upath|\.\/automation|.*typescript-shim|\.\.\/locales\/index\.cjs)$/;
const FROM = /[\\/]node_modules[\\/](@pulumi[\\/]pulumi|zod)[\\/]/;

const { _load: load } = Module;
Module._load = function (request, parent, isMain) {
  return LATE.test(request) && FROM.test(parent?.filename ?? "")
    ? later(() => load.call(this, request, parent, isMain))
    : load.call(this, request, parent, isMain);
};

/** A module that is loaded at its first use. */
function later(get) {
  const loaded = () => get();
  return new Proxy(Object.create(null), {
    get: (_, name) => {
      // Compiled imports ask for this name before they use a module.
      if (name === "__esModule") return true;
      const module = loaded();
      return name === "default" && !module.__esModule ? module : module[name];
    },
  });
}
