import type { Decider, DecisionRequest, RequestToken } from "@tunnelplane/sdk/meaning";
import { isHostport, normalForm, readHostport } from "@tunnelplane/sdk/rules";

/** A token with all parts. */
export type WholeToken = Required<Omit<RequestToken, "claims">> & Pick<RequestToken, "claims">;

/** A request as it is sent. */
export interface Asked extends Omit<DecisionRequest, "token"> {
  readonly token?: WholeToken | "invalid" | null;
}

/** A request with a whole token: parts that it leaves out are as the address asks for them. */
export function askedOf(request: DecisionRequest, decider: Decider): Asked {
  const { token } = request;
  if (token === undefined || token === null || token === "invalid") return { ...request, token };
  if (token === "unknown" || !isHostport(request.address)) return { ...request, token: null };
  const { host, port } = readHostport(request.address);
  const name = request.host?.replace(/:\d+$/, "") ?? host;
  const { predicates } = decider.predicatesOf(`${name}:${port}`, normalForm(request.path ?? "/") ?? "/");
  const by = predicates.flatMap((one) => (one.dimension === "token" ? one.by : []))[0];
  const first = {
    audiences: by?.audiences.slice(0, 1) ?? [],
    algorithm: by?.algorithms[0] ?? "RS256",
    keys: by?.keys[0] ?? token.issuer,
    at: by?.locations[0] ?? { method: "header", name: "authorization", prefix: "Bearer " },
  };
  return { ...request, token: { ...first, ...token } };
}
