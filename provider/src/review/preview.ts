import { isObject } from "@tunnelplane/sdk/contract";
import { nameIn } from "../core/urn";

const PEM = /-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(-----END [A-Z0-9 ]+-----|$)/g;

/** The engine's text without its colours, without keys and certificates, of bounded length. */
export function plain(message: string, most = 1000): string {
  const text = message
    .replace(/<\{%[^%]*%\}>/g, "")
    .replace(PEM, "(PEM)")
    .trim();
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The end of every error: how to make the expected input. */
export const EXPECTED = "expected the output of: pulumi preview --json --show-sames > preview.json";

/** A resource before or after a preview. */
export interface State {
  readonly urn: string;
  readonly id?: string;
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly provider?: string;
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  /** The resource that declares this object, if it is another: a `CatalogueSet`. */
  readonly declaredBy?: string;
  readonly stackTrace?: readonly { readonly sourcePosition?: string }[];
}

export interface PreviewStep {
  readonly op: string;
  readonly urn: string;
  readonly oldState?: State;
  readonly newState?: State;
  /** The paths of the properties that differ, by the provider; includes secrets. */
  readonly detailedDiff?: Readonly<Record<string, unknown>> | null;
}

export interface Preview {
  readonly steps: readonly PreviewStep[];
  /** The number of unchanged resources that are missing in the steps. */
  readonly missing: number;
}

/** Decodes a file. Shells on Windows write UTF-16 with a byte-order mark. */
export function textOf(bytes: Buffer): string {
  const text = bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString("utf16le") : bytes.toString("utf8");
  return text.replace(/^\uFEFF/, "");
}

/**
 * Reads the output of `pulumi preview --json`. Refuses anything else with one line, which never quotes the
 * input, and a preview that failed with its errors.
 *
 * @param source the name of the input in that line
 */
export function readPreview(preview: string | object, source = "The preview"): Preview {
  const read = typeof preview === "string" ? parsed(preview, source) : preview;
  if (!isObject(read) || !looksLikePreview(read)) throw new Error(`${source} is other JSON; ${EXPECTED}`);
  const failed = (Array.isArray(read.diagnostics) ? read.diagnostics : []).filter(
    (diagnostic) => isObject(diagnostic) && diagnostic.severity === "error",
  );
  if (failed.length > 0)
    throw new Error(
      `${source} is of a preview that failed (${failedResources(failed)}): fix what it says, then preview again${errorsIn(failed)}`,
    );
  const steps = (read.steps ?? []) as PreviewStep[];
  const { same } = isObject(read.changeSummary) ? read.changeSummary : {};
  return {
    steps,
    missing: Math.max(
      (typeof same === "number" ? same : 0) - steps.filter(({ op }) => op === "same").length,
      0,
    ),
  };
}

function parsed(text: string, source: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "")
    throw new Error(`${source} is empty: the preview failed, and said why on standard error; ${EXPECTED}`);
  if (isEvent(firstLine(trimmed))) {
    throw new Error(
      `${source} is a stream of engine events, which may hold secrets in clear: unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW, delete it; ${EXPECTED}`,
    );
  }
  try {
    return JSON.parse(trimmed);
  } catch {
    throw new Error(`${source} is not JSON; ${EXPECTED}`); // do not quote the input, which may hold secrets
  }
}

function firstLine(text: string): unknown {
  try {
    return JSON.parse(text.split("\n", 1).join());
  } catch {
    return undefined;
  }
}

/** A line of the engine's event log. */
export const isEvent = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) &&
  typeof value.timestamp === "number" &&
  ("sequence" in value || Object.keys(value).some((key) => key.endsWith("Event")));

/** The engine omits empty parts: a program that fails early has no steps. */
const looksLikePreview = ({
  steps,
  diagnostics,
  changeSummary,
}: Readonly<Record<string, unknown>>): boolean =>
  steps === undefined
    ? isObject(changeSummary) ||
      (Array.isArray(diagnostics) &&
        diagnostics.some((diagnostic) => isObject(diagnostic) && "severity" in diagnostic))
    : Array.isArray(steps) &&
      steps.every(
        (step) => isObject(step) && typeof step.op === "string" && /^urn:pulumi:/.test(String(step.urn)),
      );

/** Limits on the errors that are repeated from a failed preview. */
const MAX_ERRORS = 20;
const MAX_ERROR_LENGTH = 2000;

/** The engine's messages for each error, on lines of their own. */
function errorsIn(failed: readonly Readonly<Record<string, unknown>>[]): string {
  const messages = failed.map(({ urn, message }) => {
    const at = typeof urn === "string" && urn !== "" ? `${nameIn(urn)}: ` : "";
    return `\n  ${at}${plain(String(message ?? ""), MAX_ERROR_LENGTH).replace(/\n/g, "\n  ")}`;
  });
  const more = messages.length > MAX_ERRORS ? `\n  and ${messages.length - MAX_ERRORS} more` : "";
  return `${messages.slice(0, MAX_ERRORS).join("")}${more}`;
}

/** The resources with errors. */
function failedResources(failed: readonly { readonly urn?: unknown }[]): string {
  const names = [
    ...new Set(failed.flatMap(({ urn }) => (typeof urn === "string" && urn !== "" ? [nameIn(urn)] : []))),
  ];
  const count = `${failed.length} ${failed.length === 1 ? "error" : "errors"}`;
  return names.length === 0 ? count : `${count}, at ${names.slice(0, 5).join(", ")}`;
}
