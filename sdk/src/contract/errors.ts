/** A kind of error answer. */
export interface ErrorKind {
  /** Stable number; clients may rely on it. */
  readonly code: string;
  readonly status: number;
  /** For the documentation: when the server answers it. */
  readonly when: string;
}

/** Every error of the API. Server, client and documentation read this table (api-decisions "Errors"). */
export const ERRORS = {
  malformed_json: { code: "TP_1000", status: 400, when: "the body is missing, not JSON in UTF-8, or not a JSON object" },
  invalid_field: { code: "TP_1001", status: 400, when: "a field has a wrong type, breaks a limit or a rule" },
  unknown_field: { code: "TP_1002", status: 400, when: "a field does not exist there" },
  immutable_field: { code: "TP_1003", status: 400, when: "an update names a field that is set at creation only" },
  missing_target: { code: "TP_1004", status: 400, when: "a reference names an object that does not exist" },
  wrong_id_kind: { code: "TP_1005", status: 400, when: "an id belongs to another kind of object" },
  unsupported_version: { code: "TP_1006", status: 400, when: "the header Service-Version is missing or not 2" },
  invalid_query: { code: "TP_1007", status: 400, when: "a query parameter is unknown or has a bad value" },
  invalid_header: { code: "TP_1008", status: 400, when: "a header has a bad value; `Host` is an address of at most 261 characters" },
  malformed_request: { code: "TP_1009", status: 400, when: "the request is not valid HTTP" },
  missing_key: { code: "TP_1100", status: 401, when: "the header Authorization is missing or not `Bearer <key>`" },
  unknown_key: { code: "TP_1101", status: 401, when: "the API key is not known here" },
  expired_key: { code: "TP_1102", status: 401, when: "the API key has expired" },
  forbidden: { code: "TP_1200", status: 403, when: "the key's owner may not do this" },
  not_found: { code: "TP_1300", status: 404, when: "there is no such object" },
  no_route: { code: "TP_1301", status: 404, when: "there is no such path" },
  no_module: { code: "TP_1302", status: 404, when: "the module is not configured" },
  method_not_allowed: { code: "TP_1400", status: 405, when: "the path does not take this method; see the header Allow" },
  body_too_large: { code: "TP_1401", status: 413, when: "the body is larger than 1 MiB; that of a change set, than 16 MiB" },
  not_json: { code: "TP_1402", status: 415, when: "the body's Content-Type is not application/json" },
  rate_limited: {
    code: "TP_1403",
    status: 429,
    when: "too many requests with the API key, or too many unknown keys from the address; see Retry-After",
  },
  request_timeout: { code: "TP_1404", status: 408, when: "the request took too long to arrive" },
  headers_too_large: { code: "TP_1405", status: 431, when: "the path and the headers are larger than 16 KiB together" },
  in_use: { code: "TP_1500", status: 409, when: "other objects still refer to the object" },
  taken: { code: "TP_1501", status: 409, when: "another object holds a value that must be unique" },
  in_other_set: { code: "TP_1502", status: 409, when: "the object belongs to another change set" },
  too_many_deletes: { code: "TP_1503", status: 409, when: "a change set would delete more objects than its `max_deletes` allows" },
  precondition_failed: {
    code: "TP_1600",
    status: 412,
    when: "If-Match names another version of the object, or `expect` of a change set another plan",
  },
  idempotency_key_reused: { code: "TP_1700", status: 422, when: "the Idempotency-Key was used with another request" },
  internal: { code: "TP_1800", status: 500, when: "the server failed; the log has the operation id" },
  unavailable: { code: "TP_1801", status: 503, when: "storage does not answer, or the server is shutting down; see Retry-After" },
  overloaded: {
    code: "TP_1802",
    status: 503,
    when: "there are too many requests at once, in total or from the API key's owner, or more than 4 MiB of the owner's bodies wait to be checked; nothing was changed; see Retry-After",
  },
} as const satisfies Record<string, ErrorKind>;

/** The name of an error in the table. */
export type ErrorName = keyof typeof ERRORS;

/** The body of every answer with a status of 400 or more. */
export interface ErrorBody {
  readonly error_code: string;
  readonly status_code: number;
  /** What is wrong, what was expected and what to do. */
  readonly msg: string;
  /** Always `operation_id`; also `field` if one field is invalid. */
  readonly details: Readonly<Record<string, string>>;
  /** Of a change set only: what is wrong with its objects, at most 1,000 faults. */
  readonly faults?: readonly SetFault[];
  /** The number of faults. */
  readonly fault_count?: number;
}

/** An error in one object of a change set. */
export interface SetFault {
  /** `<kind>/<key>` of the object. */
  readonly key: string;
  /** The field, for example `hostports[0]`; empty for the object as a whole. */
  readonly field: string;
  readonly error_code: string;
  readonly msg: string;
}
