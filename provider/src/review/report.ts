import type {
  Comparison,
  Decision,
  DecisionRequest,
  FieldChange,
  Finding,
  Severity,
} from "@tunnelplane/sdk/meaning";
import type { TrafficReplay } from "@tunnelplane/sdk/traffic";
import type { Violation } from "./events";
import type { SourceLocation } from "./sourceLocations";

export interface ReviewedFinding extends Finding {
  readonly cause: Finding["cause"] & SourceLocation;
  /** Whether the finding or the whole report was accepted. */
  readonly accepted?: true;
}

export interface ReviewedChange {
  readonly op: string;
  readonly urn: string;
  readonly kind: string;
  readonly name: string;
  /** Its declared fields that differ and that no finding names; absent if there are none. */
  readonly fields?: readonly FieldChange[];
}

/** The reactions of two Envoys, before and after the change, to the examples of a report. */
export interface TriedOnEnvoy {
  /** The result in one line; or why there was no trial. */
  readonly sentence: string;
  /** How many examples were sent. */
  readonly requests: number;
  /** The examples for which an Envoy did something else than was decided. */
  readonly differing: readonly TriedExample[];
}

/** A line of `tunnelplane-gateway try --format json`. */
export interface TriedExample {
  readonly request: DecisionRequest;
  readonly before: { readonly said: Decision; readonly envoy: object };
  readonly after: { readonly said: Decision; readonly envoy: object };
  readonly agrees: boolean;
}

/** The report on a preview; the JSON of `review --format json`. */
export interface Report {
  readonly version: 1;
  /** The hash of all findings: the same for the same plan, on another day and with other ids. */
  readonly hash: string;
  /** The requests that the change lets in, with a proof; the verdict in one line is its `sentence`. */
  readonly access: Comparison["access"];
  readonly counts: Comparison["counts"];
  /** The most severe first. */
  readonly findings: readonly ReviewedFinding[];
  /** Findings on objects that do not change. */
  readonly standing: readonly ReviewedFinding[];
  /** Every declared guarantee, and whether it holds before and after. */
  readonly guarantees: Comparison["guarantees"];
  readonly addresses: Comparison["addresses"];
  readonly changes: readonly ReviewedChange[];
  /** Sentences about parts that the review could not see. */
  readonly limits: readonly string[];
  /** The reactions of two Envoys to the examples, if there was a trial. */
  readonly tried?: TriedOnEnvoy;
  /** The effects of the change on recorded requests, if some were given. */
  readonly traffic?: TrafficReplay;
  /** Whether only fields change that no caller and no owner can notice, such as descriptions. */
  readonly unnoticed?: true;
  /** Policy violations, if an event log was given. */
  readonly violations?: readonly Violation[];
}

export const SEVERITIES: readonly Severity[] = ["high", "medium", "low"];

/** The lowest severity that fails a review. */
export type FailOn = Severity | "never";

/** The findings that fail a review: at or above a severity, and not accepted. */
export const failing = ({ findings }: Report, failOn: FailOn = "high"): ReviewedFinding[] =>
  failOn === "never"
    ? []
    : findings.filter(
        ({ severity, accepted }) => !accepted && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failOn),
      );
