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
