import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

const REPOSITORY = "https://github.com/tunnelplane/tunnelplane";
/** A table of fields has so many columns: too many to stand side by side beside the list of pages. */
const FIELD_COLUMNS = 6;
/** Tables of so many columns need more room. */
const MANY_COLUMNS = 4;
const MAX_COLUMNS = 10;
/** Code that is longer may break after a dot, a slash, a colon or an underscore. */
const UNBROKEN = 12;

/** The place of a page's source in the repository. The pages of examples are their READMEs. */
const placeOf = (page: string): string =>
  /^examples\/.*\.md$/.test(page) ? page.replace(/\.md$/, "/README.md") : posix.join("docs", page);

/**
 * Where a link of a page leads on the site: out of this folder to the repository, to examples to their pages.
 *
 * @param at the page that is to have the link, unless it stays where it is
 */
export function linkOf(page: string, href: string, at = page): string {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const target = posix.join(posix.dirname(placeOf(page)), href).replace(/\/$/, "");
  const [, example] = /^examples\/([\w-]+)(?:\/README\.md)?$/.exec(target) ?? [];
  const inside = example ? `examples/${example}.md` : target.replace(/^docs\//, "");
  const isPage = example || /^docs\/(?!architecture\/)(?!.*\.(png|svg)$)/.test(target);
  return isPage ? posix.relative(posix.dirname(at), inside) : `${REPOSITORY}/blob/main/${target}`;
}

function linkOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("repository", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (token.type === "link_open" && href) token.attrSet("href", linkOf(env.relativePath, href));
    }
  });
}

/** The class of a table's room, by the room that its columns need. */
const roomFor = (columns: number): string =>
  columns >= MAX_COLUMNS ? "room most" : columns >= MANY_COLUMNS ? "room many" : "room";

/**
 * Puts each table into a room of its own, gives each cell the title of its column, which a card shows, and
 * marks tables of fields and cells that say nothing.
 */
function labelCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("labels", ({ tokens }) => {
    let labels: string[] = [];
    let column = 0;
    let table: (typeof tokens)[number] | undefined;
    tokens.forEach((token, at) => {
      const text = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join("");
      if (token.type === "table_open") {
        table = token;
        labels = [];
      }
      if (token.type === "th_open") {
        labels.push(text);
        // A header without a text would be announced as one.
        for (const part of text === "" ? tokens.slice(at, at + 3) : [])
          if (part.tag === "th") part.tag = "td";
      }
      if (token.type === "thead_close" && table) {
        table.meta = roomFor(labels.length);
        if (labels.length === FIELD_COLUMNS && labels[0] === "Field") table.attrSet("class", "fields");
        if (labels.every((label) => label === "")) table.attrSet("class", "facts");
      }
      if (token.type === "tr_open") column = 0;
      if (token.type !== "td_open") return;
      const label = labels[column++];
      if (label) token.attrSet("data-label", label);
      if (text === "–" || text === "") token.attrSet("class", "nothing");
    });
  });
  // The theme's own tables can be scrolled sideways, so it has the keyboard reach them; ours fit.
  markdown.renderer.rules.table_open = (tokens, at, options, _, renderer) =>
    `<div class="${tokens[at]?.meta}">${renderer.renderToken(tokens, at, options)}`;
  markdown.renderer.rules.table_close = (tokens, at, options, _, renderer) =>
    `${renderer.renderToken(tokens, at, options)}</div>`;
}

function breakCode(markdown: MarkdownRenderer): void {
  const { code_inline: written } = markdown.renderer.rules;
  markdown.renderer.rules.code_inline = (tokens, at, ...rest) => {
    const html = written?.(tokens, at, ...rest) ?? "";
    const { content = "" } = tokens[at] ?? {};
    return content.length > UNBROKEN && !content.includes(" ")
      ? html.replace(/>([^<]*)</, (_, code: string) => `>${code.replaceAll(/[._/:](?=\w|\{)/g, "$&<wbr>")}<`)
      : html;
  };
}

/** The anchor of a heading, as GitHub makes it: links are written once, and lead there on both. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

export function withOurRules(markdown: MarkdownRenderer): void {
  linkOutside(markdown);
  labelCells(markdown);
  breakCode(markdown);
}
