import type { ModuleName } from "../../contract/registry";
import { actions } from "./actions";
import type { Aspect } from "./aspect";
import { backend } from "./backend";
import { clientCertificate } from "./clientCertificate";
import { networks } from "./networks";
import { signIn } from "./signIn";
import { tls } from "./tls";
import { token } from "./token";
import { userAgents } from "./userAgents";

/**
 * What each module does, in the order in which the gateway asks. A module of the contract without an aspect
 * does not compile.
 */
export const ASPECTS = {
  tls_termination: tls,
  mutual_tls: clientCertificate,
  ip_restriction: networks,
  user_agent_filter: userAgents,
  jwt_validation: token,
  oidc: signIn,
  policies: actions,
  backend,
} satisfies { readonly [M in ModuleName]: Aspect<M> };
