import { page } from "./api.mjs";
import { h, row, time } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { nameOf, objectLink, tellingOf } from "./links.mjs";
import { pages } from "./lists.mjs";
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
    empty: `There are none.`,
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
