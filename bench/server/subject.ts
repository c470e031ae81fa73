import type { Shot } from "../load/job";

/** The measured object: a TLS edge with a reference, a unique value and two modules. `{n}` counts up. */
export const edge = (backendId: string): string =>
  JSON.stringify({
    description: "edge {n}",
    metadata: "team=payments,env=production",
    hostports: ["edge-{n}.example.com:443"],
    backend: { backend_id: backendId },
    tls_termination: { min_version: "1.3" },
  });

export const OPERATIONS = ["get", "list 100", "create", "patch", "put a module", "mix 60/10/15/15"] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** The requests of each operation on the edges of a server; floors take the same. */
export function shotsOf(backendId: string): Record<OperationName, readonly Shot[]> {
  const get: Shot = { method: "GET", path: "/edges/tls/{id}" };
  const list: Shot = { method: "GET", path: "/edges/tls" };
  const create: Shot = { method: "POST", path: "/edges/tls", body: edge(backendId) };
  const patch: Shot = { method: "PATCH", path: "/edges/tls/{id}", body: JSON.stringify({ description: "changed {n}" }) };
  // The number of ids is odd, so each of them gets the two values alternately, and every PUT changes something.
  const put = (version: string): Shot => ({
    method: "PUT",
    path: "/edges/tls/{id}/tls_termination",
    body: JSON.stringify({ min_version: version }),
  });
  return {
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
}
