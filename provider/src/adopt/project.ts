import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { makeFolder } from "@tunnelplane/sdk/node";
import { providerLiteral, typeToken } from "../host/typeToken";
import { type PackageSources, packagesOf } from "./packages";
import type { Declared } from "./program";
import { sealed } from "./secrets";
import { asTypeScript } from "./typescript";
import { asCatalogue } from "./yaml";

/** The language of the program. */
export type Format = "ts" | "yaml";

/** The import file, relative to the project; the only file with secrets. */
export const IMPORT_FILE = "import.json";

/** Throws if the folder is not empty, so that nothing is overwritten. */
export function expectRoom(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new Error(`${folder} is a file; name a folder that is new or empty`);
  if (readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty; name a folder that is new or empty`);
}

/** The parts of a project. */
export interface Wanted {
  readonly format: Format;
  readonly resources: readonly Declared[];
  /** The server's address. */
  readonly from: string;
  /** A folder with tarballs of our packages, in place of those that are found. */
  readonly packages?: string;
  /** Whether the objects are on another service: nothing is to be imported then. */
  readonly isForeign?: boolean;
}

/** Writes the project that declares the resources, and the file that imports them. */
export function writeProject(
  folder: string,
  { format, resources, from, packages, isForeign = false }: Wanted,
): void {
  makeFolder(folder, "name another", 0o777);
  const sources = packagesOf(folder, packages);
  const name = basename(resolve(folder)).replace(/[^A-Za-z0-9._-]+/g, "-") || "tunnels";
  const write = (file: string, text: string, mode?: number) =>
    writeFileSync(join(folder, file), text, { flag: "wx", mode });
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  // Write .gitignore first, so that the secrets are never there without it.
  write(".gitignore", `${IMPORT_FILE}\nnode_modules/\npreview.json\n`);
  if (!isForeign) write(IMPORT_FILE, json({ resources: resources.map(asImport) }), 0o600);
  write(
    "Pulumi.yaml",
    `name: ${name}\nruntime: nodejs\ndescription: ${JSON.stringify(`The objects of ${from}`)}\n`,
  );
  write("package.json", json(manifest(name, sources)));
  write("tsconfig.json", json(TSCONFIG));
  if (format === "ts") write("index.ts", asTypeScript(resources, from));
  else {
    write("tunnels.yaml", asCatalogue(resources, from, isForeign));
    write("index.ts", 'import { catalogue } from "@tunnelplane/pulumi";\ncatalogue("tunnels.yaml");\n');
  }
}

function asImport({ definition, name, resourceId, inputs, outputs }: Declared): object {
  const __provider = providerLiteral(definition.kind);
  const recorded = (properties: Declared["inputs"]) => ({ ...sealed(definition, properties), __provider });
  return {
    type: typeToken(definition.type),
    name,
    id: resourceId,
    inputs: recorded(inputs),
    outputs: recorded(outputs),
  };
}

const manifest = (name: string, { dependencies, ...sources }: PackageSources) => {
  const { peerDependencies }: { peerDependencies: Record<string, string> } = require("../../package.json");
  return {
    name: name.toLowerCase(),
    version: "0.0.0",
    private: true,
    main: "index.ts",
    dependencies: { ...peerDependencies, ...dependencies },
    devDependencies: { "@types/node": "^24.0.0", "ts-node": "^10.9.2", typescript: "~6.0.0" },
    ...sources,
  };
};

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: "ES2022",
    module: "node16",
    moduleResolution: "node16",
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  },
  include: ["*.ts"],
};
