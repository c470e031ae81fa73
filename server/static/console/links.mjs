import { pathOf } from "./api.mjs";
import { h } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";

/** The kind of the object that an id names, by what the id begins with. */
export const kindOfId = (id) => KINDS.find(({ idPrefix }) => id.slice(0, id.lastIndexOf("_")) === idPrefix);

/** A link to an object's own page: by its address where that is known, else by its id. */
export function objectLink({ id, uri, name }) {
  const text = name || id;
  const path = uri
    ? pathOf(uri)
    : id && kindOfId(id) && !kindOfId(id).path.includes("{")
      ? `${kindOfId(id).path}/${id}`
      : undefined;
  return path
    ? h("a", { href: `#/object${path}`, title: text === id ? undefined : id }, text)
    : h("span", {}, text ?? name);
}
