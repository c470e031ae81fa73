import { get, page, Refusal } from "./api.mjs";
import { h, row } from "./dom.mjs";
import { fieldsOf } from "./fields.mjs";
import { KINDS } from "./kinds.mjs";
import { addressPage, idOf, nameOf, objectLink, trailOf } from "./links.mjs";
import { pages } from "./lists.mjs";
import { modulePage, modulesOf } from "./modules.mjs";
import { namesOfReferred } from "./referred.mjs";
import { routesOf } from "./routes.mjs";

/** The page of an object, or of one of its modules, at the path that it has in the API. */
export async function object(rest) {
  const place = placeOf(rest);
  if (!place)
    throw new Refusal(404, {
      msg: `No kind of object has the address ${`/${rest.join("/")}`}: look for its name or id`,
    });
  const { path, parent, module } = place;
  const [found, above] = await Promise.all([
    get(`${path}?names=true`),
    parent && get(`${parent.path}?names=true`),
  ]);
  const trail = [
    h("a", { href: `#/objects/${(parent ?? place).kind.kind}` }, (parent ?? place).kind.title),
    above && h("a", { href: `#/object${parent.path}` }, nameOf(above) ?? above.id),
  ];
  const whole = {
    ...place,
    found,
    above,
    names: await namesOfReferred(module ? { [module]: found[module] } : found),
  };
  return module ? modulePage(whole, trail) : objectPage(whole, trail);
}

async function objectPage({ kind, path, found, above, names }, trail) {
  const name = nameOf(found) ?? found.id;
  const modules = kind.modules.map((module) => module.name);
  const elsewhere = ["id", "resource_name", "routes", ...modules];
  const plain = Object.entries(found).filter(([field]) => !elsewhere.includes(field));
  const [referrers, routes] = await Promise.all([
    page(`/references?object_id=${encodeURIComponent(found.id)}`, "references"),
    found.routes && routesOf(path),
  ]);
  return {
    title: `${kind.one} ${name}`,
    nodes: [
      trailOf(trail),
      h("p", { class: "lead" }, idOf(found.id), " · ", kind.doc),
      addressesOf(found, above),
      routes,
      modules.length > 0 && modulesOf(kind, path, found, names),
      h(
        "section",
        {},
        h("h2", {}, "Fields"),
        fieldsOf(Object.fromEntries(plain), { secrets: kind.secrets, names }),
      ),
      h(
        "section",
        {},
        h("h2", {}, "What refers to it"),
        pages({
          caption: `Objects that refer to ${name}`,
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
    ].filter(Boolean),
  };
}

/** The addresses that an edge, or a route of one, serves: each leads to who may reach it. */
function addressesOf(found, edge) {
  const hostports = (edge ?? found).hostports ?? [];
  if (hostports.length === 0) return undefined;
  const addresses = edge
    ? hostports.map((hostport) =>
        found.match_type === "exact_path" ? `${hostport} = ${found.match}` : hostport + found.match,
      )
    : hostports;
  return h(
    "section",
    {},
    h("h2", {}, "Who can reach it"),
    h(
      "ul",
      { class: "plain" },
      ...addresses.map((address) => h("li", {}, h("a", { href: addressPage(address) }, address))),
    ),
  );
}

/** The object that a path of the API names, with the one that it belongs to, or one of its modules. */
function placeOf(rest) {
  for (const kind of KINDS) {
    const names = kind.path.slice(1).split("/");
    const fits = names.every((name, index) => name === rest[index] || (name.startsWith("{") && rest[index]));
    const id = rest[names.length];
    const [module, ...more] = rest.slice(names.length + 1);
    const isKnown = module === undefined || kind.modules.some(({ name }) => name === module);
    if (!fits || !id || !isKnown || more.length > 0) continue;
    const above = names.findIndex((name) => name.startsWith("{"));
    return {
      kind,
      module,
      path: `/${rest.slice(0, names.length + 1).join("/")}`,
      parent: above > 0 ? placeOf(rest.slice(0, above + 1)) : undefined,
    };
  }
  return undefined;
}
