interface More {
  /** How long the authority asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the authority has decided, so that an order goes no further. By default, it may still be met. */
  readonly isFinal?: boolean;
}

/** Why an authority does not issue a certificate: its own words (RFC 8555 section 6.7), or ours. */
export class AcmeProblem extends Error {
  readonly retryAfterMs: number;
  readonly isFinal: boolean;
  constructor(
    /** The end of the problem's type, such as `caa` or `rateLimited`; or `unreachable`, `not_possible`. */
    readonly code: string,
    message: string,
    { retryAfterMs = 0, isFinal = false }: More = {},
  ) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.isFinal = isFinal;
  }
}

interface ProblemDocument {
  readonly type?: unknown;
  readonly detail?: unknown;
  readonly subproblems?: unknown;
}

/** Longer texts of an authority are cut. */
const MAX_LENGTH = 1000;

/** Reads a problem document (RFC 7807). */
export function problemIn(document: unknown, what: string, more: More): AcmeProblem {
  const { type, detail, subproblems }: ProblemDocument =
    typeof document === "object" && document !== null ? document : {};
  const code = typeof type === "string" ? (type.split(":").at(-1) ?? "") : "";
  const details = [detail, ...(Array.isArray(subproblems) ? subproblems.map((one) => one?.detail) : [])];
  const detailText = details.filter((one) => typeof one === "string").join("; ");
  return new AcmeProblem(
    code || "malformed",
    `${what}: ${detailText || "the authority says no reason"}`.slice(0, MAX_LENGTH),
    more,
  );
}
