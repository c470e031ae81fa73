import { isObject } from "../contract/core/narrow";
import { type DecisionRequest, UNRECORDED } from "../meaning/judgement/types";
import { sourceOf } from "../meaning/networks/source";

/**
 * A line of recorded traffic: how many equal requests, or connections without HTTP, came within an hour. It
 * never holds a query, a header but the user agent, a token, a claim or a body. `"unknown"` stands for what
 * the gateway did not look at, such as a token where no route asks for one; decisions that depend on it are
 * open.
 */
export interface TrafficLine {
  /** The beginning of the hour, in UTC: `2026-11-22T14:00:00Z`. */
  readonly hour: string;
  /** How many came; at least 1. */
  readonly count: number;
  /** The name in TLS, and the port that the hostport names: `app.example.com:443`. */
  readonly address: string;
  /** The Host header; null without HTTP. */
  readonly host: string | null;
  /** Null without HTTP. */
  readonly method: string | null;
  /**
   * Without its query; `…` stands for a part that was left out. Null without HTTP; `"unknown"` for one that
   * Envoy refuses, which it reports changed in part.
   */
  readonly path: string | null;
  /** The address that they came from, or the network in CIDR notation: a /24 or a /48. */
  readonly from: string;
  /** Null: none was shown. */
  readonly client_certificate: TrafficCertificate | null | typeof UNRECORDED;
  /** As in questions to `decide`, and without claims. Null: none was sent. */
  readonly token: DecisionRequest["token"] | null;
  /** As in questions to `decide`, and without claims. Null: nobody was signed in. */
  readonly session: DecisionRequest["session"] | null;
  /** Null: none was sent. One that is too long to be recorded is `"unknown"`. */
  readonly user_agent: string | null;
  /** The version of TLS; null for a connection without it. */
  readonly tls: "1.2" | "1.3" | null | typeof UNRECORDED;
  /** The status of the answer; null where there was no answer in HTTP. */
  readonly status: number | null;
}

/** The authority that signed a caller's certificate. */
export interface TrafficCertificate {
  /** The id of the authority, or `other` for one that is not stored. */
  readonly authority: string;
  /** The common name of the subject of the authority's certificate. */
  readonly subject?: string;
}

/** The requests of an hour that were only counted. */
export interface OtherTraffic {
  readonly hour: string;
  readonly count: number;
  readonly other: true;
}

/** A line that is not a line of traffic: cut off, too long, not UTF-8, or with fields of another form. */
export interface DamagedLine {
  /** The number of the line in its file, from 1. */
  readonly damaged: number;
  /** Begins as in "is not JSON"; never quotes the line. */
  readonly reason: string;
}

/** An entry of a file of recorded traffic. */
export type TrafficEntry = TrafficLine | OtherTraffic | DamagedLine;

type Is = (value: unknown) => boolean;

const HOUR = /^\d{4}-\d{2}-\d{2}T\d{2}:00:00Z$/;
const isHour: Is = (value) => typeof value === "string" && HOUR.test(value);
const isCount: Is = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const isText: Is = (value) => typeof value === "string";
const isTextOrNull: Is = (value) => value === null || typeof value === "string";
const isNoneOr =
  (is: Is): Is =>
  (value) =>
    value === null || value === UNRECORDED || is(value);

const FIELDS: Readonly<Record<keyof TrafficLine, Is>> = {
  hour: isHour,
  count: isCount,
  address: isText,
  host: isTextOrNull,
  method: isTextOrNull,
  path: isTextOrNull,
  from: (value) => typeof value === "string" && (value === UNRECORDED || sourceOf(value) !== undefined),
  client_certificate: isNoneOr(
    (value) =>
      isObject(value) && isText(value.authority) && (value.subject === undefined || isText(value.subject)),
  ),
  token: isNoneOr((value) => value === "invalid" || (isObject(value) && isText(value.issuer))),
  session: isNoneOr(isObject),
  user_agent: isTextOrNull,
  tls: isNoneOr((value) => value === "1.2" || value === "1.3"),
  status: (value) => value === null || Number.isSafeInteger(value),
};
const CHECKS = Object.entries(FIELDS);

/** @returns why a value is not a line of traffic; undefined if it is one. Unknown fields are allowed. */
export function mistakeInLine(value: unknown): string | undefined {
  if (!isObject(value)) return "is not a JSON object";
  const names =
    value.other === true ? CHECKS.filter(([name]) => name === "hour" || name === "count") : CHECKS;
  const wrong = names.find(([name, is]) => !is(value[name]));
  return wrong && `has no ${wrong[0]}, or one of another form`;
}
