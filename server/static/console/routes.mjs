import { page } from "./api.mjs";
import { h, row } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { idOf, objectLink, pageOf } from "./links.mjs";
import { nothing, pages } from "./lists.mjs";
import { moduleLinks } from "./modules.mjs";
import { namesOfReferred } from "./referred.mjs";

const ROUTE = KINDS.find(({ kind }) => kind === "https_edge_route");

const TAKES = { exact_path: "this path alone", path_prefix: "all paths that begin with it" };

/** The routes of an edge: each has an address of its own, and so do its modules. */
export async function routesOf(edge) {
  const path = `${edge}/${ROUTE.listKey}`;
  const names = new Map();
  const read = async (at) => {
    const part = await page(at, ROUTE.listKey);
    for (const [id, name] of await namesOfReferred(part.items.map(({ backend }) => backend)))
      names.set(id, name);
    return part;
  };
  return h(
    "section",
    {},
    h("h2", {}, "Routes"),
    pages({
      caption: "Routes of the edge",
      columns: ["Path", "Name", "Modules", "Goes to"],
      first: await read(`${path}?limit=100&names=true`),
      next: read,
      rowOf: (one) =>
        row(
          [h("a", { href: pageOf(one) }, one.match), h("div", { class: "hint" }, TAKES[one.match_type])],
          [one.resource_name || one.description, " ", idOf(one.id)],
          moduleLinks(ROUTE, `${path}/${one.id}`, one),
          one.backend?.backend
            ? objectLink({ ...one.backend.backend, name: names.get(one.backend.backend.id) })
            : "tunnels that bind the address",
        ),
      empty: nothing("It has no routes, so it answers each request with 404."),
    }),
  );
}
