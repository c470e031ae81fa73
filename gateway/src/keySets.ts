import { join } from "node:path";
import type { Objects } from "./envoy/model";
import { type Asking, Published } from "./published";

/**
 * Which key sets answered once. Envoy fetches them by itself, but would refuse every token without a word.
 */
export const keySets = ({ state, trust, upstreams, complain, keep }: Asking): Published<true> =>
  new Published({
    file: join(state, "keySets.json"),
    keep,
    trust,
    upstreams,
    addressOf: (uri) => uri,
    read: (answer) => {
      if (!Array.isArray((answer as { keys?: unknown } | null)?.keys))
        throw new Error("it answered no key set (JWKS)");
      return true;
    },
    complain: (uri, why) =>
      complain(
        `the key set ${uri} could not be read: ${why}. Until it answers, routes that use it are refused. Is it reachable from here, and trusted (--trust)? It is asked for again every 30 s`,
      ),
  });

export const keySetsOf = ({ https_edge }: Objects): string[] =>
  https_edge
    .flatMap(({ routes }) => routes.flatMap(({ jwt_validation }) => jwt_validation ?? []))
    .filter(({ enabled }) => enabled)
    .flatMap(({ jws }) => jws.keys.sources.additional_jkus);
