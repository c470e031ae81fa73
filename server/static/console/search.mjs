import { get } from "./api.mjs";
import { h } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { kindOfId, pageOf } from "./links.mjs";
import { problemOf } from "./problems.mjs";

/** How long nobody types before the server is asked. */
const PAUSE_MS = 150;
/** In characters, as the server bounds it. */
const LONGEST = 128;

/**
 * The one search: a field whose results are shown as one types. `/` opens it from anywhere, arrow keys choose a
 * result, Enter opens it, Escape closes.
 */
export function searchField() {
  const input = h("input", {
    id: "search",
    type: "search",
    role: "combobox",
    placeholder: "Search",
    title: "A part of a name, a host, a network, an address or an id",
    maxlength: String(LONGEST),
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-expanded": "false",
    "aria-controls": "found",
    "aria-autocomplete": "list",
    "aria-keyshortcuts": "/",
  });
  const list = h("ul", { id: "found", role: "listbox", "aria-label": "Found" });
  const note = h("div", { class: "note", role: "status" });
  const panel = h("div", { class: "panel", hidden: true }, list, note);
  const form = h(
    "form",
    { role: "search", "aria-label": "Everything" },
    h("label", { for: "search", class: "unseen" }, "Search"),
    h("span", { class: "key", "aria-hidden": "true" }, "/"),
    input,
    panel,
  );
  let pause;
  /** Counts what was asked for, so that a late answer does not replace a later one. */
  let turn = 0;
  let results = [];
  let active = -1;
  let isWaiting = false;
  /** Whether Enter was pressed before there was an answer. */
  let isHasty = false;
  let before;

  const open = (isOpen) => {
    panel.hidden = !isOpen;
    input.setAttribute("aria-expanded", String(isOpen && results.length > 0));
    if (!isOpen) mark(-1);
  };
  const mark = (index) => {
    list.children[active]?.setAttribute("aria-selected", "false");
    active = index;
    const option = list.children[active];
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  };
  const show = (found, ...words) => {
    results = found;
    active = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(...found.map(optionOf));
    list.hidden = found.length === 0;
    note.replaceChildren(...words);
    open(true);
  };
  const leave = () => {
    clearTimeout(pause);
    turn++;
    isWaiting = isHasty = false;
    input.value = "";
    show([]);
    open(false);
  };
  const choose = (result) => {
    leave();
    const page = pageOfResult(result);
    // The heading of the page gets the focus once the page is there.
    if (page === location.hash) document.querySelector("h1")?.focus();
    else location.hash = page;
  };
  const ask = async () => {
    const text = input.value.trim();
    const mine = ++turn;
    try {
      const { results: found, has_more: hasMore } = await get(`/search?q=${encodeURIComponent(text)}`);
      if (mine !== turn) return;
      isWaiting = false;
      show(found, countOf(found.length, hasMore, text));
      if (isHasty && found[0]) choose(found[0]);
    } catch (error) {
      if (mine !== turn) return;
      isWaiting = false;
      show([], problemOf(error));
    }
    isHasty = false;
  };

  input.addEventListener("input", () => {
    clearTimeout(pause);
    isHasty = false;
    if (input.value.trim() === "") {
      turn++;
      isWaiting = false;
      show([]);
      open(false);
      return;
    }
    isWaiting = true;
    pause = setTimeout(ask, PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (results.length === 0) return;
      event.preventDefault();
      open(true);
      const step = key === "ArrowDown" ? 1 : -1;
      const from = active < 0 && step < 0 ? 0 : active;
      mark((from + step + results.length) % results.length);
    } else if (key === "Escape") {
      event.preventDefault();
      if (!panel.hidden) return open(false);
      leave();
      if (before?.isConnected) before.focus();
      else input.blur();
    }
  });
  input.addEventListener("focus", () => {
    if (results.length > 0) open(true);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isWaiting) isHasty = true;
    else if (results.length > 0) choose(results[Math.max(active, 0)]);
  });
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) open(false);
  });
  // The field keeps the focus while somebody presses on a result.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const index = [...list.children].indexOf(target.closest("[role=option]"));
    if (index >= 0) choose(results[index]);
  });
  return {
    form,
    /** Opens the field; Escape goes back to where the focus was. */
    focus() {
      before = document.activeElement;
      input.focus();
      input.select();
    },
  };
}

/** Whether a key press belongs to a field into which one types. */
export const isTyping = ({ target }) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** The page of a result: of its module, where the text that was found is in one. */
function pageOfResult(result) {
  const [field] = result.matched.field.split(/[.[]/);
  const isModule = kindOfId(result.id)?.modules.some(({ name }) => name === field);
  return isModule ? `${pageOf(result)}/${field}` : pageOf(result);
}

/** A result: its type and name, then its id, and the text that was found where that is neither. */
function optionOf({ id, kind, resource_name: name, title, matched }, index) {
  const shown = name || title || id;
  const isSaid = [shown, id].includes(matched.text);
  return h(
    "li",
    { id: `found-${index}`, role: "option", "aria-selected": "false" },
    h("span", { class: "kind" }, KINDS.find((one) => one.kind === kind)?.one ?? kind),
    " ",
    h("strong", {}, shown),
    " ",
    shown !== id && h("code", { class: "id" }, id),
    !isSaid && [
      " ",
      h("span", { class: "matched" }, `${matched.field.replace(/\[\d+\]/g, "")}: ${matched.text}`),
    ],
  );
}

function countOf(count, hasMore, text) {
  if (count === 0) return `Nothing that you may see has “${text}” in it.`;
  if (hasMore) return `The first ${count}: type more to find others.`;
  return count === 1 ? "1 found" : `${count} found`;
}

/** Goes on to the page of the object that has an id, where only a search knows its address. */
export async function find([id = ""]) {
  const { results } = await get(`/search?q=${encodeURIComponent(id)}&limit=1`);
  const found = results.find((one) => one.id === id);
  if (!found) return { title: id, nodes: [h("p", { class: "empty" }, "There is no such object any more.")] };
  location.replace(pageOf(found));
  return { title: found.title, nodes: [] };
}
