import { ENTRY_NAME } from "@tunnelplane/sdk/contract";
import type { FieldName } from "@tunnelplane/sdk/meaning";
import type { Existing } from "./world";

/** The fields that a name may come from: the first one with a letter or digit in it. */
const SOURCES: readonly (FieldName | "name")[] = [
  "description",
  "name",
  "hostports",
  "domain",
  "subject_common_name",
  "match",
  "cidr",
  "address",
  "principals",
  "labels",
];

const MAX_LENGTH = 50;

/**
 * Gives each object a unique name: the one that it has from an earlier program; or one that is made from one
 * of its own fields in lower-case letters, digits, ".", "_" and "-"; or else its kind. If several want the
 * same name, the first (those of programs first, then by kind, then by age) gets it; others get their kind
 * appended, then numbers. So names are the same in every run, valid in catalogues, and unambiguous.
 */
export function namesOf(objects: readonly Existing[]): ReadonlyMap<Existing, string> {
  const taken = new Set<string>();
  const [given, others] = [objects.filter(isNamed), objects.filter((object) => !isNamed(object))];
  return new Map(
    [...given, ...others].map((object) => {
      const kind = object.definition.kind.replaceAll("_", "-");
      const own = isNamed(object) ? object.givenName : madeFor(object, kind);
      const name =
        [own, ...(own === kind ? [] : [`${own}-${kind}`])].find((candidate) => !taken.has(candidate)) ??
        numbered(own, taken);
      taken.add(name);
      return [object, name];
    }),
  );
}

/** Whether a program gave an object a name that catalogues can have, too. */
const isNamed = (object: Existing): object is Existing & { readonly givenName: string } =>
  object.givenName !== undefined && ENTRY_NAME.test(object.givenName);

const madeFor = ({ givenName, answer }: Existing, kind: string): string =>
  [givenName, ...SOURCES.map((source) => answer[source])]
    .map((value) => asName(textOf(value)))
    .find((name) => name !== "") ?? kind;

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2; ; count++) if (!taken.has(`${name}-${count}`)) return `${name}-${count}`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return textOf(value[0]);
  return typeof value === "object" && value !== null ? (Object.entries(value)[0] ?? []).join("-") : "";
}

const asName = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, MAX_LENGTH)
    .replace(/[^a-z0-9]+$/, "");
