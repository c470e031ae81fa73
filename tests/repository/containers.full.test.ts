import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import { newFolder } from "../support/folder";
import { LIMIT_MS, SOAK } from "../support/size";

const ROOT = join(__dirname, "../..");
const LEFT_OUT = SOAK ? /\/(node_modules|dist)$|\.tsbuildinfo$/ : /\/node_modules$/;
type Step = { readonly name: string; readonly text: string };

function stagesOf(file: string): Step[][] {
  const lines = readFileSync(join(ROOT, "deploy", file), "utf8")
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll("\\\n", " ")
    .split("\n");
  const steps = lines
    .filter((line) => line !== "")
    .map((line) => ({ name: line.split(" ")[0] ?? "", text: line.replace(/^\S+\s+/, "") }));
  const starts = steps.flatMap(({ name }, index) => (name === "FROM" ? [index] : []));
  return starts.map((start, index) => steps.slice(start + 1, starts[index + 1]));
}

const textsOf = (steps: readonly Step[], name: string): string[] =>
  steps.filter((step) => step.name === name).map(({ text }) => text);

describe("The container files", () => {
  for (const [file, version] of [
    ["Dockerfile", ["--disable-warning=ExperimentalWarning", "server/dist/cli/main.js", "--version"]],
    ["Dockerfile.gateway", ["gateway/dist/cli.js", "--version"]],
  ] as const) {
    it(`${file} copies what there is and starts a program that runs from what it copies${SOAK ? ", built as it says" : ""}`, function () {
      this.timeout(LIMIT_MS);
      const [build = [], image = []] = stagesOf(file);
      const folder = newFolder();
      const [from, to] = [join(folder, "build"), join(folder, "image")];
      for (const words of textsOf(build, "COPY").map((text) => text.split(" "))) {
        for (const source of words.slice(0, -1)) {
          const target = words.at(-1)?.endsWith("/")
            ? join(from, words.at(-1) ?? "", basename(source))
            : join(from, words.at(-1) ?? "");
          expect(existsSync(join(ROOT, source)), source).to.equal(true);
          cpSync(join(ROOT, source), target, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
        }
      }
      // The packages of npm are fetched with `npm run test:soak` only.
      if (SOAK)
        for (const command of textsOf(build, "RUN"))
          execFileSync("sh", ["-c", command], { cwd: from, stdio: "pipe" });
      else symlinkSync(join(ROOT, "node_modules"), join(from, "node_modules"));
      mkdirSync(to);
      for (const [source = "", target = ""] of textsOf(image, "COPY").map((text) =>
        text.replace("--from=build /app/", "").split(" "),
      ))
        cpSync(join(from, source), join(to, target), { recursive: true, verbatimSymlinks: true });
      const command = [...textsOf(image, "ENTRYPOINT"), ...textsOf(image, "CMD")].flatMap(
        (text) => JSON.parse(text) as string[],
      );
      expect(command.slice(0, version.length)).to.deep.equal(["node", ...version.slice(0, -1)]);
      expect(execFileSync(process.execPath, version, { cwd: to, encoding: "utf8" }).trim()).to.equal("0.1.0");
    });
  }
});
