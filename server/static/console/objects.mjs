import { get, page } from "./api.mjs";
import { badge, h, row, time } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { kindOfId, objectLink } from "./links.mjs";
import { pages } from "./lists.mjs";
import { seesAll } from "./who.mjs";

/** What tells an object from others at a glance, the first that it has. */
const TELLING = [
  "hostports",
  "name",
  "match",
  "cidr",
  "address",
  "labels",
  "subject_common_name",
  "principals",
  "description",
  "acl",
];

/** The objects of a kind. */
export async function objects([kind], caller) {
  const kinds = KINDS.filter(
    ({ path, access }) => !path.includes("{") && (access !== "admin" || seesAll(caller)),
  );
  const chosen = kinds.find((one) => one.kind === kind) ?? kinds[0];
  const input = h("input", { id: "id", placeholder: "edgtls_…", autocomplete: "off", spellcheck: "false" });
  const problem = h("p", { role: "alert", class: "problem" });
  const form = h(
    "form",
    { class: "find", role: "search" },
    h("label", { for: "id" }, "Open by id"),
    input,
    h("button", { type: "submit" }, "Open"),
    problem,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const id = input.value.trim();
    const found = kindOfId(id);
    problem.textContent =
      found && !found.path.includes("{") ? "" : "No kind of object that is listed here has such an id.";
    if (!problem.textContent) location.hash = `#/object${found.path}/${id}`;
  });
  const list = pages({
    caption: `${chosen.title}, newest first`,
    columns: ["Id", "What it is", "Created"],
    first: await page(`${chosen.path}?limit=100`, chosen.listKey),
    next: (path) => page(path, chosen.listKey),
    rowOf: (one) => row(objectLink(one), tellingOf(one), time(one.created_at)),
    empty: `There are none.`,
  });
  return {
    title: "Objects",
    nodes: [
      form,
      h(
        "div",
        { class: "columns" },
        h(
          "nav",
          { "aria-label": "Kinds of objects", class: "kinds" },
          h(
            "ul",
            {},
            ...kinds.map((one) =>
              h(
                "li",
                {},
                h(
                  "a",
                  { href: `#/objects/${one.kind}`, "aria-current": one === chosen && "true" },
                  one.title,
                ),
              ),
            ),
          ),
        ),
        h(
          "section",
          { "aria-label": chosen.title },
          h("h2", {}, chosen.title),
          h("p", { class: "lead" }, chosen.doc),
          list,
        ),
      ),
    ],
  };
}

/** One object: its fields, and what refers to it. */
export async function object(rest) {
  const path = `/${rest.join("/")}`;
  const found = await get(path);
  const kind = kindOfId(found.id);
  const referrers = await page(`/references?object_id=${encodeURIComponent(found.id)}`, "references");
  return {
    title: `${kind?.one ?? "Object"} ${found.id}`,
    nodes: [
      h("p", { class: "lead" }, kind?.doc),
      h("section", {}, h("h2", {}, "Fields"), fieldsOf(found, kind?.secrets ?? [])),
      h(
        "section",
        {},
        h("h2", {}, "What refers to it"),
        pages({
          caption: `Objects that refer to ${found.id}`,
          columns: ["Object", "Kind", "In its fields"],
          first: referrers,
          next: (following) => page(following, "references"),
          rowOf: (one) =>
            row(
              objectLink(one),
              KINDS.find((known) => known.kind === one.kind)?.one ?? one.kind,
              h("code", {}, one.fields.join(", ")),
            ),
          empty: "Nothing refers to it.",
        }),
      ),
    ],
  };
}

export function tellingOf(one) {
  const name = TELLING.find(
    (field) => one[field] !== undefined && one[field] !== "" && text(one[field]) !== "",
  );
  return name ? text(one[name]) : "–";
}

const text = (value) =>
  Array.isArray(value)
    ? value.slice(0, 3).join(", ") + (value.length > 3 ? ` and ${value.length - 3} more` : "")
    : typeof value === "object" && value !== null
      ? Object.entries(value)
          .map(([name, of]) => `${name}=${of}`)
          .join(", ")
      : String(value);

/** Fields as a list of names and values; secrets are not shown, though the API may answer them. */
function fieldsOf(value, secrets, at = "") {
  return h(
    "dl",
    {},
    ...Object.entries(value).flatMap(([name, item]) => {
      const place = at ? `${at}.${name}` : name;
      return [
        h("dt", {}, name),
        h(
          "dd",
          {},
          secrets.includes(place) && item ? badge("secret, not shown", "guard") : shown(item, secrets, place),
        ),
      ];
    }),
  );
}

function shown(value, secrets, place) {
  if (value === null) return h("span", { class: "hint" }, "not set");
  if (value === "") return h("span", { class: "hint" }, "empty");
  if (Array.isArray(value)) {
    if (value.length === 0) return h("span", { class: "hint" }, "none");
    return h("ul", {}, ...value.map((item) => h("li", {}, shown(item, secrets, place))));
  }
  if (typeof value === "object") {
    const names = Object.keys(value);
    if (names.length === 2 && value.id && value.uri) return objectLink(value);
    if (names.length === 0) return h("span", { class: "hint" }, "none");
    const kind = value.id && value.uri && kindOfId(value.id);
    return kind
      ? h(
          "details",
          {},
          h("summary", {}, `${value.id}: ${tellingOf(value)}`),
          objectLink(value),
          fieldsOf(value, kind.secrets),
        )
      : fieldsOf(value, secrets, place);
  }
  if (typeof value !== "string") return h("code", {}, String(value));
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return time(value);
  if (value.includes("\n") || value.length > 120) return h("pre", { tabindex: "0" }, value);
  return kindOfId(value) && /_\w{27}$/.test(value) ? objectLink({ id: value }) : h("span", {}, value);
}
