import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/folder";
import { publishedPackages } from "../support/packed";

const ROOT = join(__dirname, "../..");
/** Every setting with which TypeScript 7 finds more, declarations of libraries included. */
const STRICTEST = {
  ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
  ...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true },
  ...{ noUncheckedSideEffectImports: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, noUnusedLocals: true, noUnusedParameters: true },
  ...{ allowUnreachableCode: false, allowUnusedLabels: false, isolatedModules: true },
  verbatimModuleSyntax: true,
};
/** Its declarations name what its files do not export (1.21): nobody compiles them without skipLibCheck. */
const BROKEN = /^node_modules\/@pulumi\/policy\//;

describe("A program with the strictest settings of the compiler", () => {
  it("compiles with every entry point of every package", () => {
    const entries = publishedPackages().flatMap(({ manifest }) =>
      Object.keys((manifest as { exports?: object }).exports ?? {})
        .filter((entry) => !entry.endsWith(".json"))
        .map((entry) => join(manifest.name, entry)),
    );
    expect(entries).to.include.members(["@tunnelplane/pulumi", "@tunnelplane/sdk/meaning"]);
    const program = [
      ...entries.map((entry, index) => `export type Entry${index} = typeof import("${entry}");`),
      'import * as tunnels from "@tunnelplane/pulumi";',
      'export const edge = new tunnels.TlsEdge("app", { hostports: ["app.example.com:443"] });',
    ];
    const folder = newFolder();
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "main.mts"), program.join("\n"));
    const compilerOptions = {
      ...{ ...STRICTEST, module: "nodenext", target: "es2022", lib: ["es2023"], types: ["node"] },
      noEmit: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.mts"] }));
    const compiler = join(ROOT, "node_modules/typescript-native/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { cwd: ROOT, encoding: "utf8" });
    const mistakes = stdout.split("\n").filter((line) => /: error TS/.test(line) && !BROKEN.test(line));
    expect(mistakes.join("\n")).to.equal("");
  });
});
