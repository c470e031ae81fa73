import { page } from "./api.mjs";
import { h, row, time } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { nameOf, objectLink, tellingOf } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { seesAll } from "./who.mjs";

/** The objects of a kind. */
export async function objects([kind], caller) {
  const kinds = KINDS.filter(
    ({ path, access }) => !path.includes("{") && (access !== "admin" || seesAll(caller)),
  );
  const chosen = kinds.find((one) => one.kind === kind) ?? kinds[0];
  const list = pages({
    caption: `${chosen.title}, newest first`,
    columns: ["Name", "What it is", "Created"],
    first: await page(`${chosen.path}?limit=100&names=true`, chosen.listKey),
    next: (path) => page(path, chosen.listKey),
    rowOf: (one) => row(objectLink({ ...one, name: nameOf(one) }), tellingOf(one), time(one.created_at)),
    empty: nothing(`There are no ${inSentence(chosen.title)} yet.`, {
      next: "Declare the first one in a program:",
      snippet: chosen.example,
      more: guide(`reference/${chosen.kind}.md`, "All of its fields"),
    }),
  });
  return {
    title: "Objects",
    nodes: [
      h(
        "div",
        { class: "columns" },
        h(
          "nav",
          { "aria-label": "Kinds of objects", class: "kinds" },
          h(
            "ul",
            {},
            ...kinds.map((one) =>
              h(
                "li",
                {},
                h(
                  "a",
                  { href: `#/objects/${one.kind}`, "aria-current": one === chosen && "true" },
                  one.title,
                ),
              ),
            ),
          ),
        ),
        h(
          "section",
          { "aria-label": chosen.title },
          h("h2", {}, chosen.title),
          h("p", { class: "lead" }, chosen.doc),
          list,
        ),
      ),
    ],
  };
}

/** A title inside a sentence; abbreviations keep their letters. */
const inSentence = (title) =>
  /^[A-Z][a-z]/.test(title) ? `${title[0].toLowerCase()}${title.slice(1)}` : title;
