import {
  type Definition,
  fieldOf,
  isObject,
  modulesOf,
  own,
  UNDECIDING_FIELDS,
  waits,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { type Document, embeddedListOf } from "../documents";
import { queryError, quoted } from "../util";

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** An object waits for this many parts at most. */
const MAX_LACKING = 100;

/** The parts without which a closed object serves nothing; none where it is not closed. */
export const lackedBy = (document: Readonly<Document>): readonly string[] =>
  textsIn(own(document, "closed_without"));

/**
 * The added hostports of an edge that serve nothing until it has its parts. Empty where that is not only
 * them.
 */
export const closedHostportsOf = (document: Readonly<Document>): readonly string[] =>
  textsIn(own(document, "closed_hostports"));

/**
 * The answered fields that name the parts an object lacks; null where it lacks none.
 *
 * @param hostports those of an edge that serve nothing meanwhile. Default: it serves none
 */
export function closedWithout(
  definition: Definition,
  parts: readonly string[],
  hostports: readonly string[] = [],
): Document {
  const isClosed = parts.length > 0;
  return {
    closed_without: isClosed ? [...new Set(parts)] : null,
    ...(Object.hasOwn(definition.computed, "closed_hostports") && {
      closed_hostports: isClosed && hostports.length > 0 ? hostports : null,
    }),
  };
}

interface Update {
  readonly before: Document;
  /** What the update sends. */
  readonly fields: Document;
  /** Its declared fields afterwards. */
  readonly sent: Document;
  /** The parts that follow; undefined where the update does not tell. */
  readonly lacking: readonly string[] | undefined;
}

/**
 * The parts that an object lacks after an update, and the hostports that wait for them. Where an update sends
 * only hostports, and parts follow that are not there yet, those that served go on.
 */
export function lackedAfter(
  definition: Definition,
  { before, fields, sent, lacking }: Update,
): readonly [parts: readonly string[], hostports: readonly string[]] {
  const [closed, served] = [closedHostportsOf(before), textsIn(before.hostports)];
  const left = closed.filter((hostport) => textsIn(sent.hostports).includes(hostport));
  const known = closed.length > 0 && left.length === 0 ? [] : lackedBy(before);
  if (lacking === undefined) return [known, left];
  if (lacking.length === 0) return [[], []];
  const follow = lacking.filter((part) => !hasPart(definition, before, part));
  if (follow.length === 0) return [known, left];
  const isClosed = known.length > 0 && left.length === 0;
  const isOnly = Object.keys(fields).every(
    (field) => field === "hostports" || UNDECIDING_FIELDS.includes(field),
  );
  const all = [...new Set([...known, ...follow])];
  if (all.length > MAX_LACKING)
    throw queryError(
      "closed_without",
      `closed_without names ${follow.length} parts, and it waits for ${known.length} already: ${MAX_LACKING} at most`,
    );
  if (isClosed || !isOnly || !Object.hasOwn(fields, "hostports")) return [all, []];
  const waiting = [...left, ...textsIn(sent.hostports).filter((hostport) => !served.includes(hostport))];
  return waiting.length > 0 ? [all, waiting] : [known, left];
}

/** Whether an object has a part: a module, a route, or a module of a route. */
function hasPart(definition: Definition, document: Document, part: string): boolean {
  const [type, path, module] = part.split(" ");
  const isSet = (fields: Readonly<Document>, name: string) => isObject(own(fields, name));
  if (path === undefined) return isSet(document, part);
  const list = embeddedListOf(definition);
  const routes = list === undefined ? undefined : document[list.field];
  return (
    Array.isArray(routes) &&
    routes.some(
      (route) =>
        route.match_type === type && route.match === path && (module === undefined || isSet(route, module)),
    )
  );
}

/** Modules that apply until an object has some other parts. */
export interface PendingRemoval {
  readonly modules: readonly string[];
  readonly after: readonly string[];
}

export const leavingIn = (document: Readonly<Document>): PendingRemoval | undefined =>
  (own(document, "leaving") ?? undefined) as PendingRemoval | undefined;

/**
 * The fields that a change sets or removes, with those modules whose time has come.
 *
 * @param sent the fields of before
 * @param asked what the change itself says
 */
export function withLeaving(
  definition: Definition,
  { before, sent }: { readonly before: Document; readonly sent: Document },
  fields: Document,
  asked: PendingRemoval | undefined,
): { readonly fields: Document; readonly leaving: PendingRemoval | null } {
  const known = asked ?? leavingIn(before);
  const isThere = (name: string) => own(sent, name) !== undefined;
  const lacks = (part: string) => !hasPart(definition, before, part) && own(fields, part) === undefined;
  const modules = known?.modules.filter((name) => isThere(name) && !Object.hasOwn(fields, name)) ?? [];
  const after = known?.after.filter(lacks) ?? [];
  if (modules.length === 0 || after.length > 0)
    return { fields, leaving: modules.length === 0 ? null : { modules, after } };
  return {
    fields: { ...fields, ...Object.fromEntries(modules.map((name) => [name, undefined])) },
    leaving: null,
  };
}

/**
 * Reads the parts that an object gets next: `ip_restriction` or, of an edge with routes, `path_prefix /admin`
 * and `path_prefix /admin oidc`. Undefined where the request does not tell.
 *
 * @param name of the query parameter; only an empty `closed_without` names none
 */
export function partsToCome(
  definition: Definition,
  name: "closed_without" | "remove_after",
  text: string | undefined,
): string[] | undefined {
  if (text === undefined) return undefined;
  const isNone = text === "" && name === "closed_without";
  const parts = isNone ? [] : text.split(",", MAX_LACKING + 1).map((part) => decoded(name, part));
  if (parts.length > MAX_LACKING) throw queryError(name, `${name} names more than ${MAX_LACKING} parts`);
  const unknown = parts.find((part) => !isPartOf(definition, part));
  if (unknown === undefined) return [...new Set(parts)];
  const routes = embeddedListOf(definition) ? [", `path_prefix /admin`, `path_prefix /admin oidc`"] : [];
  throw queryError(
    name,
    `${name} names ${quoted(unknown)}: expected parts of ${withArticle(definition.title)} (${modulesOf(definition).join(", ")}${routes.join("")})`,
  );
}

function isPartOf(definition: Definition, part: string): boolean {
  const route = embeddedListOf(definition)?.definition;
  const [type, path, module, ...more] = part.split(" ");
  if (path === undefined) return modulesOf(definition).includes(part);
  return (
    route !== undefined &&
    waits(route) &&
    fieldOf(route, "match_type").safeParse(type).success &&
    path.startsWith("/") &&
    (module === undefined || modulesOf(route).includes(module)) &&
    more.length === 0
  );
}

function decoded(name: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw queryError(name, `${name} has ${quoted(part)}, which is not percent-encoded`);
  }
}
