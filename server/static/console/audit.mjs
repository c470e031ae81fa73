import { page } from "./api.mjs";
import { auditAddress, chosenObject, filterForm, filtersIn, queryOf } from "./auditFilters.mjs";
import { changeInWords, difference } from "./changes.mjs";
import { h, row, time } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { nothing, pages } from "./lists.mjs";

/** How many pages without a row of a filter are read on, until it is asked. */
const MAX_EMPTY = 5;

/** Who did what, newest first; with filters, and the difference that each change made. */
export async function audit(rest, caller) {
  const filters = filtersIn(rest.join("/"));
  const isFiltered = Object.keys(filters).length > 0;
  const list = pages({
    caption: "The audit log, newest first",
    columns: ["When", "Change", "Object", "Before → after", "By", "Project", "Row"],
    first: await found(`/audit_events?limit=100&names=true${queryOf(filters)}`),
    next: found,
    rowOf: (one) =>
      row(
        time(one.created_at),
        h("span", { title: one.action }, changeInWords(one)),
        one.object_id ? objectLink({ id: one.object_id, name: one.resource_name }) : "–",
        difference(one),
        [
          h(
            "a",
            { href: auditAddress({ ...filters, principal: one.principal_id }), title: "Only theirs" },
            one.principal_name || one.principal_id,
          ),
          one.key_id && h("div", { class: "hint" }, "with ", objectLink({ id: one.key_id })),
          one.client && h("div", { class: "hint" }, `from ${one.client}`),
        ],
        one.project ?? "–",
        /^au_(\d+)$/.exec(one.id)?.[1] ?? "–", // the number, where one may know it
      ),
    countOf: (shown, hasMore) =>
      hasMore ? `${shown} shown, and there ${isFiltered ? "may be" : "are"} more` : `${shown} in all`,
    empty: isFiltered
      ? nothing("No row is like that.", { next: "Take a filter away, or choose a longer time." })
      : nothing("Nothing has happened yet."),
  });
  return {
    title: "Audit log",
    nodes: [
      h(
        "p",
        { class: "lead" },
        "Rows are only ever added; ",
        h("code", {}, "tunnelplane audit verify"),
        " checks that nobody changed any.",
      ),
      filterForm(filters, caller),
      chosenObject(filters),
      list,
    ].filter(Boolean),
  };
}

/** A page with rows, where there are any within a few pages. */
async function found(path) {
  let answer = await page(path, "audit_events");
  for (let empty = 1; answer.items.length === 0 && answer.nextPage && empty < MAX_EMPTY; empty++)
    answer = await page(answer.nextPage, "audit_events");
  return answer;
}
