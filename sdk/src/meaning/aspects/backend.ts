import type { Destination } from "../judgement/backends/destinations";
import { readTarget, type Target } from "../judgement/backends/traffic";
import type { Location } from "../judgement/check";
import { moduleOf } from "../judgement/reading";
import { stepAt } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { idsIn } from "../values";
import type { Aspect } from "./aspect";

/** The destination of a place. @throws Unservable if Envoy could not send traffic that way */
export function destinationAt({ holder, hostport, http, backends }: Location): Destination {
  const module = moduleOf(holder, "backend");
  if (module.state === "off") return { kind: "nowhere", members: new Map(), ends: [] };
  if (module.state === "absent") return backends.tunnels(`${hostport.host}:${hostport.port}`);
  const { ids } = idsIn(module.fields, "backend_id", "backend");
  return ids[0] === undefined
    ? { kind: "clusters", members: new Map([["", [null]]]), ends: [null] }
    : backends.destination(ids[0], http);
}

/** The destination of requests that passed all checks. */
export const backend: Aspect<"backend"> = {
  of: { tls_edge: true, tcp_edge: true, https_edge_route: true },
  prepare(location) {
    const { model, holder, http } = location;
    const { kind, ends } = destinationAt(location);
    let target: Target | undefined;
    const goesTo = () => (target ??= readTarget(model, holder));
    if (ends.length === 0) {
      const why =
        kind === "nowhere"
          ? nowhere(holder)
          : "No credential may bind what it goes to, so no tunnel is there.";
      const unserved = { outcome: "unserved", status: http ? 503 : null, goesTo } as const;
      const verdict = { step: stepAt(holder, "backend", why), end: unserved };
      return { look: () => verdict, predicates: [] };
    }
    const [first = null, ...rest] = http ? ends : [null];
    const status = rest.every((end) => end === first) ? first : null;
    const verdict = {
      step: stepAt(holder, "backend", "It is let in, and goes to its backend."),
      end: { outcome: "answered", status, goesTo } as const,
    };
    return { look: () => verdict, predicates: [] };
  },
};

const nowhere = (holder: ModelObject): string =>
  moduleOf(holder, "backend").state === "off" ? "The backend is disabled." : "No backend has a weight.";
