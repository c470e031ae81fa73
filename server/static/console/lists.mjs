import { h, labelled, region } from "./dom.mjs";
import { problemOf } from "./problems.mjs";

const DOCUMENTS = "https://github.com/tunnelplane/tunnelplane/blob/main/docs";

/** A link to a page of the documentation. */
export const guide = (page, text) => h("a", { href: `${DOCUMENTS}/${page}` }, text);

/**
 * The advice in the place of a list without entries.
 * @param sentence says what there is none of
 * @param next what to do to have the first one
 * @param snippet a command or program that does it
 * @param more a link to read on
 */
export const nothing = (sentence, { next, snippet, more } = {}) =>
  h(
    "div",
    { class: "empty" },
    h("p", {}, sentence),
    next && h("p", {}, next),
    snippet && h("pre", { tabindex: "0" }, snippet),
    more && h("p", {}, more),
  );

/**
 * A list that shows one page after the other: as many as were read, and a button for more.
 * @param empty a sentence, or an element, for a list without entries
 * @param countOf says how many are shown, and whether there are more
 */
export function pages({ caption, columns, rowOf, first, empty, next, countOf = allOf }) {
  const body = h("tbody");
  const more = h("button", { type: "button", class: "more" }, "Show more");
  const count = h("p", { class: "count", role: "status" });
  const problem = h("div");
  let shown = 0;
  let following;
  const add = ({ items, nextPage }) => {
    body.append(...items.map((item) => labelled(rowOf(item), columns)));
    shown += items.length;
    following = nextPage;
    more.hidden = !nextPage;
    count.textContent = countOf(shown, Boolean(nextPage));
  };
  more.addEventListener("click", async () => {
    more.disabled = true;
    problem.replaceChildren();
    const at = body.rows.length;
    try {
      add(await next(following));
      // The first new row gets the focus, so that keys and readers go on where they were.
      const target = body.rows[at]?.querySelector("a, button, summary");
      target?.focus();
    } catch (error) {
      problem.replaceChildren(problemOf(error));
    } finally {
      more.disabled = false;
    }
  });
  add(first);
  if (shown === 0 && !following) return typeof empty === "string" ? nothing(empty) : empty;
  return h("div", {}, region(caption, columns, body), count, problem, more);
}

const allOf = (shown, hasMore) => (hasMore ? `${shown} shown, and there are more` : `${shown} in all`);
