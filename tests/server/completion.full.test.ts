import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/folder";

const CLI = join(__dirname, "../../server/dist/cli/main.js");
const FORMATS = ["json", "table", "yaml"];

const OFFERS: readonly (readonly [line: string, ...offered: string[]])[] = [
  ["tunnelplane des", "describe"],
  ["tunnelplane list tls", "tls-certificates", "tls-edges"],
  ["tunnelplane keys rot", "rotate"],
  ["tunnelplane events replay --dead", "--dead-letters"],
  ["tunnelplane list -o ", ...FORMATS],
  ["tunnelplane list tls-edges -o j", "json"],
  ["tunnelplane list tls-edges --output y", "yaml"],
  ["tunnelplane list tls-edges --output=", ...FORMATS],
  ["tunnelplane list tls-edges --output=j", "json"],
  ["tunnelplane apply tunnels.yaml -o ", ...FORMATS],
  ["tunnelplane events deliveries --status ", "dead", "delivered", "pending"],
  ["tunnelplane list --limit "],
];

const typedOf = (line: string): string => line.split(/[ =]/).at(-1) ?? "";

describe("Completion of commands, kinds, options and their values", () => {
  const folder = newFolder();
  function scriptFor(shell: string): string {
    const script = join(folder, `_tunnelplane.${shell}`);
    writeFileSync(
      script,
      execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, "completion", shell]),
    );
    return script;
  }

  /** Runs lines in a shell, in an empty folder: after an option that takes anything, shells offer files. */
  const linesOf = (shell: string, ...args: string[]): string[] =>
    execFileSync(shell, args, { cwd: mkdtempSync(join(folder, "empty-")), encoding: "utf8" })
      .split(/\s*\n/)
      .filter(Boolean);

  function works(shell: string, offered: (line: string, script: string) => string[]): void {
    it(`works in ${shell}`, function () {
      if (spawnSync(shell, ["--version"]).error) {
        console.log(`      skipped: there is no ${shell} here`);
        return this.skip();
      }
      const script = scriptFor(shell);
      for (const [line, ...expected] of OFFERS)
        expect(offered(line, script).sort(), `${line}|`).to.deep.equal(expected);
    });
  }

  works("bash", (line, script) => {
    const words = line.split(/ |(?==)|(?<==)(?=.)/); // bash takes a "=" for a word
    const typed = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    return linesOf(
      "bash",
      "-c",
      `source ${script}; ${typed}; _tunnelplane; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  });

  works("zsh", (line, script) => {
    const words = line.split(" ");
    // The words that the shell chooses from by the typed text. compset and _files work in its line
    // editor only.
    const shown = `_describe() { print -rl -- "\${(@P)2}" }; compset() { : }; _files() { : }`;
    const typed = `words=(${words.map((word) => `"${word}"`).join(" ")}); CURRENT=${words.length}`;
    return linesOf(
      "zsh",
      "-f",
      "-c",
      `autoload -Uz compinit; compinit -u -d ${folder}/dump; source ${script}; ${shown}; ${typed}; _tunnelplane`,
    )
      .map((one) => one.split(":")[0] ?? "")
      .filter((one) => one.startsWith(typedOf(line)));
  });

  works("fish", (line, script) =>
    linesOf("fish", "--no-config", "-c", `source ${script}; complete -C "${line}"`).map((one) =>
      (one.split("\t")[0] ?? "").replace(/^--\w+=/, ""),
    ),
  );
});
