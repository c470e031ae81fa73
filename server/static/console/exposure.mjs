import { get, page } from "./api.mjs";
import { askForm } from "./ask.mjs";
import { badge, codes, h, row } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { addressPage, objectLink } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { servingOf } from "./serving.mjs";
import { targetInWords, targetTree } from "./targets.mjs";

/** Every address, who may connect, and what is asked of them. */
export async function exposure() {
  const input = h("input", {
    id: "address",
    name: "address",
    placeholder: "app.example.com:443",
    autocomplete: "off",
    spellcheck: "false",
  });
  const form = h(
    "form",
    { class: "find", role: "search", "aria-label": "Addresses" },
    h("label", { for: "address" }, "Find an address"),
    input,
    h("button", { type: "submit" }, "Show its path"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) location.hash = addressPage(input.value.trim());
  });
  const list = pages({
    caption: "Addresses, in their order",
    columns: ["Address", "Who may connect", "What is asked of them", "Goes to"],
    first: await page("/exposure?limit=100", "exposure"),
    next: (path) => page(path, "exposure"),
    rowOf: (one) =>
      row(
        [
          h("a", { href: addressPage(one.address) }, one.address),
          one.edge && !one.address.startsWith(one.edge.name) && h("div", { class: "hint" }, one.edge.name),
        ],
        badge(
          one.words.find(({ field }) => field === "networks").text,
          one.networks === "everyone" && one.checks.length === 0
            ? "open"
            : one.networks === "nobody"
              ? "shut"
              : "plain",
        ),
        one.checks.join(", ") || "nothing",
        targetInWords(one.goes_to),
      ),
    empty: nothing("No edge serves anything yet.", {
      next: "Declare an edge and what it serves in a program, or try the tutorial:",
      snippet: KINDS.find(({ kind }) => kind === "tls_edge").example,
      more: guide("tutorial.md", "From nothing to a tunnel"),
    }),
  });
  return {
    title: "Exposure",
    nodes: [h("p", { class: "lead" }, "Who can reach what is behind each address."), form, list],
  };
}

/** The path of a request to one address, drawn step by step. */
export async function address([encoded = ""]) {
  const wanted = decodeURIComponent(encoded);
  const { exposure: rows } = await get(`/exposure?address=${encodeURIComponent(wanted)}`);
  if (rows.length === 0)
    return {
      title: wanted,
      nodes: [h("p", { class: "empty" }, "Nothing is served at this address."), askForm(wanted, rows)],
    };
  const many = rows.length > 1;
  return {
    title: wanted,
    nodes: [
      h("p", {}, h("a", { href: "#/exposure" }, "All addresses")),
      ...rows.map((one) =>
        h(
          "section",
          { "aria-label": `Path to ${one.address}` },
          many && h("h2", {}, one.address),
          servingOf(one, many ? "h3" : "h2"),
          path(one, many ? "h3" : "h2"),
        ),
      ),
      askForm(wanted, rows),
    ],
  };
}

/** @param heading the level of its headings */
function path(one, heading) {
  return h(
    "div",
    {},
    h("ol", { class: "path" }, ...stepsOf(one, heading)),
    one.notes.length > 0 &&
      h(
        "div",
        { class: "notes" },
        h(heading, {}, "Worth knowing"),
        h("ul", {}, ...one.notes.map((note) => h("li", {}, note))),
      ),
    one.unknown.length > 0 &&
      h(
        "p",
        { class: "problem" },
        `Not wholly known, because there is more than one answer looks at: ${one.unknown.join(", ")}.`,
      ),
  );
}

function stepsOf(one, heading) {
  const step = (kind, title, ...content) =>
    h("li", { class: kind }, h(heading, { class: "step" }, title), h("div", {}, ...content));
  const { networks, edge, route } = one;
  const texts = new Map(one.words.map((words) => [words.field, words]));
  const guards = one.words.filter(({ field, text }) => text !== null && !DRAWN.has(field));
  return [
    step(
      networks === "everyone" ? "open" : networks === "nobody" ? "shut" : "guard",
      "Clients",
      h("p", {}, texts.get("networks").text),
    ),
    edge &&
      step(
        "place",
        route ? "Edge and route" : "Edge",
        h("p", {}, objectLink(edge)),
        route && h("p", {}, "→ ", objectLink({ ...route, parent_id: edge.id })),
        h("p", {}, `TLS ${texts.get("tls").text}`),
      ),
    ...guards.map(({ field, title, text }) =>
      step("guard", title, h("p", {}, text), ...(MORE[field]?.(one[field]) ?? [])),
    ),
    ...one.actions.map((action) =>
      step(
        action.type === "deny" && !action.conditional ? "shut" : "act",
        `${action.type}, ${action.direction}`,
        action.settings && h("p", {}, action.settings),
        h("p", {}, action.conditional ? ["where ", codes(action.expressions)] : "always"),
      ),
    ),
    step(
      ["missing", "cycle", "disabled"].includes(one.goes_to.kind) ? "shut" : "target",
      "Backend",
      targetTree(one.goes_to),
    ),
    (one.served_by.credentials.length > 0 || one.served_by.others > 0) &&
      step(
        "target",
        "May be served by",
        h(
          "ul",
          {},
          ...one.served_by.credentials.map((credential) => h("li", {}, objectLink(credential))),
          one.served_by.others > 0 && h("li", {}, `${one.served_by.others} more that you do not see`),
        ),
      ),
  ].filter(Boolean);
}

/** Values that the words of a field leave out. */
const MORE = {
  client_certificate: ({ authorities }) =>
    authorities
      .filter(({ not_after }) => not_after)
      .map(({ subject, not_after }) => h("p", {}, codes([subject]), ` until ${not_after.slice(0, 10)}`)),
  token: ({ algorithms }) => [h("p", {}, "signed with ", codes(algorithms))],
  sign_in: ({ options_passthrough }) =>
    options_passthrough ? [h("p", {}, "OPTIONS requests pass without it.")] : [],
};

/** Fields that have a step of their own. */
const DRAWN = new Set(["networks", "tls", "actions"]);
