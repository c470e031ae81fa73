/**
 * Makes an element. Texts become text nodes, never markup, so that nothing an object holds can become part of
 * the page.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat(9).filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

/** A table with a caption and headings, in a region that scrolls and that keys can reach. */
export function table(caption, columns, rows) {
  return region(caption, columns, h("tbody", {}, ...rows.map((one) => labelled(one, columns))));
}

/** A region with a table, whose body may still grow. */
export const region = (caption, columns, body) =>
  h(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, column)))),
      body,
    ),
  );

/** On phones a row is a card, and each of its cells says the heading of its column. */
export function labelled(line, columns) {
  for (const [index, cell] of [...line.cells].entries()) {
    if (index > 0) cell.dataset.column = columns[index] ?? "";
  }
  return line;
}

/** A row of a table; its first cell is its heading. */
export const row = (first, ...cells) =>
  h("tr", {}, h("th", { scope: "row" }, first), ...cells.map((cell) => h("td", {}, h("div", {}, cell))));

/** A time as people of this machine write it, and exactly for those who look closer. */
export function time(text) {
  if (!text) return "–";
  const shown = new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return h("time", { datetime: text, title: text }, shown);
}

export const badge = (text, kind = "plain") => h("span", { class: `badge ${kind}` }, text);

/** The marks of states: a state is never told by its colour alone. */
const MARKS = { ok: "✓", warning: "!", bad: "✕", unknown: "?" };

/**
 * The state of something, with its mark.
 * @param kind `ok`, `warning`, `bad` or `unknown`
 */
export const state = (text, kind) =>
  h(
    "span",
    { class: `badge ${kind}` },
    h("span", { class: "mark", "aria-hidden": "true" }, MARKS[kind]),
    text,
  );

/** What stands between backticks in a sentence of the server, set as code. */
export const inMarks = (sentence) =>
  sentence.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));

/** Texts as code, with commas between them. */
export const codes = (texts) => texts.flatMap((text, index) => [index > 0 && ", ", h("code", {}, text)]);
