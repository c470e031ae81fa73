import { type Decision, hostportOf, type Target } from "@tunnelplane/sdk/meaning";
import { addressText, readAddress } from "../envoy/address";
import { agentsOf } from "./standIns";

/** The answer of an Envoy to a request. */
export interface Answer {
  /** Null where the connection ended without an answer. */
  readonly status: number | null;
  /** The address of the backend, or the bind of the agents, that answered; null if Envoy itself answered. */
  readonly answered_by: string | null;
  /** Why the reaction of Envoy is not known. */
  readonly fault?: string;
}

/** Whether requests count, although they are refused: signatures are checked after rate limits. */
const isCounted = ({ outcome, by }: Decision): boolean =>
  outcome === "refused" && by?.field === "webhook_verification";

/** Whether an Envoy did what is decided of a request. @param isHere whether agents of this name are there */
export function agrees(decision: Decision, answer: Answer, isHere: (agents: string) => boolean): boolean {
  const { outcome, status, goes_to, limited } = decision;
  if (outcome === "unknown") return true;
  if (answer.fault !== undefined) return false;
  if (outcome === "closed") return answer.status === null;
  if (answer.status === 429 && (limited || isCounted(decision))) return true;
  if (outcome === "unserved") return answer.status === status;
  if (status !== null && answer.status !== status) return false;
  if (outcome !== "answered" || !goes_to) return true;
  const ends = endsOf(goes_to, decision, isHere);
  const who = answer.answered_by ?? String(answer.status);
  return ends.includes(ANYBODY) || (ends.length > 0 ? ends : NOBODY).includes(who);
}

/** Nothing is at the end, so the gateway answers. */
const NOBODY: readonly string[] = ["503"];
/** It is not known who answers. */
const ANYBODY = "anybody";

/** Those that may answer at the ends of a tree of backends; empty if there is nothing. */
function endsOf(target: Target, decision: Decision, isHere: (agents: string) => boolean): readonly string[] {
  const of = (one: Target) => endsOf(one, decision, isHere);
  const agents = (name: string) => (isHere(name) ? [name] : []);
  switch (target.kind) {
    case "weighted": {
      const [first, ...others] = target.parts.filter(({ percent }) => percent > 0).map(({ to }) => of(to));
      // Of several shares, each gets requests whether anything is there or not.
      return others.length === 0 ? (first ?? []) : [...(first ?? []), ...others.flat(), ...NOBODY];
    }
    case "failover":
      return target.in_order.map(of).find((ends) => ends.length > 0) ?? [];
    case "http_response":
      return [String(target.status_code)];
    case "static":
      return target.address === null ? [] : [addressText(readAddress(target.address))];
    case "tunnel_group":
      return agents(agentsOf(target.labels));
    case "tunnels":
      return agents(agentsOf(hostportOf(decision.address ?? "")));
    case "unknown":
    case "missing":
    case "more":
      return [ANYBODY];
    default:
      return [];
  }
}
