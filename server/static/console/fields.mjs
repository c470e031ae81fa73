import { badge, h, time } from "./dom.mjs";
import { kindOfId, nameOf, objectLink } from "./links.mjs";

/** Fields as a list of names and values; secrets are not shown, though the API may answer them. */
export function fieldsOf(value, secrets, at = "") {
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
    if (isReference(value)) return objectLink(value);
    if (names.length === 0) return h("span", { class: "hint" }, "none");
    const kind = value.id && value.uri && kindOfId(value.id);
    return kind
      ? h(
          "details",
          {},
          h("summary", {}, nameOf(value) ?? value.id),
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

const OF_REFERENCES = ["id", "uri", "resource_name"];
const isReference = (value) =>
  value.id && value.uri && Object.keys(value).every((name) => OF_REFERENCES.includes(name));
