import type { NetworkSet } from "../networks/networkSet";
import type { Target } from "./backends/traffic";
import type { RequiredClaims } from "./rules/claims";
import type { Condition, TextQuestion } from "./rules/condition";

export type { TextQuestion };

/** The placeholder in a request for a part that was not recorded. */
export const UNRECORDED = "unknown";
type Unrecorded = typeof UNRECORDED;

/** A request or connection, with the parts that declared objects can look at. */
export interface DecisionRequest {
  /** The name in TLS, and the port that the hostport names: `app.example.com:443`. */
  readonly address: string;
  /** The version that the caller speaks; null for a connection without TLS. Default `"1.3"`. */
  readonly tls?: "1.2" | "1.3" | null | Unrecorded | undefined;
  /** The Host header, with or without a port. Default: the name of the address. */
  readonly host?: string | undefined;
  /** Default `GET`. */
  readonly method?: string | undefined;
  /** As it is sent; a query is ignored. `…` stands for a part that was not recorded. Default `/`. */
  readonly path?: string | undefined;
  /** By name, in any case. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | Unrecorded | undefined;
  /** Default: none, or the one in `headers`. */
  readonly user_agent?: string | null | undefined;
  /** The address that it comes from, or the network (CIDR) in which that is. */
  readonly from: string;
  /** Which authority signed the caller's certificate: an id, or `other`. Default: no certificate. */
  readonly client_certificate?: { readonly authority: string } | null | Unrecorded | undefined;
  /** `invalid`: one that nobody accepts. Default: none. */
  readonly token?: RequestToken | "invalid" | null | Unrecorded | undefined;
  /** The provider at which the caller signed in. Default: nobody is signed in. */
  readonly session?: RequestSession | null | Unrecorded | undefined;
  /** Whether a service signed it that the address names. Default: nobody did. */
  readonly webhook?: "valid" | "invalid" | null | Unrecorded | undefined;
}

/** A request of a comparison, which may know whether a condition holds without what that looks at. */
export interface TrialRequest extends DecisionRequest {
  /** The form in which a condition is evaluated; it means the same. */
  formOf(condition: Condition): Condition;
  truthOf(condition: object): boolean | undefined;
}

/**
 * A JSON Web Token that is neither forged nor expired. Parts that are left out are as the address asks for
 * them.
 */
