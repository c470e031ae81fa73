import { pathOf } from "./api.mjs";
import { h } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";

/** The kind of the object that an id names, by what the id begins with. */
export const kindOfId = (id) => KINDS.find(({ idPrefix }) => id.slice(0, id.lastIndexOf("_")) === idPrefix);

/** The fields that name an object for people, if no program gave it a name. */
const NAMING = ["description", "name", "subject_common_name"];
/** The fields that tell an object from others at a glance, in the order in which they are shown. */
const TELLING = ["hostports", "match", "cidr", "address", "labels", "principals", "acl", ...NAMING];

/** The name of an object for people; undefined if only its id names it. */
export const nameOf = (one) => one.resource_name || textsOf(one, [...NAMING, ...TELLING])[0] || undefined;

/** A text that tells more of an object than its name. */
export const tellingOf = (one) => textsOf(one, TELLING).find((text) => text !== nameOf(one)) ?? "–";

const textsOf = (one, fields) => fields.map((field) => textOf(one[field])).filter((text) => text !== "");

function textOf(value) {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value))
    return value.slice(0, 3).join(", ") + (value.length > 3 ? ` and ${value.length - 3} more` : "");
  return typeof value === "object"
    ? Object.entries(value)
        .map(([name, of]) => `${name}=${of}`)
        .join(", ")
    : String(value);
}

/**
 * The address of an object's page in the console: by its address in the API where that is known, else by its
 * id. Undefined if nothing has such an id.
 * @param parent_id the object that it belongs to, where its address needs one
 */
export function pageOf({ id = "", uri, parent_id: parent }) {
  if (uri) return `#/object${pathOf(uri)}`;
  const path = kindOfId(id)?.path;
  if (!path) return undefined;
  if (path.includes("{") && !parent) return `#/find/${id}`;
  return `#/object${path.replace(/\{\w+\}/, parent)}/${id}`;
}

/** An object by its name, which leads to its page, and by its id after that. */
export function objectLink(one) {
  const { id } = one;
  const text = one.resource_name || one.name || id;
  const page = pageOf(one);
  const link = page ? h("a", { href: page }, text) : h("span", {}, text);
  return id && text !== id ? h("span", { class: "named" }, link, " ", idOf(id)) : link;
}

/** An id, which is read after a name. */
export const idOf = (id) => h("code", { class: "id" }, id);

/** The address of the page that says who may reach an address. */
export const addressPage = (address) => `#/address/${encodeURIComponent(address)}`;

/** Where a page is: the lists and objects above it. */
export const trailOf = (links) =>
  h(
    "nav",
    { "aria-label": "Above", class: "trail" },
    h("ol", {}, ...links.filter(Boolean).map((link) => h("li", {}, link))),
  );
