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
  return h(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, column)))),
      h("tbody", {}, ...rows),
    ),
  );
}

/** A row of a table; its first cell is its heading. */
export const row = (first, ...cells) =>
  h("tr", {}, h("th", { scope: "row" }, first), ...cells.map((cell) => h("td", {}, cell)));

/** A time as people of this machine write it, and exactly for those who look closer. */
export function time(text) {
  if (!text) return "–";
  const shown = new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return h("time", { datetime: text, title: text }, shown);
}

export const badge = (text, kind = "plain") => h("span", { class: `badge ${kind}` }, text);

/** What stands between backticks in a sentence of the server, set as code. */
export const inMarks = (sentence) =>
  sentence.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));

/** Texts as code, with commas between them. */
export const codes = (texts) => texts.flatMap((text, index) => [index > 0 && ", ", h("code", {}, text)]);

/** A list that shows one page after the other: as many as were read, and a button for more. */
export function pages({ caption, columns, rowOf, first, empty, next }) {
  const body = h("tbody");
  const more = h("button", { type: "button", class: "more" }, "Show more");
  const count = h("p", { class: "count" });
  const head = h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, column))));
  const region = h(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    h("table", {}, h("caption", {}, caption), head, body),
  );
  let shown = 0;
  let following;
  const add = ({ items, nextPage }) => {
    body.append(...items.map(rowOf));
    shown += items.length;
    following = nextPage;
    more.hidden = !nextPage;
    count.textContent = nextPage ? `${shown} shown, and there are more` : `${shown} in all`;
  };
  more.addEventListener("click", async () => {
    more.disabled = true;
    const at = shown;
    try {
      add(await next(following));
      // The first new row gets the focus, so that keys and readers go on where they were.
      const target = body.rows[at]?.querySelector("a, button");
      target?.focus();
    } finally {
      more.disabled = false;
    }
  });
  add(first);
  return shown === 0 ? h("p", { class: "empty" }, empty) : h("div", {}, region, count, more);
}
