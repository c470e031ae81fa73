import { get, page } from "./api.mjs";
import { changeInWords, differenceOf } from "./changes.mjs";
import { badge, codes, h, inMarks, row, state, time } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { addressPage, objectLink } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { problemOf } from "./problems.mjs";
import { seesAll } from "./who.mjs";

const STATES = { holds: "ok", broken: "bad", unproved: "unknown" };
/** Of how many objects on the way of a request the last change is shown. */
const MAX_CHANGED = 6;

/** Each guarantee, whether it holds, a request that breaks it, and who changed last what lets it through. */
export async function guarantees(_rest, caller) {
  const counted = { broken: 0, unproved: 0, holds: 0 };
  const list = pages({
    caption: "Guarantees, newest first",
    columns: ["Guarantee", "State", "Requests", "Addresses covered", "Why"],
    // The server judges those of a page together, and has its own limit of them.
    first: await page("/guarantees?state=true", "guarantees"),
    next: (path) => page(path, "guarantees"),
    rowOf: (one) => {
      counted[one.state]++;
      return row(
        objectLink({ ...one, name: one.description }),
        [state(one.state, STATES[one.state]), one.mode === "report" && badge("reported only")],
        requestsOf(one),
        String(one.covered),
        whyOf(one, caller),
      );
    },
    countOf: (shown, hasMore) =>
      `${shown} ${hasMore ? "shown, and there are more" : "in all"}: ${Object.entries(counted)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${count} ${name}`)
        .join(", ")}`,
    empty: nothing("No guarantee is declared yet.", {
      next: "A guarantee says which requests must be refused, or answered, whatever else changes. Declare the first one in a program:",
      snippet: KINDS.find(({ kind }) => kind === "guarantee").example,
      more: guide("how-to/guarantees.md", "Five guarantees that fit most teams"),
    }),
  });
  return {
    title: "Guarantees",
    nodes: [
      h(
        "p",
        { class: "lead" },
        "What must hold for requests. A change after which an enforced one would not hold is refused.",
      ),
      list,
    ],
  };
}

/** Fields that narrow the requests of a guarantee, with the words before their values. */
const NARROWING = [
  ["methods", "only"],
  ["networks", "from"],
  ["except_networks", "from outside of"],
];
const CARRIED = [
  ["client_certificate", "client certificate"],
  ["token", "token"],
  ["session", "session"],
];

function requestsOf(one) {
  const narrowed = [
    ...NARROWING.filter(([field]) => one[field].length > 0).map(([field, words]) => [
      `${words} `,
      codes(one[field]),
    ]),
    ...CARRIED.filter(([field]) => one[field] !== "any").map(([field, words]) => [
      one[field] === "none" ? `without ${words}` : `with an accepted ${words}`,
    ]),
  ];
  return [
    h("p", {}, `${one.expect}: `, codes(one.addresses)),
    narrowed.length > 0 && h("ul", {}, ...narrowed.map((words) => h("li", {}, words))),
  ].filter(Boolean);
}

/** Why it does not hold: the request, how it gets through, and the last changes on its way. */
function whyOf({ id, example, reason }, caller) {
  if (!example) return reason ?? "–";
  const { request, decision } = example;
  const isHttp = decision.status !== null || decision.address?.includes("/");
  const asked = isHttp
    ? `${request.method ?? "GET"} ${request.address}${request.path ?? "/"}`
    : request.address;
  const steps = decision.steps ?? [];
  return [
    h(
      "p",
      {},
      h("a", { href: addressPage(decision.address ?? request.address) }, asked),
      ` from ${request.from}, ${carriedIn(request)}`,
    ),
    h("p", {}, inMarks(decision.sentence)),
    steps.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, "The way of this request"),
        h(
          "ol",
          {},
          ...steps.map((step, index) =>
            h(
              "li",
              {},
              inMarks(step.sentence),
              " ",
              step.id && step.id !== steps[index - 1]?.id && objectLink(step),
            ),
          ),
        ),
      ),
    seesAll(caller) && lastChanges([...new Set([...steps.map((step) => step.id), id].filter(Boolean))]),
  ];
}

/** The certificate, token and session of a caller, in words. */
function carriedIn({ client_certificate: certificate, token, session }) {
  const shown = [
    certificate && "a client certificate",
    token && (token === "invalid" ? "a token that nobody accepts" : "a token"),
    session && "a session",
  ].filter(Boolean);
  return shown.length > 0 ? `with ${shown.join(", ")}` : "without certificate, token or session";
}

/** A part that opens, and then reads who changed these objects last. */
function lastChanges(ids) {
  const shown = h("div");
  const part = h("details", {}, h("summary", {}, "Who changed this last"), shown);
  part.addEventListener("toggle", async () => {
    if (!part.open || shown.hasChildNodes()) return;
    shown.replaceChildren(h("p", { class: "hint" }, "Loading …"));
    try {
      const answers = await Promise.all(
        ids.slice(0, MAX_CHANGED).map((id) => get(`/events?limit=1&object_id=${encodeURIComponent(id)}`)),
      );
      const events = answers
        .flatMap(({ events }) => events)
        .toSorted((a, b) => (a.event_timestamp < b.event_timestamp ? 1 : -1));
      shown.replaceChildren(
        events.length === 0
          ? h("p", { class: "hint" }, "Their last changes are too old: old events are removed.")
          : h("ul", {}, ...events.map(changeOf)),
      );
    } catch (error) {
      shown.replaceChildren(problemOf(error));
    }
  });
  return part;
}

function changeOf(event) {
  const { object, principal, event_type: type } = event;
  const words = changeInWords({ action: type.replace(/\.v\d+$/, ""), object_id: object.id });
  return h(
    "li",
    {},
    h("strong", {}, principal?.subject ?? "the server"),
    ", ",
    time(event.event_timestamp),
    `: ${words} `,
    objectLink({ ...object, name: object.description }),
    event.changes && differenceOf(event),
  );
}
