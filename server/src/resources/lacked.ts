import { type Definition, fieldOf, modulesOf, own, waits, withArticle } from "@tunnelplane/sdk/contract";
import { type Document, embeddedListOf } from "../documents";
import { queryError, quoted } from "../util";

/** An object waits for this many parts at most. */
const MAX_LACKING = 100;

/** The parts without which a closed object serves nothing; none where it is not closed. */
export const lackedBy = (document: Readonly<Document>): readonly string[] => {
  const lacked = own(document, "closed_without");
  return Array.isArray(lacked) ? lacked.map(String) : [];
};

/** The answered field that names the parts an object lacks; null where it lacks none. */
export const closedWithout = (parts: readonly string[]): Document => ({
  closed_without: parts.length > 0 ? [...new Set(parts)] : null,
});

/** Modules that apply until an object has some others. */
export interface PendingRemoval {
  readonly modules: readonly string[];
  readonly after: readonly string[];
}

const leavingIn = (document: Readonly<Document>): PendingRemoval | undefined =>
  (own(document, "leaving") ?? undefined) as PendingRemoval | undefined;

/**
 * The fields that a change sets or removes, with those modules whose time has come.
 *
 * @param sent the fields of before
 * @param asked what the change itself says
 */
export function withLeaving(
  { before, sent }: { readonly before: Document; readonly sent: Document },
  fields: Document,
  asked: PendingRemoval | undefined,
): { readonly fields: Document; readonly leaving: PendingRemoval | null } {
  const known = asked ?? leavingIn(before);
  const isThere = (name: string) => own(sent, name) !== undefined;
  const modules = known?.modules.filter((name) => isThere(name) && !Object.hasOwn(fields, name)) ?? [];
  const after = known?.after.filter((name) => !isThere(name) && own(fields, name) === undefined) ?? [];
  if (modules.length === 0 || after.length > 0)
    return { fields, leaving: modules.length === 0 ? null : { modules, after } };
  return {
    fields: { ...fields, ...Object.fromEntries(modules.map((name) => [name, undefined])) },
    leaving: null,
  };
}

/** Reads `remove_after`: the modules that the object gets next, each by a request of its own. */
export function removedAfterIn(definition: Definition, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",");
  const unknown = names.find((name) => !modulesOf(definition).includes(name));
  if (unknown === undefined) return names;
  throw queryError(
    "remove_after",
    `remove_after names ${quoted(unknown)}; accepted, with commas between: ${modulesOf(definition).join(", ")}`,
  );
}

/**
 * Reads `closed_without`: the parts that an object gets next, `ip_restriction` or, of an edge with routes,
 * `path_prefix /admin` and `path_prefix /admin oidc`. Undefined where the request does not tell.
 */
export function lackingIn(definition: Definition, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const parts = text === "" ? [] : text.split(",", MAX_LACKING + 1).map(decoded);
  if (parts.length > MAX_LACKING)
    throw queryError("closed_without", `closed_without names more than ${MAX_LACKING} parts`);
  const unknown = parts.find((part) => !isPartOf(definition, part));
  if (unknown === undefined) return parts;
  const routes = embeddedListOf(definition) ? [", `path_prefix /admin`, `path_prefix /admin oidc`"] : [];
  throw queryError(
    "closed_without",
    `closed_without names ${quoted(unknown)}: expected parts of ${withArticle(definition.title)} (${modulesOf(definition).join(", ")}${routes.join("")})`,
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

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw queryError("closed_without", `closed_without has ${quoted(part)}, which is not percent-encoded`);
  }
}
