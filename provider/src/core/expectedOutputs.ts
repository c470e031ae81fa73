import {
  answeredListsOf,
  camelCase,
  type Definition,
  fieldsWhere,
  pathFieldsOf,
} from "@tunnelplane/sdk/contract";
import { holdsUnknown, outputFieldsOf, type Properties, same, toWire, withChosen } from "./values";

/** The declared properties of a resource, and those of its state. */
interface Planned {
  /** Undefined for a new object. */
  readonly recorded: Properties | undefined;
  readonly desired: Properties;
}

/**
 * The outputs that a creation or update will have. Fields that the server computes from the declared ones
 * alone are computed here, too; the others of a new object are not known.
 *
 * @param unknown the placeholder for a value that is not known
 */
export function expectedOutputs(
  definition: Definition,
  { recorded, desired }: Planned,
  isUnknown: (value: unknown) => boolean,
  unknown: unknown,
): Properties {
  const answered = [
    ...fieldsWhere(definition, (marks) => marks.serverDefault),
    ...computedBy(definition),
  ].map(camelCase);
  const declared = Object.entries(withChosen(definition, desired, recorded, unknown)).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const derived =
    recorded || holdsUnknown(desired, isUnknown) ? {} : definition.derive(toWire(definition, desired));
  const foundOut = fieldsWhere(definition, (marks) => marks.onDemand || marks.byClock).map(camelCase);
  const isKept = (name: string) => recorded !== undefined && !foundOut.includes(name);
  const before = answered.map((name) => [name, isKept(name) ? recorded?.[name] : unknown] as const);
  return Object.fromEntries([
    ...before.filter(([, value]) => value !== undefined),
    ...Object.entries(derived).map(([name, value]) => [camelCase(name), value] as const),
    ...declared,
    ...listsOf(definition, { recorded, desired }, unknown),
  ]);
}

/** The lists that hold more in answers than in requests, as far as they follow from the present ones. */
function listsOf(
  definition: Definition,
  { recorded, desired }: Planned,
  unknown: unknown,
): [name: string, value: unknown][] {
  return answeredListsOf(definition).map(({ field, answeredAs, key }) => {
    const [name, sent] = [camelCase(answeredAs), desired[camelCase(field)]];
    if (key === undefined)
      return [
        name,
        recorded && same(recorded[camelCase(field)], sent) ? (recorded[name] ?? unknown) : unknown,
      ];
    if (!Array.isArray(sent)) return [name, sent ?? []];
    const uriOf = (entry: Properties) => (recorded ? `${recorded.uri}/${field}/${entry[key]}` : unknown);
    return [name, sent.map((entry: unknown) => (isEntry(entry) ? { ...entry, uri: uriOf(entry) } : entry))];
  });
}

const isEntry = (value: unknown): value is Properties => typeof value === "object" && value !== null;

/** The fields that only answers have. A module that is a resource of its own has none. */
function computedBy(definition: Definition): string[] {
  if (definition.idField in definition.fields) return [];
  const own = outputFieldsOf(definition);
  return ["uri", "created_at", ...own, ...(pathFieldsOf(definition).length > 0 ? [definition.idField] : [])];
}
