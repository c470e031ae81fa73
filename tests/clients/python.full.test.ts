import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess } from "../support/server";
import { EXPECTED } from "./expected";
import { fetchDocument, putProgram, runIn, workshop } from "./support";

const BIN = join(__dirname, "../../node_modules/.tunnelplane/openapi-python-client/bin");
const GENERATOR = join(BIN, "openapi-python-client");

describe("A Python client made from /openapi.json", () => {
  if (!existsSync(GENERATOR)) {
    it("skipped: openapi-python-client could not be installed, because Python 3 with venv is missing", function () {
      this.skip();
    });
    return;
  }

  let server: ServerProcess;
  let folder: string;
  before(async () => {
    server = await ServerProcess.start();
    folder = workshop("python");
    await fetchDocument(server, folder);
  });

  it("has every operation, and its generator has nothing to warn of", async () => {
    const args = [
      ...["generate", "--path", "openapi.json", "--meta", "none", "--output-path"],
      ...["tunnelplane_client", "--fail-on-warning"],
    ];
    await runIn(folder, GENERATOR, args, { PATH: `${BIN}:${process.env.PATH}` });
    const document = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
    const operations = Object.values(document.paths as Record<string, object>).flatMap((methods) =>
      Object.keys(methods),
    );
    const made = readdirSync(join(folder, "tunnelplane_client/api"), { recursive: true }).filter(
      (file) => !String(file).includes("__"),
    );
    expect(made.filter((file) => String(file).endsWith(".py"))).to.have.lengthOf(operations.length);
  });

  it("creates, lists, changes and deletes on a server, and knows its errors", async () => {
    putProgram("program.py", folder);
    expect(
      JSON.parse(await runIn(folder, join(BIN, "python"), ["program.py", server.url, server.apiKey])),
    ).to.deep.equal(EXPECTED);
  });
});
