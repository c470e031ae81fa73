import { h } from "../console/dom.mjs";
import { methodBadge } from "./operation.mjs";

/** More matches are counted, not listed. */
const MAX_MATCHES = 40;

/** Fills the navigation: a search, and the resources with the operations of the shown one. */
export function navigation(nav, document) {
  const input = h("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false" });
  const list = h("div", {});
  const menu = h("details", { class: "menu", open: matchMedia("(min-width: 60rem)").matches });
  const title = h("summary", {});
  menu.append(title, list);
  nav.replaceChildren(h("form", { role: "search" }, h("label", { for: "search" }, "Search"), input), menu);
  let shown = {};
  const draw = () => {
    const text = input.value.trim();
    if (text) menu.open = true;
    title.textContent = text ? "Calls that match" : "All resources";
    list.replaceChildren(...(text ? matches(document.search(text)) : [resources(document, shown)]));
  };
  input.addEventListener("input", draw);
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  return {
    show(found) {
      shown = found;
      if (!matchMedia("(min-width: 60rem)").matches) menu.open = false;
      draw();
      list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    },
  };
}

function matches(operations) {
  if (operations.length === 0) return [h("p", { class: "empty" }, "No call has these words.")];
  const more = operations.length - MAX_MATCHES;
  return [
    h("ul", { class: "calls" }, ...operations.slice(0, MAX_MATCHES).map((one) => callItem(one))),
    more > 0 && h("p", { class: "hint" }, `${more} more: another word narrows it down.`),
  ].filter(Boolean);
}

const resources = (document, { resource, operation }) =>
  h(
    "ul",
    {},
    ...document.resources.map((one) =>
      h(
        "li",
        {},
        h("a", { href: `#${one.name}`, "aria-current": one === resource && "page" }, one.title),
        one === resource &&
          h("ul", { class: "calls" }, ...one.operations.map((call) => callItem(call, call === operation))),
      ),
    ),
  );

const callItem = ({ id, method, path, summary }, isCurrent) =>
  h(
    "li",
    {},
    h(
      "a",
      { href: `#${id}`, title: summary, "aria-current": isCurrent && "location" },
      methodBadge(method),
      h("span", {}, ...breakable(path)),
    ),
  );

/** A path that goes on in the next line only after a slash. */
const breakable = (path) =>
  path.split(/(?<=.\/)/).flatMap((part, at) => (at > 0 ? [h("wbr"), part] : [part]));
