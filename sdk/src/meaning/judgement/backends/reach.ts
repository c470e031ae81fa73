import type { Target } from "./traffic";

/** Which backends of an address get requests, by kind and name. */
export interface Reach {
  readonly reached: ReadonlyMap<string, string>;
  /** Those that never do, because what comes before them in a failover always answers. */
  readonly idle: ReadonlyMap<string, string>;
}

export function reachOf(target: Target): Reach {
  const [reached, idle] = [new Map<string, string>(), new Map<string, string>()];
  walk(target, reached, idle);
  for (const key of reached.keys()) idle.delete(key);
  return { reached, idle };
}

/** @returns whether it always answers */
function walk(target: Target, found: Map<string, string>, idle: Map<string, string>): boolean {
  switch (target.kind) {
    case "failover": {
      let answered = false;
      for (const member of target.in_order)
        answered = walk(member, answered ? idle : found, idle) || answered;
      return answered;
    }
    case "weighted": {
      const always = target.parts.map(({ to }) => walk(to, found, idle));
      return always.length === 1 && always[0] === true;
    }
    case "tunnel_group":
    case "static":
    case "http_response":
      found.set(`${target.kind} ${target.name}`, target.name);
      return target.kind === "http_response";
    default:
      return false;
  }
}
