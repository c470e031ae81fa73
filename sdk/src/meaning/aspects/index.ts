import { keysOf } from "../../contract/core/narrow";
import { camelCase } from "../../contract/core/spelling";
import type { ModuleName } from "../../contract/registry";
import { actions } from "./actions";
import type { Aspect } from "./aspect";
import { backend } from "./backend";
import { clientCertificate } from "./clientCertificate";
import { networks } from "./networks";
import type { Shown } from "./shown";
import { signIn } from "./signIn";
import { tls } from "./tls";
import { token } from "./token";
import { userAgents } from "./userAgents";
import { webhook } from "./webhook";

/** A module that changes requests or answers, and decides about none: nobody is let in or refused by it. */
const undeciding = {
  of: { https_edge_route: true },
  prepare: () => undefined,
} satisfies Aspect<"request_headers" | "response_headers" | "compression" | "circuit_breaker">;

/**
 * The aspect of each module, in the order in which the gateway asks. If a module of the contract has no
 * aspect, this does not compile.
 */
export const ASPECTS = {
  tls_termination: tls,
  mutual_tls: clientCertificate,
  ip_restriction: networks,
  user_agent_filter: userAgents,
  jwt_validation: token,
  oidc: signIn,
  webhook_verification: webhook,
  policies: actions,
  request_headers: undeciding,
  response_headers: undeciding,
  compression: undeciding,
  circuit_breaker: undeciding,
  backend,
} satisfies { readonly [M in ModuleName]: Aspect<M> };

type Shows = Extract<(typeof ASPECTS)[ModuleName], { readonly shows: Shown }>["shows"];
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** The readings of all aspects for one address: `clientCertificate`, `signIn`. */
export type Readings = { readonly [S in Shows as Camel<S["field"]>]: ReturnType<S["read"]> };
/** The fields of exposures that aspects fill: `client_certificate`, `sign_in`. */
export type ExposedAspects = { readonly [S in Shows as S["field"]]: ReturnType<S["exposed"]> };

/** The order in which people read rows, as far as it was chosen; others follow in the gateway's order. */
const READ_FIRST: readonly ModuleName[] = [
  "ip_restriction",
  "mutual_tls",
  "tls_termination",
  "oidc",
  "jwt_validation",
];

/** The aspects that exposures show, with the kinds that have the module. */
export const SHOWN: readonly ShownOf[] = [...new Set([...READ_FIRST, ...keysOf(ASPECTS)])].flatMap(
  (module) => {
    const { of, shows }: { readonly of: object; readonly shows?: Shown } = ASPECTS[module];
    return shows ? [{ of, shows, name: camelCase(shows.field) as keyof Readings }] : [];
  },
);

interface ShownOf {
  readonly of: object;
  readonly shows: Shown;
  /** The field's name among readings. */
  readonly name: keyof Readings;
}
