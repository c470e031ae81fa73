import type { LoadJob, Shot } from "../load/job";

/** A kind of measured object. In its body, `{n}` counts up. */
export interface Subject {
  readonly path: string;
  /** A page of 100 objects; by default at `path`. */
  readonly list?: string;
  /** The first page of all objects; by default at `path`. */
  readonly all?: string;
  readonly listKey: string;
  readonly body: (backendId: string) => unknown;
}

/**
 * A small object, of some 300 bytes with the address of a server: the fixed cost of a request counts most.
 */
export const CREDENTIAL: Subject = {
  path: "/credentials",
  listKey: "credentials",
  body: () => ({
    description: "agent {n}",
    metadata: "team=payments,env=production",
    acl: ["bind:agent-{n}.example.com"],
  }),
};

/** A larger one, with a reference, a unique value and two modules. */
const EDGE: Subject = {
  path: "/edges/tls",
  listKey: "tls_edges",
  body: (backendId) => ({
    description: "edge {n}",
    metadata: "team=payments,env=production",
    hostports: ["edge-{n}.example.com:443"],
    backend: { backend_id: backendId },
    tls_termination: { min_version: "1.3" },
  }),
};

/** The small objects of a server, and larger ones where it has them. */
export type Subjects = readonly [small: Subject, large?: Subject];

export const SUBJECTS = [CREDENTIAL, EDGE] as const satisfies Subjects;

/** The body of a TLS edge. */
export const edge = (backendId: string): string => JSON.stringify(EDGE.body(backendId));

export const OPERATIONS = ["get", "list 100", "create", "patch", "put a module", "mix 60/10/15/15"] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** The objects of a server. */
export interface Filled {
  readonly subjects: Subjects;
  readonly backendId: string;
  /** The ids of the measured objects, by their path. */
  readonly idsOf: Readonly<Record<string, readonly string[]>>;
}

/** The requests that create objects of a kind. */
export const creation = ({ path, body }: Subject, backendId: string): Shot => ({
  method: "POST",
  path,
  body: JSON.stringify(body(backendId)),
});

/**
 * The requests of an operation; floors take the same. Modules are put into large objects, everything else is
 * done with small ones.
 */
export function jobOf(
  { idsOf, backendId, subjects: [small, large = small] }: Filled,
  operation: OperationName,
): Pick<LoadJob, "shots" | "ids"> {
  const one = `${small.path}/{id}`;
  const get: Shot = { method: "GET", path: one };
  const list: Shot = { method: "GET", path: small.list ?? small.path };
  const create = creation(small, backendId);
  const patch: Shot = { method: "PATCH", path: one, body: JSON.stringify({ description: "changed {n}" }) };
  // The number of ids is odd, so each of them gets the two values alternately, and every PUT changes
  // something.
  const put = (version: string): Shot => ({
    method: "PUT",
    path: `${large.path}/{id}/tls_termination`,
    body: JSON.stringify({ min_version: version }),
  });
  const shots: Record<OperationName, readonly Shot[]> = {
    get: [get],
    "list 100": [list],
    create: [create],
    patch: [patch],
    "put a module": [put("1.2"), put("1.3")],
    "mix 60/10/15/15": [
      { ...get, weight: 12 },
      { ...list, weight: 2 },
      { ...create, weight: 3 },
      { ...patch, weight: 3 },
    ],
  };
  return { shots: shots[operation], ids: idsOf[(operation === "put a module" ? large : small).path] };
}
