import { ERRORS, type ErrorBody, type ErrorName, formatPath, present } from "@tunnelplane/sdk/contract";

/** Texts of callers are cut in errors: an id may have the length of a request line. */
const MAX_TEXT_LENGTH = 100;
/** A text of a caller may stand in brackets and quotes, as a part of a path. */
const MAX_WORD_LENGTH = MAX_TEXT_LENGTH + 20;

/** A text of a caller, in quotes, as errors repeat it. */
export const quoted = (text: string): string => JSON.stringify(shortened(text));

/** A text of a caller, as errors repeat it. */
export const shortened = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;

/** Our own words are short, so a longer one came from a caller. */
const cutWords = (message: string): string =>
  message.replace(/\S+/g, (word) => (word.length > MAX_WORD_LENGTH ? shortened(word) : word));

/** A refusal, which the API answers with its own status. Any other error becomes a 500. */
export class RequestError extends Error {
  constructor(
    readonly error: ErrorName,
    message: string,
    readonly options: {
      readonly field?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly guarantees?: ErrorBody["guarantees"];
    } = {},
  ) {
    super(cutWords(message));
  }

  get status(): number {
    return ERRORS[this.error].status;
  }

  body(operationId: string): ErrorBody {
    const { code, status } = ERRORS[this.error];
    const details: Record<string, string> = { operation_id: operationId };
    if (this.options.field) details.field = cutWords(this.options.field);
    const { guarantees } = this.options;
    return {
      error_code: code,
      status_code: status,
      msg: this.message,
      details,
      ...(guarantees && { guarantees }),
    };
  }
}

/** The refusal of a query parameter. */
export const queryError = (field: string, message: string): RequestError =>
  new RequestError("invalid_query", message, { field });

/** A refusal that ends by itself: the client may repeat the request shortly. */
export const refusalForNow = (error: "overloaded" | "unavailable", message: string): RequestError =>
  new RequestError(error, message, { headers: { "retry-after": "1" } });

/** One fault of a body: the error, its path and its message. */
export interface Fault {
  readonly error: ErrorName;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

// As many as a person fixes at once. A body of 1 MiB can have a hundred thousand faults.
const FAULTS_SHOWN = 20;

/**
 * One refusal for all faults of a body: code and field of the first fault, and the messages of the first few.
 */
export class BodyError extends RequestError {
  constructor(readonly faults: readonly [Fault, ...Fault[]]) {
    const [first] = faults;
    const lines = faults
      .slice(0, FAULTS_SHOWN)
      .map(({ path, message }) => `${formatPath(path) || "the body"} ${message}`);
    if (faults.length > FAULTS_SHOWN) lines.push(`and ${faults.length - FAULTS_SHOWN} more`);
    super(first.error, lines.join("; "), { field: formatPath(first.path) });
  }

  /** The same refusal for a body that is itself one field of an object: removes that field from the paths. */
  within(field: string): BodyError {
    const [first, ...others] = this.faults.map((fault) =>
      fault.path[0] === field ? { ...fault, path: fault.path.slice(1) } : fault,
    );
    return new BodyError([present(first), ...others]);
  }
}

/** Refuses a body that has faults. */
export function refuseFaults(faults: readonly Fault[]): void {
  const [first, ...others] = faults;
  if (first) throw new BodyError([first, ...others]);
}
