import { isObject } from "@tunnelplane/sdk/contract";
import { isEvent, plain } from "./preview";

/** A violation of a policy by a resource. */
export interface Violation {
  readonly pack: string;
  readonly policy: string;
  /** `mandatory`, `advisory` … */
  readonly level: string;
  readonly urn?: string;
  readonly message: string;
}

/**
 * The policy violations in an engine event log. Uses nothing else from the log, because debug messages hold
 * secrets in clear.
 */
export function readViolations(log: string): Violation[] {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const events = lines.map((line, index) => eventIn(line, `The event log, line ${index + 1}`));
  if (events.length === 0) throw new Error(`The event log is empty; ${EXPECTED}`);
  const found = new Map<string, Violation>();
  for (const { policyEvent } of events) {
    if (!isObject(policyEvent)) continue;
    const [pack, policy, level] = ["policyPackName", "policyName", "enforcementLevel"].map((name) =>
      String(policyEvent[name] ?? ""),
    );
    const { resourceUrn } = policyEvent;
    const message = plain(String(policyEvent.message ?? ""));
    const violation: Violation = {
      pack: pack ?? "",
      policy: policy ?? "",
      level: level ?? "",
      ...(typeof resourceUrn === "string" && resourceUrn !== "" && { urn: resourceUrn }),
      message,
    };
    found.set(JSON.stringify(violation), violation);
  }
  return [...found.values()];
}

export const EXPECTED =
  "expected the engine's event log, a JSON object in each line: PULUMI_DEBUG_COMMANDS=true pulumi preview --event-log events.json";

function eventIn(line: string, source: string): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    throw new Error(`${source} is not JSON; ${EXPECTED}`);
  }
  if (!isEvent(read)) throw new Error(`${source} is not an event; ${EXPECTED}`);
  return read;
}
