import { own } from "../../contract/core/narrow";
import "../../nodeVersion";
import { code } from "../names";
import { isObject, textIn, textsIn } from "../values";
import { listed } from "./finding";
import {
  admitsAll,
  bindsText,
  isDisabled,
  mayNowBind,
  NO_ANSWER,
  noCertificate,
  noSignIn,
  noToken,
  nothingAnswers,
} from "./sentences";

/** A dangerous effect of a change, in the words of a review's rule. */
export interface ChangeWarning {
  readonly rule: string;
  readonly sentence: string;
  /** The hostport that it is about, in lower case; absent where it is about the object. */
  readonly hostport?: string;
}

/** One resource, and what was declared of it before. */
export interface DeclaredChange {
  /** `tls_edge`, or `tls_edge.mutual_tls` for a module that is a resource of its own. */
  readonly kind: string;
  /** The resource's name in its program. */
  readonly name: string;
  /** Field names as in the API. Empty for a new resource. */
  readonly before: Readonly<Record<string, unknown>>;
  /** Without what is not known yet. */
  readonly after: Readonly<Record<string, unknown>>;
  /** The modules that the kind has. */
  readonly modules: readonly string[];
}

/**
 * The dangerous effects of a change of one resource, as far as it shows them by itself. Only new ones are
 * listed. Effects that depend on other resources are left to a review.
 */
export function warningsOf(change: DeclaredChange): ChangeWarning[] {
  const { kind, before, after, modules } = change;
  const itself = kind.split(".")[1];
  if (itself !== undefined) return switchedOff(itself, change, before, after);
  const ofObject = own(OF_OBJECTS, kind)?.(change) ?? [];
  const ofModules = modules.flatMap((module) =>
    switchedOff(module, change, own(before, module), own(after, module)),
  );
  return [...ofObject.map(([rule, sentence]) => ({ rule, sentence })), ...ofModules];
}

type Words = readonly [rule: string, sentence: string];

const OF_OBJECTS: Readonly<Record<string, (change: DeclaredChange) => readonly Words[]>> = {
  tunnel_credential: (change) => widened(change, "tunnel credential"),
  ssh_credential: (change) => widened(change, "SSH credential"),
  ip_policy_rule: ({ name, before, after }) => {
    const cidr = textIn(after.cidr);
    if (after.action !== "allow" || cidr === before.cidr || !cidr?.endsWith("/0")) return [];
    return [["network-opened", admitsAll(code(name), cidr.includes(":") ? "IPv6" : "IPv4")]];
  },
  weighted_backend: ({ name, before, after }) =>
    sendsNowhere(after.backends) && !sendsNowhere(before.backends)
      ? [["traffic-stopped", nothingAnswers(code(name), NO_ANSWER.backend)]]
      : [],
};

function widened({ name, before, after }: DeclaredChange, title: string): readonly Words[] {
  const [was, is] = [before.acl, after.acl];
  if (!Array.isArray(is) || (Array.isArray(was) && (was.length === 0 || was.includes("*")))) return [];
  if (!is.includes("*") && is.length > 0) return [];
  const earlier = Array.isArray(was) ? bindsText(textsIn(was)) : undefined;
  return [["credential-widened", mayNowBind(`${title} ${code(name)}`, "everything", earlier)]];
}

function sendsNowhere(weights: unknown): boolean {
  const all = isObject(weights) ? Object.values(weights) : [];
  return all.length > 0 && all.every((weight) => weight === 0);
}

/** What an edge or route no longer does without a module, and the rule that says so. */
const WITHOUT: Readonly<Record<string, (subject: string) => Words>> = {
  mutual_tls: (subject) => ["client-certificate-dropped", noCertificate(subject)],
  ip_restriction: (subject) => ["network-opened", admitsAll(subject, listed(["IPv4", "IPv6"]))],
  jwt_validation: (subject) => ["token-dropped", noToken(subject)],
  oidc: (subject) => ["sign-in-dropped", noSignIn(subject)],
  backend: (subject) => ["traffic-stopped", nothingAnswers(subject, NO_ANSWER.disabled)],
};

function switchedOff(
  module: string,
  { name, after: declared }: DeclaredChange,
  before: unknown,
  after: unknown,
): ChangeWarning[] {
  const wasOn = isObject(before) && Object.keys(before).length > 0 && before.enabled !== false;
  const isOff = isObject(after) && after.enabled === false;
  // Where no backend is declared, agents may answer.
  const isGone = (after === undefined || after === null) && module !== "backend";
  const without = own(WITHOUT, module);
  if (wasOn && without && (isOff || isGone)) {
    const hostports = textsIn(declared.hostports).map((hostport) => hostport.toLowerCase());
    const about = (subject: string, hostport?: string): ChangeWarning => {
      const [rule, sentence] = without(subject);
      return { rule, sentence, ...(hostport !== undefined && { hostport }) };
    };
    return hostports.length > 0
      ? hostports.map((hostport) => about(code(hostport), hostport))
      : [about(code(name))];
  }
  const isNewlyOff = isOff && (wasOn || !isObject(before) || before.enabled === undefined);
  return isNewlyOff ? [{ rule: "module-disabled", sentence: isDisabled(code(module), code(name)) }] : [];
}
