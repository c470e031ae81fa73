import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { registry } from "../../sdk/src/contract";
import { alarmFiles } from "./alarmFiles";
import { catalogueSchema, catalogueType } from "./catalogue";
import { componentClasses } from "./components";
import { floorPages } from "./floors";
import { kindsType } from "./kinds";
import { fileOf, HEADER } from "./names";
import { operationTypes } from "./operations";
import type * as pages from "./pages";
import { providerClasses } from "./provider";
import { referencePages } from "./reference";
import { packageSchema } from "./schema";
import { sdkClient, sdkTypes } from "./sdk";
import { staticFiles } from "./static";

const ROOT = join(__dirname, "../..");
/** Folders with generated files only. */
const FOLDERS = ["sdk/src/generated", "provider/src/generated", "docs/reference"];

/** Every generated file: its path in the repository, and its text. */
export const generated = (): Map<string, string> => new Map([...fromContract(), ...fromServer()]);

/**
 * The pages that the server's own code describes. It is loaded only now, because it needs the built sdk, which
 * follows from the contract.
 */
const fromServer = (): [string, string][] => (require("./pages") as typeof pages).docsPages();

function fromContract(): Map<string, string> {
  const files = new Map<string, string>();
  for (const definition of registry) {
    files.set(`sdk/src/generated/${fileOf(definition)}.ts`, sdkTypes(definition));
    files.set(`provider/src/generated/${fileOf(definition)}.ts`, providerClasses(definition));
  }
  files.set("sdk/src/contract/kinds.ts", kindsType(registry));
  files.set("sdk/src/client/generated.ts", operationTypes());
  files.set("sdk/src/generated/index.ts", sdkClient(registry));
  files.set(
    "provider/src/generated/index.ts",
    HEADER +
      [...registry.map(fileOf), "catalogue", "components"]
        .map((file) => `export * from "./${file}";\n`)
        .join(""),
  );
  files.set("provider/src/generated/catalogue.ts", catalogueType(registry));
  files.set("provider/src/generated/components.ts", componentClasses());
  files.set("provider/tunnels.schema.json", catalogueSchema(registry));
  files.set("plugin/schema.json", packageSchema(registry, versionOf("plugin")));
  for (const [path, text] of [
    ...floorPages(ROOT),
    ...referencePages(registry, ROOT),
    ...staticFiles(registry),
    ...alarmFiles(),
  ])
    files.set(path, text);
  return files;
}

const versionOf = (workspace: string): string =>
  (JSON.parse(readFileSync(join(ROOT, workspace, "package.json"), "utf8")) as { version: string }).version;

/** Writes the files, deletes those of removed resource types, and builds. */
function main(): void {
  const files = fromContract();
  for (const folder of FOLDERS) {
    mkdirSync(join(ROOT, folder), { recursive: true });
    for (const name of readdirSync(join(ROOT, folder))) {
      if (!files.has(`${folder}/${name}`)) rmSync(join(ROOT, folder, name));
    }
  }
  write(files);
  execFileSync(process.execPath, ["node_modules/typescript-native/bin/tsc", "--build"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const described = fromServer();
  write(described);
  console.log(`${files.size + described.length} files follow from ${registry.length} definitions.`);
}

function write(files: Iterable<[string, string]>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}

if (require.main === module) main();
