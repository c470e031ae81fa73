import type { Transport } from "@tunnelplane/sdk";
import { asDeclared, type Definition, definitionOf, marksOf, moduleAsResource } from "@tunnelplane/sdk/contract";

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
  const declared = asDeclared(definition);
  const at = (id: string) => `${definition.path}/${encodeURIComponent(id)}`;
  const forServer = (wire: Wire): Wire =>
    Object.fromEntries(Object.entries(wire).filter(([name]) => !marksOf(declared.fields[name] as never).programOnly));
  return {
    definition: declared,
    async create(transport, desired) {
      const { body } = await transport.request<Wire>("POST", definition.path, forServer(desired));
      return { id: body.id as string, answer: body };
    },
    async read(transport, id) {
      return (await transport.request<Wire>("GET", at(id))).body;
    },
    async update(transport, id, { changed, removed }) {
      // Before the PATCH, which cannot remove a module, and which may be refused while it is there.
      for (const module of removed) await transport.request("DELETE", `${at(id)}/${module}`);
      const patch = forServer(changed);
      if (Object.keys(patch).length === 0) return (await transport.request<Wire>("GET", at(id))).body;
      return (await transport.request<Wire>("PATCH", at(id), patch)).body;
    },
    async delete(transport, id) {
      await transport.request("DELETE", at(id));
    },
  };
}

/** A module is identified by the object it belongs to, whose id the resource takes as its own. */
function moduleTarget(parent: Definition, name: string): Target {
  const { path, idField } = parent;
  const at = (id: unknown) => `${path}/${encodeURIComponent(String(id))}/${name}`;
  const put = async (transport: Transport, { [idField]: id, ...body }: Wire): Promise<Wire> => {
    const { body: answer } = await transport.request<Wire>("PUT", at(id), body);
    return { ...answer, [idField]: id };
  };
  return {
    definition: moduleAsResource(parent, name),
    async create(transport, desired) {
      return { id: desired[idField] as string, answer: await put(transport, desired) };
    },
    async read(transport, id) {
      return { ...(await transport.request<Wire>("GET", at(id))).body, [idField]: id };
    },
    update: (transport, _id, { desired }) => put(transport, desired),
    async delete(transport, id) {
      await transport.request("DELETE", at(id));
    },
  };
}
