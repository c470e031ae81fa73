import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SiteConfig } from "vitepress";
import { linkOf } from "./markdown";

/** A page as programs read it. */
interface Page {
  /** Its path on the site. */
  readonly path: string;
  readonly text: string;
}

/** What `llms.txt` (llmstxt.org) says of the site, and the folders of its sections. The rest is "Pages". */
const SECTIONS: readonly (readonly [title: string, folder: string])[] = [
  ["How to", "how-to/"],
  ["Reference", "reference/"],
  ["Examples", "examples/"],
];
const REFERENCE = "reference.md";

/** Writes each page as Markdown beside it, the reference as one file, and `llms.txt`, which lists all of them. */
export function writeForMachines({ srcDir, outDir, pages, rewrites, site }: SiteConfig): void {
  const read = pages.map(
    (file): Page => ({
      path: rewrites.map[file] ?? file,
      text: readFileSync(join(srcDir, file), "utf8").replace(/^---\n.*?\n---\n+/s, ""),
    }),
  );
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), text);
  };
  for (const page of read) write(page.path, linked(page, page.path));
  const inReference = read.filter(({ path }) => path.startsWith("reference/"));
  write(REFERENCE, inReference.map((page) => linked(page, REFERENCE).trim()).join("\n\n"));
  write("llms.txt", indexOf(read, site.description));
}

/** The text with links that lead to the same places from the path `at`; pictures are in the repository. */
const linked = ({ path, text }: Page, at: string): string =>
  text
    .split(/(^ *```.*?^ *```$)/ms)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(LINK, (_, label, href) => `${label}${leading(path, href, at)}`),
    )
    .join("");

const LINK = /(\[[^\]]*\]\()([^)\s#]+)/g;
const leading = (path: string, href: string, at: string): string =>
  linkOf(path, href, at)
    .replace(/(^|\/)README\.md$/, "$1index.md")
    .replace(/\/blob\/(.*\.(png|svg))$/, "/raw/$1");

function indexOf(pages: readonly Page[], description: string): string {
  const listed = (chosen: readonly Page[]) =>
    chosen
      .map(({ path, text }) => `- [${titleIn(text) ?? path}](${path})${sentenceIn(text)}\n`)
      .sort()
      .join("");
  const others = pages.filter(
    ({ path }) => path !== "index.md" && !SECTIONS.some(([, folder]) => path.startsWith(folder)),
  );
  const sections = SECTIONS.map(
    ([title, folder]) =>
      `## ${title}\n\n${title === "Reference" ? `- [The whole reference as one file](${REFERENCE})\n` : ""}${listed(pages.filter(({ path }) => path.startsWith(folder)))}`,
  );
  return `# tunnelplane\n\n> ${description}\n\nEach page of this site is Markdown under its path with \`.md\` at the end.\n\n## Pages\n\n${listed(others)}\n${sections.join("\n")}`;
}

const titleIn = (text: string): string | undefined => /^# (.*)$/m.exec(text)?.[1];

/** The first sentence of the first paragraph of text, after a colon. */
function sentenceIn(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((part) => /^(?!```)[A-Z`*"]/.test(part)) ?? "";
  const [sentence = ""] = paragraph.replaceAll("\n", " ").split(/(?<=[.:])\s/);
  return sentence && `: ${sentence.replace(/[.:]$/, "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")}`;
}
