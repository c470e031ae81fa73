import { type Comparison, compare, type Finding, isAcceptedBy } from "@tunnelplane/sdk/meaning";
import { nameIn } from "../core/urn";
import { readViolations } from "./events";
import { locationsInHcl } from "./hclProgram";
import type { Report, ReviewedChange, ReviewedFinding } from "./report";
import { locationOf, type SourceLocation } from "./sourceLocations";
import type { OurStep, PreviewedChange } from "./worlds";
import { locationsInYaml } from "./yamlProgram";

export interface ReviewOptions {
  /** Hashes of accepted findings and reports. */
  readonly accept?: readonly string[];
  /** An earlier report: its findings are accepted. */
  readonly baseline?: Pick<Report, "hash" | "findings">;
  /** The engine's event log, for policy violations. */
  readonly events?: string;
  /** Default: the present time. */
  readonly now?: Date;
  /**
   * The project's folder, where a program in YAML or HCL is read for the lines of its resources. Default: the
   * current folder.
   */
  readonly folder?: string;
  /** The name of the preview in errors. */
  readonly source?: string;
}

/** Reports on a preview that was read. */
export function reportOn(
  { steps, before, after, limits, hidden }: PreviewedChange,
  { events, now = new Date(), folder = process.cwd(), ...options }: Omit<ReviewOptions, "source">,
): Report {
  const meant = compare(before, after, { now });
  const [inYaml, inHcl] = [locationsInYaml(folder), locationsInHcl(folder)];
  const locations = new Map(steps.map((step) => [step.urn, locationOf(step, inYaml, inHcl)]));
  const accepted = acceptedBy(meant, options);
  const reviewed = (finding: Finding): ReviewedFinding => placed(finding, locations, accepted(finding));
  return {
    version: 1,
    hash: meant.hash,
    access: meant.access,
    counts: meant.counts,
    findings: meant.findings.map(reviewed),
    standing: meant.standing.map(reviewed),
    guarantees: meant.guarantees,
    addresses: meant.addresses,
    changes: changesOf(steps, meant.remaining),
    limits: [...limits, ...accounts(steps)],
    ...(meant.unnoticed && !hidden && { unnoticed: true as const }),
    ...(events !== undefined && { violations: readViolations(events) }),
  };
}

function placed(
  finding: Finding,
  locations: ReadonlyMap<string, SourceLocation>,
  accepted: boolean,
): ReviewedFinding {
  const cause = { ...finding.cause, ...locations.get(finding.cause.urn ?? "") };
  return { ...finding, cause, ...(accepted && { accepted }) };
}

function acceptedBy(
  { hash }: Comparison,
  { accept = [], baseline }: ReviewOptions,
): (finding: Finding) => boolean {
  const hashes = new Set([
    ...accept,
    ...(baseline ? [baseline.hash, ...baseline.findings.map((finding) => finding.hash)] : []),
  ]);
  return (finding) => isAcceptedBy(hashes.has(hash) ? { ...finding, hash } : finding, hashes);
}

/** Counts a replacement as one change, although it has several steps. */
function changesOf(steps: readonly OurStep[], remaining: Comparison["remaining"]): ReviewedChange[] {
  const byUrn = new Map(remaining.map(({ urn, fields }) => [urn, fields]));
  const changes = new Map<string, ReviewedChange>();
  for (const { op, urn, type, oldState } of steps) {
    if (op === "same" || (oldState?.delete && op.startsWith("delete"))) continue;
    const fields = byUrn.get(urn);
    changes.set(urn, {
      op: op.includes("replace") ? "replace" : op,
      urn,
      kind: type.kind,
      name: nameIn(urn),
      ...(fields && { fields }),
    });
  }
  return [...changes.values()];
}

function accounts(steps: readonly OurStep[]): string[] {
  const providers = new Set(
    steps.flatMap(
      ({ newState, oldState }) => (newState ?? oldState)?.provider?.split("::").slice(0, -1).join("::") ?? [],
    ),
  );
  return providers.size > 1
    ? ["This program has several accounts; they are reviewed as if all were on one server."]
    : [];
}
