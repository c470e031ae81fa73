import type { Definition } from "@tunnelplane/sdk/contract";

/** Fields by which a list can be filtered, where the type has them; `hostport` looks into `hostports`. */
const FILTERS = ["hostport", "owner_id", "description", "metadata"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Partial<Record<Filter, string>>>;

/** The filters of a type's list. */
export const filtersOf = ({ fields }: Definition): readonly Filter[] =>
  FILTERS.filter((name) => (name === "hostport" ? "hostports" : name) in fields);

/** The filters that a query holds; undefined without any. */
export function filtersIn(query: Readonly<Record<string, string>>): Filters | undefined {
  const given = FILTERS.filter((name) => query[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, query[name]]));
}

/** Whether an object, as it is answered, has exactly these values; hosts compare without case. */
export function matches(json: string, filters: Filters): boolean {
  const object: Readonly<Record<string, unknown>> = JSON.parse(json);
  return Object.entries(filters).every(([name, value]) =>
    name === "hostport" ? hasHostport(object.hostports, value) : object[name] === value,
  );
}

const hasHostport = (hostports: unknown, value: string): boolean =>
  Array.isArray(hostports) && hostports.some((one) => String(one).toLowerCase() === value.toLowerCase());

/** Whether a stored document may match, found out without reading it as JSON. */
export const mayMatch = (document: string, { description, metadata }: Filters): boolean =>
  [description, metadata].every((value) => !value || document.includes(JSON.stringify(value)));
