import { page } from "./api.mjs";
import { h, row, time } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { pages } from "./lists.mjs";

/** Who did what, newest first. */
export async function audit() {
  const list = pages({
    caption: "The audit log, newest first",
    columns: ["Row", "When", "Change", "Object", "Project", "By"],
    first: await page("/audit_events?limit=100", "audit_events"),
    next: (path) => page(path, "audit_events"),
    rowOf: (one) =>
      row(
        /^au_(\d+)$/.exec(one.id)?.[1] ?? "–", // the number, where one may know it
        time(one.created_at),
        [one.action, one.changed.length > 0 && h("div", { class: "hint" }, one.changed.join(", "))],
        one.object_id ? objectLink({ id: one.object_id }) : "–",
        one.project ?? "–",
        [
          one.principal_id,
          one.key_id && h("div", { class: "hint" }, "with ", objectLink({ id: one.key_id })),
          one.client && h("div", { class: "hint" }, `from ${one.client}`),
        ],
      ),
    empty: "Nothing has happened yet.",
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
      list,
    ],
  };
}
