import { get, page } from "./api.mjs";
import { badge, h, row, state, table, time } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { nameOf, objectLink } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";

const MAX_DESTINATIONS = 20;
const STATUSES = [
  ["dead", "Dead letters"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["", "All"],
];

const STATES = { dead: "bad", pending: "unknown", delivered: "ok" };

/** Destinations with their dead letters and what waits, or the deliveries to one. */
export async function deliveries([id, status = "dead"]) {
  return id ? ofDestination(id, status) : destinations();
}

async function destinations() {
  const { event_destinations: all, next_page_uri: more } = await get(
    `/event_destinations?limit=${MAX_DESTINATIONS}`,
  );
  const counts = await Promise.all(
    all.map(({ id }) => Promise.all(["dead", "pending"].map((status) => countOf(id, status)))),
  );
  const rows = all.map((one, index) => {
    const [dead = "", pending = ""] = counts[index] ?? [];
    const [target = ""] = Object.entries(one.target).find(([, value]) => value !== null) ?? [];
    return row(
      h("a", { href: `#/deliveries/${one.id}` }, nameOf(one) ?? one.id),
      target.replaceAll("_", " "),
      dead === "0" ? badge(dead) : state(dead, "bad"),
      badge(pending),
    );
  });
  return {
    title: "Deliveries",
    nodes: [
      h(
        "p",
        { class: "lead" },
        "The state of events at each destination. A dead letter was given up; send it again with ",
        h("code", {}, "tunnelplane events replay"),
        ".",
      ),
      rows.length === 0
        ? nothing("There are no event destinations.", {
            next: "Events of changes go to services that a destination names, by a subscription. Declare both in a program:",
            snippet: ["event_destination", "event_subscription"]
              .map((name) => KINDS.find(({ kind }) => kind === name).example)
              .join("\n\n"),
            more: guide("how-to/event-pipelines.md", "Send events to your own services"),
          })
        : table("Event destinations", ["Destination", "Target", "Dead letters", "Pending"], rows),
      more &&
        h(
          "p",
          { class: "hint" },
          `Only the newest ${MAX_DESTINATIONS} destinations are shown; Objects lists all of them.`,
        ),
    ].filter(Boolean),
  };
}

async function countOf(id, status) {
  const { deliveries: some, next_page_uri: more } = await get(
    `/event_destinations/${id}/deliveries?status=${status}&limit=100`,
  );
  return more ? "more than 100" : String(some.length);
}

async function ofDestination(id, status) {
  const chosen = STATUSES.some(([name]) => name === status) ? status : "";
  const query = chosen ? `status=${chosen}&` : "";
  const list = pages({
    caption: `Deliveries to ${id}, newest event first`,
    columns: ["Event", "Status", "Object", "Attempts", "Answer of the service", "When"],
    first: await page(`/event_destinations/${id}/deliveries?${query}limit=100`, "deliveries"),
    next: (path) => page(path, "deliveries"),
    rowOf: (one) =>
      row(
        one.event_type,
        state(one.status, STATES[one.status]),
        objectLink({ id: one.object_id }),
        String(one.attempts),
        one.last_error ?? "–",
        time(one.event_timestamp),
      ),
    empty: "There are none of these.",
  });
  return {
    title: "Deliveries to a destination",
    nodes: [
      h("p", {}, objectLink({ id })),
      h(
        "nav",
        { "aria-label": "Status", class: "choices" },
        h(
          "ul",
          {},
          ...STATUSES.map(([name, title]) =>
            h(
              "li",
              {},
              h(
                "a",
                { href: `#/deliveries/${id}/${name || "all"}`, "aria-current": name === chosen && "true" },
                title,
              ),
            ),
          ),
        ),
      ),
      list,
    ],
  };
}
