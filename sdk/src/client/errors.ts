import type { BrokenGuaranteeFault, ErrorBody, SetFault } from "../contract/errors";
import { inOneLine } from "../terminal";

/** The base of all errors of a request. */
export class TunnelplaneError extends Error {
  override name = this.constructor.name;
}

/** The server did not answer: it cannot be reached, or closed the connection. */
export class ConnectionError extends TunnelplaneError {}

/** The server took longer than the time-out. A change may or may not have been made. */
export class TimeoutError extends TunnelplaneError {}

/** The answer does not come from a tunnelplane server. */
export class UnexpectedAnswerError extends TunnelplaneError {}

/** A job's identity token could not be had: there is no such file, for example. */
export class IdentityTokenError extends TunnelplaneError {}

/** The server refused a request. */
export class ApiError extends TunnelplaneError {
  /** HTTP status. */
  readonly status: number;
  /** Stable number of the error, for example `TP_1501`. */
  readonly code: string;
  /** The invalid field, for example `hostports[0]`. */
  readonly field: string | undefined;
  /** The id of the request in the server's log. */
  readonly operationId: string | undefined;
  /** Of a change set: its faults and those of its objects, at most 1,000. */
  readonly faults: readonly SetFault[];
  /** How many faults there are. */
  readonly faultCount: number;
  /**
   * The guarantees that refuse the change, at most 10, each with a request that shows why. The message names
   * the first of them.
   */
  readonly guarantees: readonly BrokenGuaranteeFault[];

  constructor(body: ErrorBody) {
    super(inOneLine(body.msg)); // a server that is not ours could write lines of its own
    this.status = body.status_code;
    this.code = body.error_code;
    this.field = body.details.field;
    this.operationId = body.details.operation_id;
    this.faults = body.faults ?? [];
    this.faultCount = body.fault_count ?? this.faults.length;
    this.guarantees = body.guarantees ?? [];
  }
}

/** 400: the request breaks the contract. */
export class BadRequestError extends ApiError {}
/** 401: the API key is missing or not known, or the identity token matches no workload identity. */
export class AuthenticationError extends ApiError {}
/** 403: the key's owner may not do this. */
export class PermissionError extends ApiError {}
/** 404: there is no such object, module or path. */
export class NotFoundError extends ApiError {}
/** 409: the object is in use, or a value is taken. */
export class ConflictError extends ApiError {}
/** 412: somebody changed the object since it was read. */
export class PreconditionFailedError extends ApiError {}
/** 422: the idempotency key was used with another request. */
export class IdempotencyError extends ApiError {}
/** 429: too many requests. */
export class RateLimitError extends ApiError {}
/** 5xx: the server failed, or cannot serve right now. */
export class ServerError extends ApiError {}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  422: IdempotencyError,
  429: RateLimitError,
};

/** Creates an error of the class for its status. */
export function apiErrorFrom(body: ErrorBody): ApiError {
  const Class = CLASSES[body.status_code] ?? (body.status_code >= 500 ? ServerError : ApiError);
  return new Class(body);
}
