import { get } from "./api.mjs";
import { badge, h } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { kindOfId } from "./links.mjs";
import { problemOf } from "./problems.mjs";

/** Fields of a new or removed object that its id and the row beside it say already. */
const SAID = ["id", "uri", "created_at", "project_id"];
/** As many lines as people read; the object's own page has all of it. */
const MAX_LINES = 60;

/** The words of a change that names no fields. */
const WHOLE = { created: "the new object", deleted: "what it was" };

const changeOf = (action) => /_(created|updated|deleted|expired)$/.exec(action)?.[1];

/** A change in words: `IP policy updated`. */
export function changeInWords({ action, object_id: id }) {
  const kind = id && kindOfId(id);
  const change = changeOf(action);
  if (kind && change) return `${kind.one} ${change}`;
  const words = action.replaceAll("_", " ");
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

/**
 * A button that opens a row below its own, which reads the event of a change and shows the difference that it
 * made.
 */
export function difference({ event_id: id, action, changed }) {
  if (!id) return changed.length > 0 ? changed.join(", ") : "–";
  const words = changed.length > 0 ? changed.join(", ") : (WHOLE[changeOf(action)] ?? "the object");
  const button = h("button", { type: "button", class: "opener", "aria-expanded": "false" }, words);
  let opened;
  button.addEventListener("click", () => {
    const line = button.closest("tr");
    const opens = !opened?.isConnected;
    opened ??= rowBelow(line, id);
    if (opens) line.after(opened);
    else opened.remove();
    button.setAttribute("aria-expanded", String(opens));
  });
  return button;
}

/** A row as wide as the one above it, with the difference. */
function rowBelow({ cells }, id) {
  const shown = h("div", { "aria-live": "polite" }, h("p", { class: "hint" }, "Loading …"));
  get(`/events/${encodeURIComponent(id)}`).then(
    (event) => shown.replaceChildren(differenceOf(event)),
    (error) => shown.replaceChildren(problemOf(error)),
  );
  return h("tr", { class: "below" }, h("td", { colspan: cells.length }, shown));
}

/** The difference that an event tells, field by field. */
export function differenceOf(event) {
  const { event_type: type, object, changes } = event;
  const secrets = kindOfId(object.id)?.secrets ?? [];
  const isDeleted = type.includes("_deleted.");
  const lines =
    changes?.map(({ path, ...values }) => ({
      path,
      isSecret: !("old" in values || "new" in values),
      ...values,
    })) ?? fieldsIn(object).map(([path, value]) => (isDeleted ? { path, old: value } : { path, new: value }));
  const hidden = changes ? [] : secrets.map((path) => ({ path, isSecret: true }));
  const all = [...lines, ...hidden.filter(({ path }) => mayHold(object, path))];
  return h(
    "div",
    {},
    h(
      "dl",
      { class: "lines" },
      ...all
        .slice(0, MAX_LINES)
        .flatMap((line) => [
          h("dt", {}, h("code", {}, line.path || "the object")),
          h("dd", {}, ...valuesOf(line)),
        ]),
    ),
    all.length > MAX_LINES && h("p", { class: "hint" }, `And ${all.length - MAX_LINES} more fields.`),
  );
}

function valuesOf(line) {
  if (line.isSecret) return [badge("secret, not shown", "guard")];
  const before =
    "old" in line && h("del", {}, h("span", { class: "unseen" }, "before: "), shownValue(line.old));
  const after =
    "new" in line && h("ins", {}, h("span", { class: "unseen" }, "after: "), shownValue(line.new));
  return before && after ? [before, h("span", { "aria-hidden": "true" }, " → "), after] : [before || after];
}

function shownValue(value) {
  if (value === null || value === undefined) return "not set";
  if (value === "") return "empty";
  if (Array.isArray(value) && value.length === 0) return "none";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1).replace(/\s+/g, " ");
}

/** The fields of an object that hold something, by their paths; lists are values as a whole. */
function fieldsIn(value, at = "") {
  return Object.entries(value).flatMap(([name, item]) => {
    const path = at ? `${at}.${name}` : name;
    if ((at === "" && SAID.includes(name)) || isNothing(item)) return [];
    return typeof item === "object" && !Array.isArray(item) ? fieldsIn(item, path) : [[path, item]];
  });
}

const isNothing = (value) =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** Whether an object has what holds a secret: events leave out the secret itself. */
function mayHold(object, path) {
  const holder = path.split(".").slice(0, -1);
  return Boolean(holder.reduce((value, name) => value?.[name], object));
}

/** The sentence of a kind of object, for those who filter by it. */
export const KIND_CHOICES = KINDS.map(({ kind, one }) => [kind, one]);
