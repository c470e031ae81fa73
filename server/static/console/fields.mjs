import { badge, h, time } from "./dom.mjs";
import { kindOfId, nameOf, objectLink } from "./links.mjs";
import { isId } from "./referred.mjs";

/**
 * Fields as a list of names and values; secrets are not shown, though the API may answer them.
 * @param secrets the paths of secret fields
 * @param names the names of objects that are referred to, by their ids
 */
export function fieldsOf(value, { secrets, names }, at = "") {
  return h(
    "dl",
    {},
    ...Object.entries(value).flatMap(([name, item]) => {
      const place = at ? `${at}.${name}` : name;
      return [
        h("dt", {}, names.has(name) ? objectLink({ id: name, name: names.get(name) }) : name),
        h(
          "dd",
          {},
          secrets.includes(place) && item
            ? badge("secret, not shown", "guard")
            : shown(item, { secrets, names }, place),
        ),
      ];
    }),
  );
}

function shown(value, look, place) {
  if (value === null) return h("span", { class: "hint" }, "not set");
  if (value === "") return h("span", { class: "hint" }, "empty");
  if (Array.isArray(value)) {
    if (value.length === 0) return h("span", { class: "hint" }, "none");
    return h("ul", {}, ...value.map((item) => h("li", {}, shown(item, look, place))));
  }
  if (typeof value === "object") {
    const names = Object.keys(value);
    if (isReference(value)) return objectLink({ ...value, name: look.names.get(value.id) });
    if (names.length === 0) return h("span", { class: "hint" }, "none");
    const kind = value.id && value.uri && kindOfId(value.id);
    return kind
      ? h(
          "details",
          {},
          h("summary", {}, nameOf(value) ?? value.id),
          objectLink(value),
          fieldsOf(value, { ...look, secrets: kind.secrets }),
        )
      : fieldsOf(value, look, place);
  }
  if (typeof value !== "string") return h("code", {}, String(value));
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return time(value);
  if (value.includes("\n") || value.length > 120) return h("pre", { tabindex: "0" }, value);
  return isId(value) ? objectLink({ id: value, name: look.names.get(value) }) : h("span", {}, value);
}

const OF_REFERENCES = ["id", "uri", "resource_name"];
const isReference = (value) =>
  value.id && value.uri && Object.keys(value).every((name) => OF_REFERENCES.includes(name));
