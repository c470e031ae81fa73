import { join } from "node:path";
import type { Issuer, Objects } from "./envoy/model";
import { type Asking, Published } from "./published";

/** What issuers say about themselves, by their URLs as edges declare them. */
export const discovery = ({ state, trust, upstreams, complain, keep }: Asking): Published<Issuer> =>
  new Published({
    file: join(state, "issuers.json"),
    keep,
    trust,
    upstreams,
    addressOf: (issuer) => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    read: readIssuer,
    complain: (issuer, why) =>
      complain(
        `the issuer ${issuer} could not be asked about itself: ${why}. Until it answers, routes that use it are refused. Is it reachable from here, and trusted (--trust)? It is asked again every 30 s`,
      ),
  });

export const issuersOf = ({ https_edge }: Objects): string[] =>
  https_edge.flatMap(({ routes }) => routes.flatMap(({ oidc }) => (oidc?.enabled ? [oidc.issuer] : [])));

function readIssuer(answer: unknown, issuer: string): Issuer {
  const said = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const [authorizationEndpoint, tokenEndpoint] = [
    String(said.authorization_endpoint),
    String(said.token_endpoint),
  ];
  if (said.issuer !== issuer) throw new Error(`it calls itself ${JSON.stringify(said.issuer)}`);
  for (const url of [authorizationEndpoint, tokenEndpoint])
    if (!url.startsWith("https://") || !URL.canParse(url)) throw new Error("its endpoints are no https URLs");
  return { authorizationEndpoint, tokenEndpoint };
}
