import type { Transport } from "@tunnelplane/sdk";
import { type Definition, definitionOf, expandPath, moduleAsResource, pathFieldsOf, withArticle } from "@tunnelplane/sdk/contract";

/** An object as it travels: wire names, JSON values. */
export type Wire = Record<string, unknown>;

/** An update in wire names. */
interface Change {
  /** The complete desired value. */
  readonly desired: Wire;
  /** The fields of it that differ from what is recorded. */
  readonly changed: Wire;
  /** Modules that are recorded but no longer desired. */
  readonly removed: readonly string[];
}

/** What a declared resource stands for on the server, and the requests that each step takes. */
export interface Target {
  readonly definition: Definition;
  create(transport: Transport, desired: Wire): Promise<{ id: string; answer: Wire }>;
  read(transport: Transport, id: string): Promise<Wire>;
  update(transport: Transport, id: string, change: Change): Promise<Wire>;
  delete(transport: Transport, id: string): Promise<void>;
}

/** The target of a kind: `tls_edge` for the objects, `tls_edge.backend` for a module of them. */
export function targetOf(kind: string): Target {
  const [object = "", module] = kind.split(".");
  const definition = definitionOf(object);
  return module === undefined ? objectTarget(definition) : moduleTarget(definition, module);
}

function objectTarget(definition: Definition): Target {
  const at = (id: string) => `${expandPath(definition.path, placeOf(definition, id))}/${placeOf(definition, id).id}`;
  return {
    definition,
    async create(transport, desired) {
      const inBody = Object.entries(desired).filter(([name]) => !pathFieldsOf(definition).includes(name));
      const { body } = await transport.request<Wire>("POST", expandPath(definition.path, desired), Object.fromEntries(inBody));
      return { id: [...pathFieldsOf(definition), "id"].map((name) => body[name]).join("/"), answer: body };
    },
    async read(transport, id) {
      return (await transport.request<Wire>("GET", at(id))).body;
    },
    async update(transport, id, { changed, removed }) {
      // Before the PATCH, which cannot remove a module, and which may be refused while it is there.
      for (const module of removed) await transport.request("DELETE", `${at(id)}/${module}`);
      const onlyRemoved = Object.keys(changed).length === 0;
      return (await transport.request<Wire>(onlyRemoved ? "GET" : "PATCH", at(id), onlyRemoved ? undefined : changed)).body;
    },
    async delete(transport, id) {
      await transport.request("DELETE", at(id));
    },
  };
}

/** A module is identified by the object it belongs to, whose id the resource takes as its own. */
function moduleTarget(parent: Definition, name: string): Target {
  const { idField } = parent;
  const named = [...pathFieldsOf(parent), idField];
  const at = (id: string) => {
    const place = placeOf(parent, id);
    return { path: `${expandPath(parent.path, place)}/${place.id}/${name}`, fields: { ...place, id: undefined, [idField]: place.id } };
  };
  const put = async (transport: Transport, id: string, desired: Wire): Promise<Wire> => {
    const body = Object.fromEntries(Object.entries(desired).filter(([field]) => !named.includes(field)));
    const { path, fields } = at(id);
    return { ...(await transport.request<Wire>("PUT", path, body)).body, ...fields };
  };
  return {
    definition: moduleAsResource(parent, name),
    async create(transport, desired) {
      const id = named.map((field) => desired[field]).join("/");
      return { id, answer: await put(transport, id, desired) };
    },
    async read(transport, id) {
      const { path, fields } = at(id);
      return { ...(await transport.request<Wire>("GET", path)).body, ...fields };
    },
    update: (transport, id, { desired }) => put(transport, id, desired),
    async delete(transport, id) {
      await transport.request("DELETE", at(id).path);
    },
  };
}

/** The ids in the id of a resource: those that its path names, then its own, with slashes between. */
function placeOf(definition: Definition, id: string): Record<string, string> & { id: string } {
  const names = pathFieldsOf(definition);
  const ids = id.split("/");
  if (ids.length !== names.length + 1) {
    throw new Error(
      `The id of ${withArticle(definition.title)} is ${[...names, "id"].map((name) => `<${name}>`).join("/")}, got ${JSON.stringify(id)}`,
    );
  }
  return { ...Object.fromEntries(names.map((name, index) => [name, ids[index] as string])), id: ids.at(-1) as string };
}
