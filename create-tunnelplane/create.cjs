#!/usr/bin/env node
const { parseArgs } = require("node:util");
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { create, examples, told } = require("./project.cjs");
/** In a tarball it is inside; in the repository the build writes it. */
const { guardOutput } = require(
  [join(__dirname, "terminal.js"), join(__dirname, "../sdk/dist/terminal.js")].find(existsSync),
);

const USAGE = `Usage: create-tunnelplane <folder> [options]

Starts a Pulumi project that declares tunnels.

Options:
  --example <name>     start from an example: ${examples().join(", ")}
  --ci <service>       write a pipeline too, which reviews and deploys: github or gitlab. In the folder of a
                       project that is there already, write that alone
  --commonjs           write a CommonJS project instead of an ES module
  --ts-node            have ts-node run the program and check its types, instead of Node alone
  --packages <folder>  take tunnelplane's packages from tarballs in this folder
  -h, --help           show this help

Example:
  create-tunnelplane my-tunnels --example mutual-tls --ci github`;

const OPTIONS = {
  example: { type: "string" },
  ci: { type: "string" },
  commonjs: { type: "boolean", default: false },
  "ts-node": { type: "boolean", default: false },
  packages: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
};

guardOutput();
try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) console.log(USAGE);
  else if (positionals.length !== 1)
    throw new Error(`Expected one folder, got ${positionals.length}.\n\n${USAGE}`);
  else console.log(told(create(positionals[0], { ...values, tsNode: values["ts-node"] })));
} catch (error) {
  console.error(`create-tunnelplane: ${error.message}`);
  process.exit(1);
}
