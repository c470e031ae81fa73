import { h, row, table } from "./dom.mjs";
import { fieldsOf } from "./fields.mjs";
import { idOf, nameOf, trailOf } from "./links.mjs";

/** The modules of an edge or route: each has an address of its own. */
export function modulesOf(kind, path, found, names) {
  return h(
    "section",
    {},
    h("h2", {}, "Modules"),
    table(
      `Modules of ${nameOf(found) ?? found.id}`,
      ["Module", "State", "Settings"],
      kind.modules
        .toSorted((a, b) => Number(found[a.name] === null) - Number(found[b.name] === null))
        .map(({ name, doc }) =>
          row(
            moduleLink(path, name),
            stateOf(found[name]),
            found[name]
              ? fieldsOf(settingsOf(found[name]), { secrets: kind.secrets, names }, name)
              : h("span", { class: "hint" }, doc),
          ),
        ),
    ),
  );
}

/** The page of one module. */
export function modulePage({ kind, path, module: name, found, above, names }, trail) {
  const { doc } = kind.modules.find((one) => one.name === name);
  const owner = nameOf(found) ?? found.id;
  const settings = found[name];
  return {
    title: `${name} of ${owner}`,
    nodes: [
      trailOf([...trail, h("a", { href: `#/object${path}` }, owner)]),
      h("p", { class: "lead" }, doc),
      h("p", {}, stateOf(settings), ` in the ${kind.one} `, owner, " ", idOf(found.id)),
      above && h("p", { class: "hint" }, `The route is one of the edge ${nameOf(above) ?? above.id}.`),
      settings &&
        h("section", {}, h("h2", {}, "Settings"), fieldsOf(settings, { secrets: kind.secrets, names }, name)),
    ].filter(Boolean),
  };
}

/** The modules that an object has, by links to their pages. */
export function moduleLinks(kind, path, found) {
  const own = kind.modules.filter(({ name }) => found[name]);
  if (own.length === 0) return "none";
  return own.flatMap(({ name }, index) => [index > 0 && ", ", moduleLink(path, name)]);
}

const moduleLink = (path, name) => h("a", { href: `#/object${path}/${name}` }, name);

const stateOf = (module) => (module ? (module.enabled === false ? "disabled" : "on") : "not set");

const settingsOf = ({ enabled: _, ...settings }) => settings;
