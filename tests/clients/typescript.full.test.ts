import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess } from "../support/server";
import { EXPECTED } from "./expected";
import { fetchDocument, putProgram, runIn, tool, workshop } from "./support";

const STRICT = [
  ...["--strict", "--target", "es2023", "--module", "nodenext", "--skipLibCheck", "--types", "node"],
  ...["--outDir", "dist"],
];

describe("TypeScript clients made from /openapi.json", () => {
  let server: ServerProcess;
  before(async () => {
    server = await ServerProcess.start();
  });

  it("by openapi-typescript compile strictly, create, list, change and delete on a server, and know its errors", async () => {
    const folder = await prepared("openapi-typescript", "openapiFetch.ts");
    await runIn(folder, tool("openapi-typescript"), [
      "openapi.json",
      "--output",
      "schema.d.ts",
      "--default-non-nullable=false",
    ]);
    expect(await outcome(folder, "openapiFetch")).to.deep.equal(EXPECTED);
  });

  it("by @hey-api/openapi-ts do the same", async () => {
    const folder = await prepared("hey-api", "heyApi.ts");
    const args = [
      ...["--input", "openapi.json", "--output", "client", "--client", "@hey-api/client-fetch"],
      "--silent",
    ];
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { module: "nodenext" } }));
    await runIn(folder, tool("openapi-ts"), args);
    expect(await outcome(folder, "heyApi")).to.deep.equal(EXPECTED);
  });

  async function prepared(name: string, program: string): Promise<string> {
    const folder = workshop(name);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    putProgram(program, folder);
    await fetchDocument(server, folder);
    return folder;
  }

  async function outcome(folder: string, program: string): Promise<unknown> {
    await runIn(folder, tool("tsc"), [...STRICT, "--ignoreConfig", `${program}.ts`]);
    return JSON.parse(
      await runIn(folder, process.execPath, [`dist/${program}.js`, server.url, server.apiKey]),
    );
  }
});
