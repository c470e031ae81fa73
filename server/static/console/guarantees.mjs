import { page } from "./api.mjs";
import { badge, codes, h, inMarks, row, state } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { pages } from "./lists.mjs";

/** Each guarantee, whether it holds, and a request that breaks it. */
export async function guarantees() {
  const list = pages({
    caption: "Guarantees, newest first",
    columns: ["Guarantee", "State", "Requests", "Addresses covered", "Why"],
    // The server judges those of a page together, and has its own limit of them.
    first: await page("/guarantees?state=true", "guarantees"),
    next: (path) => page(path, "guarantees"),
    rowOf: (one) =>
      row(
        objectLink({ ...one, name: one.description }),
        [state(one.state, STATES[one.state]), one.mode === "report" && [" ", badge("reported only")]].flat(),
        requestsOf(one),
        String(one.covered),
        whyOf(one),
      ),
    empty: "No guarantee is declared yet.",
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

const STATES = { holds: "ok", broken: "bad", unproved: "unknown" };

/** What narrows the requests of a guarantee: its field, and words before the value. */
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

function whyOf({ example, reason }) {
  if (!example) return reason ?? "–";
  const { request, decision } = example;
  const isHttp = decision.status !== null || decision.address?.includes("/");
  const asked = isHttp
    ? `${request.method ?? "GET"} ${request.address}${request.path ?? "/"}`
    : request.address;
  return [
    h(
      "p",
      {},
      h("a", { href: `#/address/${encodeURIComponent(decision.address ?? request.address)}` }, asked),
      ` from ${request.from}`,
    ),
    h("p", {}, inMarks(decision.sentence)),
  ];
}
