import { ApiError, NotFoundError, type RequestOptions, type Transport } from "@tunnelplane/sdk";
import {
  answeredName,
  asDeclared,
  type Definition,
  definitionNamed,
  ERRORS,
  expandPath,
  fieldOf,
  marksOf,
  moduleAsResource,
  pathFieldsOf,
  present,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Finding } from "@tunnelplane/sdk/meaning";
import { type Creation, idempotencyKeyOf } from "./creation";

/** An object as it is sent: wire names, JSON values. */
export type Wire = Record<string, unknown>;

/** An update in wire names. */
export interface Change {
  /** The complete desired value. */
  readonly desired: Wire;
  /** The fields that differ from the recorded ones. */
  readonly changed: Wire;
  /** Modules that are recorded and no longer desired. */
  readonly removed: readonly string[];
}

/** What is sent with an update of an object; modules have none of it. */
export interface Sending {
  /** The resource's name in its program, which the object keeps. */
  readonly name?: string | undefined;
  /** Parts that follow, and until which modules that are removed apply. */
  readonly removeAfter?: readonly string[] | undefined;
  /** The parts that follow, and without which it, or what is added to it, serves nothing. */
  readonly closedWithout?: readonly string[] | undefined;
}

/** How an object or a module is deleted. */
export interface Removal {
  /** Whether what was created to replace the object, and waits for it, goes too. Default: false. */
  readonly withReplacement?: boolean;
  /** The id of the edge or route that it belongs to and that is deleted next. */
  readonly closes?: string | undefined;
}

/** The object behind a declared resource, and the requests of each step. */
export interface ResourceTarget {
  readonly definition: Definition;
  /** `tls_edge`, or `tls_edge.mutual_tls` for a module. */
  readonly kind: string;
  create(transport: Transport, desired: Wire, creation: Creation): Promise<{ id: string; answer: Wire }>;
  /** The id of the object that a module belongs to, as far as it is known. */
  ownerOf?(desired: Wire): string | undefined;
  /**
   * Sends a creation, or with an id an update, as a dry run; its answer, if there is one, with what the
   * change means by itself as `findings`.
   */
  dryRun(
    transport: Transport,
    id: string | undefined,
    change: Change,
    replaces?: string,
  ): Promise<Wire | undefined>;
  read(transport: Transport, id: string): Promise<Wire>;
  update(transport: Transport, id: string, change: Change, more?: Sending): Promise<Wire>;
  delete(transport: Transport, id: string, how: Removal): Promise<void>;
}

/** The target of a kind: `tls_edge` for the objects, `tls_edge.backend` for one of their modules. */
export function targetOf(kind: string): ResourceTarget {
  const [object = "", module] = kind.split(".");
  const definition = definitionNamed(object);
  return module === undefined ? objectTarget(definition) : moduleTarget(definition, module);
}

const DRY_RUN = { dryRun: true, findings: true } as const;

/** What the answer to a dry run says about callers. */
export const findingsIn = (answer: object | undefined): readonly Finding[] =>
  answer && "findings" in answer && Array.isArray(answer.findings) ? answer.findings : [];

