import type { LoadJob, Shot } from "../load/job";

/** A kind of measured object. In its body, `{n}` counts up. */
interface Subject {
  readonly path: string;
  readonly listKey: string;
  readonly body: (backendId: string) => unknown;
}

/**
 * A small object, of some 300 bytes with the address of a server: the fixed cost of a request counts most.
 */
const CREDENTIAL: Subject = {
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

export const SUBJECTS: readonly Subject[] = [CREDENTIAL, EDGE];

/** The body of a TLS edge. */
export const edge = (backendId: string): string => JSON.stringify(EDGE.body(backendId));

export const OPERATIONS = ["get", "list 100", "create", "patch", "put a module", "mix 60/10/15/15"] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** The objects of a server. */
export interface Filled {
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
 * The requests of an operation; floors take the same. Modules are put into edges, everything else is done
 * with credentials.
 */
export function jobOf(
  { idsOf, backendId }: Filled,
  operation: OperationName,
): Pick<LoadJob, "shots" | "ids"> {
  const one = `${CREDENTIAL.path}/{id}`;
  const get: Shot = { method: "GET", path: one };
  const list: Shot = { method: "GET", path: CREDENTIAL.path };
  const create = creation(CREDENTIAL, backendId);
  const patch: Shot = { method: "PATCH", path: one, body: JSON.stringify({ description: "changed {n}" }) };
  // The number of ids is odd, so each of them gets the two values alternately, and every PUT changes
  // something.
  const put = (version: string): Shot => ({
    method: "PUT",
    path: `${EDGE.path}/{id}/tls_termination`,
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
  return { shots: shots[operation], ids: idsOf[operation === "put a module" ? EDGE.path : CREDENTIAL.path] };
}
