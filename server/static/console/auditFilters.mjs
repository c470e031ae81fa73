import { get } from "./api.mjs";
import { KIND_CHOICES } from "./changes.mjs";
import { h } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { problemOf } from "./problems.mjs";

const CHANGES = ["created", "updated", "deleted", "expired"];
/** Actions that change no object. */
const OTHERS = [
  ["signed_in", "Signed in"],
  ["signed_out", "Signed out"],
  ["sign_in_refused", "Sign-in refused"],
  ["session_ended", "Session ended"],
  ["identity_token_exchanged", "Identity token exchanged"],
  ["identity_token_refused", "Identity token refused"],
  ["guarantee_set_aside", "Guarantee set aside"],
  ["user_created", "User created"],
  ["user_updated", "User updated"],
  ["gateway_deleted", "Gateway removed"],
  ["admin_key_recovered", "Admin key recovered"],
  ["master_key_added", "Master key added"],
  ["data_key_rotated", "Data key rotated"],
];
const HOUR = 3_600_000;
/** Times until now, by their names in the page's address. */
const PRESETS = {
  "1h": ["Last hour", HOUR],
  "24h": ["Last 24 hours", 24 * HOUR],
  "7d": ["Last 7 days", 7 * 24 * HOUR],
  "30d": ["Last 30 days", 30 * 24 * HOUR],
};
/** The filters that the page's address has, as the API takes them; `time` is a preset. */
const NAMES = ["object_id", "principal", "kind", "action", "project", "time", "from", "to"];

/** The filters that the page's address has. */
export function filtersIn(text) {
  const given = new URLSearchParams(text);
  return Object.fromEntries(NAMES.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])));
}

/** The address of the audit log with filters. */
export const auditAddress = (filters) => {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value));
  return `#/audit${query.size > 0 ? `/${query}` : ""}`;
};

/** The query that the API takes. */
export function queryOf({ time, ...filters }) {
  const length = PRESETS[time]?.[1];
  const query = new URLSearchParams({
    ...filters,
    ...(length && { from: new Date(Date.now() - length).toISOString() }),
  });
  return query.size > 0 ? `&${query}` : "";
}

/** A form for the filters; what is chosen becomes the page's address. */
export function filterForm(filters, caller) {
  const fields = {
    object_id: text("Object", { placeholder: "name or id", value: filters.object_id }),
    principal: text("By", { placeholder: "name or id", value: filters.principal }),
    kind: choice("Kind", [["", "All"], ...KIND_CHOICES], filters.kind),
    action: choice("Change", [["", "All"], ...CHANGES.map((one) => [one, one]), ...OTHERS], filters.action),
    ...(caller.account_role === "admin" &&
      caller.projects.length > 1 && {
        project: choice(
          "Project",
          [["", "All"], ...caller.projects.map(({ name }) => [name, name])],
          filters.project,
        ),
      }),
    time: choice(
      "Time",
      [
        ["", "Any"],
        ...Object.entries(PRESETS).map(([name, [title]]) => [name, title]),
        ["between", "Between …"],
      ],
      filters.time ?? (filters.from || filters.to ? "between" : ""),
    ),
    from: text("From", { type: "datetime-local", step: "1", value: local(filters.from) }),
    to: text("To", { type: "datetime-local", step: "1", value: local(filters.to) }),
  };
  const between = () => {
    for (const name of ["from", "to"]) fields[name].label.hidden = fields.time.control.value !== "between";
  };
  between();
  fields.time.control.addEventListener("change", between);
  const problem = h("div", { "aria-live": "polite" });
  const form = h(
    "form",
    { class: "filters", role: "search", "aria-label": "Filter the audit log" },
    ...Object.values(fields).map(({ label }) => label),
    h(
      "div",
      { class: "buttons" },
      h("button", { type: "submit" }, "Show"),
      h("a", { href: "#/audit" }, "Clear"),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.replaceChildren();
    const chosen = Object.fromEntries(
      Object.entries(fields).map(([name, { control }]) => [name, control.value.trim()]),
    );
    const isBetween = chosen.time === "between";
    for (const name of ["from", "to"])
      chosen[name] = isBetween && chosen[name] ? new Date(chosen[name]).toISOString() : "";
    if (isBetween) chosen.time = "";
    try {
      const found = await idsNamed(chosen.object_id);
      if (found.length !== 1) return problem.replaceChildren(...choicesOf(chosen, found));
      location.hash = auditAddress({ ...chosen, object_id: found[0].id });
    } catch (error) {
      problem.replaceChildren(problemOf(error));
    }
  });
  return h("div", {}, form, problem);
}

/** The objects that a text means: the one of an id, or those of a name. Without a text, any. */
async function idsNamed(text) {
  if (text === "" || /^[a-z]+_\w{20,}$/.test(text)) return [{ id: text }];
  const { results } = await get(`/search?limit=20&q=${encodeURIComponent(text)}`);
  const named = results.filter(({ resource_name: name }) => name === text);
  return named.length > 0 ? named : results;
}

const choicesOf = (chosen, found) =>
  found.length === 0
    ? [
        h(
          "p",
          { class: "hint" },
          `No object that is there now is called ${chosen.object_id}. Of one that was deleted, or a gateway or user, the id is needed.`,
        ),
      ]
    : [
        h("p", {}, "Which one?"),
        h(
          "ul",
          {},
          ...found.map((one) =>
            h(
              "li",
              {},
              h(
                "a",
                { href: auditAddress({ ...chosen, object_id: one.id }) },
                one.resource_name || one.title || one.id,
              ),
              h("span", { class: "hint" }, ` ${one.id}`),
            ),
          ),
        ),
      ];

/** A link to the object whose changes are shown; nothing if all are. */
export const chosenObject = ({ object_id: id }) => id && h("p", {}, "Changes of ", objectLink({ id }));

/** A moment as a field of a form has it, in the time of this machine. */
function local(moment) {
  if (!moment || Number.isNaN(Date.parse(moment))) return undefined;
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function text(name, { type = "text", ...props }) {
  const control = h("input", { type, autocomplete: "off", spellcheck: "false", ...props });
  return { control, label: h("label", {}, name, control) };
}

function choice(name, options, chosen) {
  const control = h(
    "select",
    {},
    ...options.map(([value, called]) => h("option", { value, selected: value === chosen }, called)),
  );
  return { control, label: h("label", {}, name, control) };
}