function objectTarget(definition: Definition): ResourceTarget {
  const declared = asDeclared(definition);
  const at = (id: string) =>
    `${expandPath(definition.path, pathOf(definition, id))}/${pathOf(definition, id).id}`;
  const inPath = pathFieldsOf(definition);
  const forServer = (wire: Wire): Wire =>
    Object.fromEntries(
      Object.entries(wire).filter(
        ([name]) => !inPath.includes(name) && !marksOf(fieldOf(declared, name)).programOnly,
      ),
    );
  const named = (parts: readonly string[]) => parts.map((part) => answeredName(definition, part));
  return {
    definition: declared,
    kind: declared.kind,
    async create(transport, desired, { intent, name, replaces: replaced, closedWithout, isRecorded }) {
      const [path, body] = [expandPath(definition.path, desired), forServer(desired)];
      const replaces = replaced && pathOf(definition, replaced).id;
      const request = [path, body, ...[replaces, closedWithout].filter((part) => part !== undefined)];
      const idempotencyKey = intent && idempotencyKeyOf(intent, request);
      for (let idempotencyKeyAfter: string | undefined; ; ) {
        const { body: answer, replayed } = await transport.request<Wire>("POST", path, body, {
          idempotencyKey,
          idempotencyKeyAfter,
          name,
          replaces,
          closedWithout,
        });
        const id = [...inPath, "id"].map((name) => answer[name]).join("/");
        if (!replayed) return { id, answer };
        // A replayed answer means that an earlier run sent this request. If that run died before it recorded
        // the object, take it; otherwise it was of an earlier life of the resource.
        const exists = await orGone(transport.request("GET", at(id)));
        if (exists && !(await isRecorded(id))) return { id, answer };
        idempotencyKeyAfter = String(answer.id);
      }
    },
    async dryRun(transport, id, { desired, changed, removed }, replaces) {
      const { body } = await (id === undefined
        ? transport.request<Wire>("POST", expandPath(definition.path, desired), forServer(desired), {
            ...DRY_RUN,
            replaces,
          })
        : transport.request<Wire>("PATCH", at(id), forServer(changed), {
            ...DRY_RUN,
            remove: named(removed),
          }));
      return body;
    },
    async read(transport, id) {
      return (await transport.request<Wire>("GET", at(id))).body;
    },
    async update(transport, id, { changed, removed }, more) {
      const patch = forServer(changed);
      if (Object.keys(patch).length + removed.length === 0)
        return (await transport.request<Wire>("GET", at(id))).body;
      return (await transport.request<Wire>("PATCH", at(id), patch, { ...more, remove: named(removed) }))
        .body;
    },
    async delete(transport, id, how) {
      await transport.request("DELETE", at(id), undefined, how);
    },
  };
}

/** A module has no id of its own; its resource takes the id of the object that it belongs to. */
function moduleTarget(parent: Definition, name: string): ResourceTarget {
  const { idField } = parent;
  const named = [...pathFieldsOf(parent), idField];
  const at = (id: string) => {
    const path = pathOf(parent, id);
    return {
      path: `${expandPath(parent.path, path)}/${path.id}/${name}`,
      fields: { ...path, id: undefined, [idField]: path.id },
    };
  };
  const put = async (
    transport: Transport,
    id: string,
    desired: Wire,
    options?: RequestOptions,
  ): Promise<Wire> => {
    const body = Object.fromEntries(Object.entries(desired).filter(([field]) => !named.includes(field)));
    const { path, fields } = at(id);
    return { ...(await transport.request<Wire>("PUT", path, body, options)).body, ...fields };
  };
  const idOf = (desired: Wire) => named.map((field) => desired[field]).join("/");
  return {
    definition: moduleAsResource(parent, name),
    kind: `${parent.kind}.${name}`,
    ownerOf: (desired) =>
      named.every((field) => typeof desired[field] === "string") ? idOf(desired) : undefined,
    async create(transport, desired) {
      const id = idOf(desired);
      return { id, answer: await put(transport, id, desired) };
    },
    async dryRun(transport, id, { desired }) {
      return put(transport, id ?? idOf(desired), desired, DRY_RUN);
    },
    async read(transport, id) {
      const { path, fields } = at(id);
      return { ...(await transport.request<Wire>("GET", path)).body, ...fields };
    },
    update: (transport, id, { desired }) => put(transport, id, desired),
    async delete(transport, id, { closes }) {
      await transport.request("DELETE", at(id).path, undefined, { closes });
    },
  };
}

/** Splits the id of a resource: the ids in its path, then its own, separated by slashes. */
function pathOf(definition: Definition, id: string): Record<string, string> & { id: string } {
  const names = pathFieldsOf(definition);
  const ids = id.split("/");
  if (ids.length !== names.length + 1) {
    throw new Error(
      `The id of ${withArticle(definition.title)} is ${[...names, "id"].map((name) => `<${name}>`).join("/")}, got ${JSON.stringify(id)}`,
    );
  }
  return { ...Object.fromEntries(names.map((name, index) => [name, ids[index]])), id: present(ids.at(-1)) };
}

/** Whether the server refused a change because a guarantee would not hold after it. */
export const isRefusedByGuarantee = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.guarantees.length > 0;

/** The answer, or undefined if the object no longer exists, or goes together with what it belongs to. */
export async function orGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFoundError || isKept(error)) return undefined;
    throw error;
  }
}

/** Whether a part stays where it is until its object, which is replaced, is deleted. */
const isKept = (error: unknown): boolean => error instanceof ApiError && error.code === ERRORS.replaced.code;