export interface RequestToken {
  readonly issuer: string;
  readonly audiences?: readonly string[] | undefined;
  /** Of the signature, as in RFC 7518: `RS256`. */
  readonly algorithm?: string | undefined;
  /** The URL of the key set that holds the key of the signature. */
  readonly keys?: string | undefined;
  /** Where it stands in the request. */
  readonly at?: TokenLocation | undefined;
  /** By name; one that is absent is not in the token. Default: not recorded. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

export interface TokenLocation {
  readonly method: string;
  readonly name: string;
  readonly prefix: string;
}

/** A field that is left out is as the address asks for it. */
export interface RequestSession {
  readonly issuer?: string | undefined;
  readonly client_id?: string | undefined;
  /** Of the ID token, by name. Default: not recorded. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * `answered`: by a backend, or by a policy with a status below 400. `unserved`: let in, but nothing is behind
 * it. `refused`: with a status from 400. `closed`: the connection ends before HTTP. `sign_in`: the caller is
 * sent to sign in. `not_found`: no route takes the path. `unknown`: the decision depends on something
 * unknown.
 */
export type Outcome = "answered" | "unserved" | "refused" | "closed" | "sign_in" | "not_found" | "unknown";

/** One check on the way. */
export interface DecisionStep {
  /** Of the object that asks for it: `tls_edge`, `https_edge_route`, … */
  readonly kind: string;
  readonly id: string | null;
  readonly name: string;
  /** The module or field: `jwt_validation`, `hostports`. */
  readonly field: string;
  readonly sentence: string;
}

/** What happens to a request. */
export interface Decision {
  readonly outcome: Outcome;
  /** Null if the backend chooses it, or if there is no HTTP answer. */
  readonly status: number | null;
  /** Null if the request is not let in. */
  readonly goes_to: Target | null;
  /** The hostport that takes it, with the route: `app.example.com:443/admin`; null if none does. */
  readonly address: string | null;
  /** The object that decided; null if no declared object did. */
  readonly by: Omit<DecisionStep, "sentence"> | null;
  /** In the order in which they were looked at; the last one decided. */
  readonly steps: readonly DecisionStep[];
  /** Whether a rate limit may refuse it, too. */
  readonly limited: boolean;
  readonly sentence: string;
}

/** Whether the caller gets past all checks, whether anything is behind them or not. */
export const isLetIn = ({ outcome }: Pick<Decision, "outcome">): boolean =>
  outcome === "answered" || outcome === "unserved";

/** A predicate of one test. */
export const questionAbout = (
  dimension: TextDimension,
  op: TextQuestion["op"],
  text: string,
): Extract<Predicate, { op: "any" }> => ({ dimension, op: "any", of: [{ op, text }] });

/** A part of a request whose values are texts; headers by their names in lower case. */
export type TextDimension = "method" | "host" | "path" | "sni" | `header ${string}`;

/** A part of a request by which decisions may differ. The user agent is `header user-agent`. */
export type Dimension = Predicate["dimension"];

/**
 * A question that a decision may ask about one part of a request. Two requests for which all questions have
 * the same answers are decided alike.
 */
export type Predicate =
  /** Whether one of these tests of a text holds. An absent header reads as an empty text. */
  | { readonly dimension: TextDimension; readonly op: "any"; readonly of: readonly TextQuestion[] }
  /** Whether the caller is in one of these networks. */
  | { readonly dimension: "from"; readonly op: "in"; readonly networks: NetworkSet }
  /** Whether one of these authorities, by their ids, signed the caller's certificate. */
  | { readonly dimension: "client_certificate"; readonly op: "of"; readonly authorities: readonly string[] }
  /** Whether a token is accepted: one of each list, and all of them; and all claims. */
  | { readonly dimension: "token"; readonly op: "accepted"; readonly by: AcceptedTokens }
  /** Whether the user signed in with this client of this issuer, and has these claims. */
  | {
      readonly dimension: "session";
      readonly op: "of";
      readonly issuer: string;
      readonly client_id: string;
      readonly claims?: RequiredClaims;
    }
  /** Whether the service signed the request that the route names. */
  | { readonly dimension: "webhook"; readonly op: "valid" }
  /** Whether the caller speaks this version or a later one. */
  | { readonly dimension: "tls"; readonly op: "from"; readonly version: "1.2" | "1.3" };

/** The tokens that a route accepts. */
export interface AcceptedTokens {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly keys: readonly string[];
  readonly locations: readonly TokenLocation[];
  readonly claims?: RequiredClaims;
}

/** Decides requests in one world. */
export interface Decider {
  decide(request: DecisionRequest): Decision;
  /** The hostports that the world declares, in lower case and sorted; wildcards among them. */
  readonly hostports: readonly string[];
  /**
   * The questions that `decide` may ask about requests to an address (`a.example.com:443`, no wildcard).
   * @param path one in normal form: only the questions of the route that takes it are listed, and none about
   * the path that choose a route
   */
  predicatesOf(address: string, path?: string): Predicates;
}

export interface Predicates {
  /** Whether encoded slashes in paths pass; absent where nothing serves the address. */
  readonly keepsSlashes?: boolean;
  readonly predicates: readonly Predicate[];
  /** The conditions of policies, whose questions are among the predicates. */
  readonly conditions: readonly Condition[];
  /** Why the address cannot be decided whatever the request is: its objects are not wholly known. */
  readonly unknown: readonly string[];
}

/** An edge, or one of its hostports, that no gateway can serve as it is declared. */
export interface Unserved {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string;
  /** The one hostport that is not served; the whole edge is closed without it. */
  readonly hostport?: string;
  readonly reason: string;
}
