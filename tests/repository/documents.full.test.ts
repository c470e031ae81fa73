import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { program as everything } from "../../tunnelplane/dist/program";

const ROOT = join(__dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path && existsSync(join(ROOT, path)));

const withoutCode = (text: string): string =>
  text
    .replaceAll(/^ *(`{3,}|~~~).*?^ *\1 *$/gms, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()#]/g, "_"));

/** The anchors of a page's headings, as GitHub and the site make them. */
function anchorsOf(path: string): Set<string> {
  const seen = new Map<string, number>();
  const text = read(path).replaceAll(/^ *(`{3,}|~~~).*?^ *\1 *$/gms, "");
  return new Set(
    [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => {
      const slug = heading
        .toLowerCase()
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-");
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

describe("The documents", () => {
  it("link only to files and headings that exist", () => {
    const broken = PAGES.flatMap((path) =>
      [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
        if (/^[a-z]+:/.test(target)) return [];
        const [file = "", anchor] = target.split("#");
        // Packing puts these two beside the README of each package.
        const place =
          file === ""
            ? path
            : normalize(join(dirname(path), file)).replace(/^[\w-]+\/(CHANGELOG\.md|LICENSE)$/, "$1");
        if (!existsSync(join(ROOT, place))) return [`${path}: ${target} is not a file`];
        if (anchor === undefined || statSync(join(ROOT, place)).isDirectory()) return [];
        return anchorsOf(place).has(anchor) ? [] : [`${path}: ${target} is no heading there`];
      }),
    );
    expect(broken).to.deep.equal([]);
  });

  it("name only commands and options that exist", () => {
    const wrong = commandLines().flatMap(({ path, words }) =>
      faultsOf(words).map((fault) => `${path}: ${words.join(" ")}: ${fault}`),
    );
    expect(wrong).to.deep.equal([]);
    expect(commandLines()).to.have.length.above(40);
  });

  it("name only scripts of npm that exist", () => {
    const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts);
    const inTemplate = Object.keys(
      (JSON.parse(read("create-tunnelplane/template/package.json")) as { scripts: object }).scripts,
    );
    const known = new Set([...scripts, ...inTemplate]);
    const unknown = PAGES.flatMap((path) =>
      [...read(path).matchAll(/\bnpm run (?:--\S+ )*([a-z][\w:-]*)/g)]
        .filter(([, name = ""]) => !known.has(name))
        .map(([words]) => `${path}: ${words}`),
    );
    expect(unknown).to.deep.equal([]);
  });
});

function commandLines(): { path: string; words: string[] }[] {
  return PAGES.flatMap((path) =>
    [...read(path).matchAll(/^ *```(?:sh|bash|shell|console)\n(.*?)^ *```/gms)].flatMap(([, block = ""]) =>
      block
        .replaceAll(/\\\n\s*/g, "")
        .split("\n")
        .flatMap((line) => {
          const [, called] =
            /(?:^|[|(&;$] ?|npx (?:--no )?|run: )((?:tunnelplane(?:-pulumi|-gateway)?)\b(?! ?[=:]) [^|#;)&>]*)/.exec(
              line,
            ) ?? [];
          return called ? [{ path, words: called.trim().split(/\s+/) }] : [];
        }),
    ),
  );
}

const help = new Map<string, string>();

/** What the help of a program of another package says; in this one the commands themselves are asked. */
function helpOf(name: string, command: string): string {
  const key = `${name} ${command}`;
  const known = help.get(key);
  if (known !== undefined) return known;
  const folder = name === "tunnelplane-pulumi" ? "provider" : "gateway";
  const { stdout } = spawnSync(
    process.execPath,
    [join(ROOT, folder, "bin", `${name}.cjs`), command, "--help"],
    { encoding: "utf8" },
  );
  help.set(key, stdout);
  return stdout;
}

function faultsOf([name = "", ...words]: readonly string[]): string[] {
  const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split("=")[0] ?? "");
  if (name !== "tunnelplane") {
    const text = helpOf(name, words[0] ?? "");
    return [
      ...(text.includes("Usage:") ? [] : ["no such command"]),
      ...flags.filter((flag) => flag !== "--help" && !text.includes(flag)),
    ];
  }
  let command = everything([]);
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (!inner) break;
    command = inner;
  }
  if (command.name() === "tunnelplane" && !flags.some((flag) => flag === "--help" || flag === "--version"))
    return ["no such command"];
  return flags.filter(
    (flag) =>
      flag !== "--help" &&
      flag !== "--version" &&
      !command.options.some(({ long, short }) => flag === long || flag === short),
  );
}
