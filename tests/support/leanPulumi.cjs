// Lets @pulumi/pulumi load npm's installer and the TypeScript compiler only when it needs them. It loads both
// whenever it starts, and needs them only to turn functions of a program into text and to compile a program.
// Two thirds of the processor time of each start go there, and a tenth to collecting young objects.
const Module = require("node:module");
const { setFlagsFromString } = require("node:v8");

setFlagsFromString("--min-semi-space-size=32");

const LATE = /^(@npmcli\/arborist|typescript)$|typescript-shim$/;
const FROM = /@pulumi[\\/]pulumi[\\/]/;

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
    // Compiled imports ask for this name before they use a module.
    get: (_, name) => (name === "__esModule" ? true : loaded()[name]),
  });
}
