import { get } from "./api.mjs";
import { h } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { kindOfId, pageOf } from "./links.mjs";
import { problemOf } from "./problems.mjs";

/** How long nobody types before the server is asked. */
const PAUSE_MS = 150;
/** In characters, as the server bounds it. */
const MAX_LENGTH = 128;

/** The elements of the field, and of what was found. */
function elements() {
  const input = h("input", {
    id: "search",
    type: "search",
    role: "combobox",
    placeholder: "Search",
    title: "A part of a name, a host, a network, an address or an id",
    maxlength: String(MAX_LENGTH),
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
  return { input, list, note, panel, form };
}

/**
 * The one search: a field whose results are shown as one types. `/` opens it from anywhere, arrow keys choose a
 * result, Enter opens it, Escape closes.
 */
export class SearchField {
  #at = elements();
  #pause;
  /** Counts what was asked for, so that a late answer does not replace a later one. */
  #turn = 0;
  #results = [];
  #active = -1;
  #isWaiting = false;
  /** Whether Enter was pressed before there was an answer. */
  #isHasty = false;
  #before;

  constructor() {
    const { input, list, form } = this.#at;
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("keydown", (event) => this.#pressed(event));
    input.addEventListener("focus", () => this.#results.length > 0 && this.#open(true));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#isWaiting) this.#isHasty = true;
      else if (this.#results.length > 0) this.#choose(this.#results[Math.max(this.#active, 0)]);
    });
    form.addEventListener("focusout", ({ relatedTarget }) => {
      if (!form.contains(relatedTarget)) this.#open(false);
    });
    // The field keeps the focus while somebody presses on a result.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => {
      const index = [...list.children].indexOf(target.closest("[role=option]"));
      if (index >= 0) this.#choose(this.#results[index]);
    });
  }

  get form() {
    return this.#at.form;
  }

  /** Opens the field; Escape goes back to where the focus was. */
  focus() {
    const { input } = this.#at;
    this.#before = document.activeElement;
    input.focus();
    input.select();
  }

  #open(isOpen) {
    this.#at.panel.hidden = !isOpen;
    this.#at.input.setAttribute("aria-expanded", String(isOpen && this.#results.length > 0));
    if (!isOpen) this.#mark(-1);
  }

  #mark(index) {
    const { input, list } = this.#at;
    list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const option = list.children[index];
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  }

  #show(found, ...texts) {
    const { input, list, note } = this.#at;
    this.#results = found;
    this.#active = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(...found.map(optionOf));
    list.hidden = found.length === 0;
    note.replaceChildren(...texts);
    this.#open(true);
  }

  #clear() {
    clearTimeout(this.#pause);
    this.#turn++;
    this.#isWaiting = this.#isHasty = false;
    this.#show([]);
    this.#open(false);
  }

  #leave() {
    this.#at.input.value = "";
    this.#clear();
  }

  #choose(result) {
    this.#leave();
    const page = pageOfResult(result);
    // The heading of the page gets the focus once the page is there.
    if (page === location.hash) document.querySelector("h1")?.focus();
    else location.hash = page;
  }

  async #ask() {
    const text = this.#at.input.value.trim();
    const mine = ++this.#turn;
    try {
      const { results, has_more: hasMore } = await get(`/search?q=${encodeURIComponent(text)}`);
      if (mine !== this.#turn) return;
      this.#isWaiting = false;
      this.#show(results, countOf(results.length, hasMore, text));
      if (this.#isHasty && results[0]) this.#choose(results[0]);
    } catch (error) {
      if (mine !== this.#turn) return;
      this.#isWaiting = false;
      this.#show([], problemOf(error));
    }
    this.#isHasty = false;
  }

  #typed() {
    if (this.#at.input.value.trim() === "") return this.#clear();
    clearTimeout(this.#pause);
    this.#isHasty = false;
    this.#isWaiting = true;
    this.#pause = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  #pressed(event) {
    const { input, panel } = this.#at;
    const { length } = this.#results;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (length === 0) return;
      event.preventDefault();
      this.#open(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      const from = this.#active < 0 && step < 0 ? 0 : this.#active;
      this.#mark((from + step + length) % length);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (!panel.hidden) return this.#open(false);
      this.#leave();
      if (this.#before?.isConnected) this.#before.focus();
      else input.blur();
    }
  }
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
