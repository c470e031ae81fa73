/** A kind of error answer. */
export interface ErrorKind {
  /** Stable number; clients may rely on it. */
  readonly code: string;
  readonly status: number;
  /** For the documentation: when the server answers it. */
  readonly when: string;
  /** For people who look the code up: what to do. */
  readonly cure?: string;
}

/** Every error of the API. Server, client and documentation read this table (api-decisions "Errors"). */
export const ERRORS = {
  malformed_json: {
    code: "TP_1000",
    status: 400,
    when: "the body is missing, not JSON in UTF-8, or not a JSON object",
    cure: "Send a JSON object in UTF-8. `msg` says at which character it breaks off.",
  },
  invalid_field: {
    code: "TP_1001",
    status: 400,
    when: "a field has a wrong type, breaks a limit or a rule",
    cure: "Correct the field that `details.field` names. `tunnelplane explain <kind>.<field>` says which values it takes.",
  },
  unknown_field: {
    code: "TP_1002",
    status: 400,
    when: "a field does not exist there",
    cure: "Correct the name; `msg` lists the names that exist. Programs write camelCase, the API snake_case.",
  },
  immutable_field: {
    code: "TP_1003",
    status: 400,
    when: "an update names a field that is set at creation only",
    cure: "Leave the field out, or delete the object and create it again. In programs, Pulumi replaces it by itself.",
  },
  missing_target: {
    code: "TP_1004",
    status: 400,
    when: "a reference names an object that does not exist",
    cure: "Create that object first, or correct the id. In programs, pass `web.id` instead of a text, so that Pulumi waits for it.",
  },
  wrong_id_kind: {
    code: "TP_1005",
    status: 400,
    when: "an id belongs to another kind of object",
    cure: "Use an id of the kind that `msg` names; ids tell their kind by their prefix.",
  },
  unsupported_version: {
    code: "TP_1006",
    status: 400,
    when: "the header Service-Version is missing or not 2",
    cure: "Send `Service-Version: 2` with every request.",
  },
  invalid_query: {
    code: "TP_1007",
    status: 400,
    when: "a query parameter is unknown or has a bad value",
    cure: "Correct or remove the parameter. For the next page of a list, use `next_page_uri` unchanged.",
  },
  invalid_header: {
    code: "TP_1008",
    status: 400,
    when: "a header has a bad value; `Host` is an address of at most 261 characters",
    cure: "Correct the header that `msg` names. Behind a proxy, look at what it sends as `Host` and `X-Forwarded-…`.",
  },
  malformed_request: {
    code: "TP_1009",
    status: 400,
    when: "the request is not valid HTTP",
    cure: "Check which client uses this port: often it speaks TLS to a port without TLS, or another protocol.",
  },
  missing_key: {
    code: "TP_1100",
    status: 401,
    when: "the header Authorization is missing or not `Bearer <key>`",
    cure: "Send `Authorization: Bearer <key>`. Programs take the key from `TUNNELPLANE_API_KEY`.",
  },
  unknown_key: {
    code: "TP_1101",
    status: 401,
    when: "the API key is not known here",
    cure: "Check that the key is complete and belongs to this server (`tunnelplane doctor`). A deleted key does not come back; you can replace [a lost admin key](operations.md#a-lost-admin-key).",
  },
  expired_key: {
    code: "TP_1102",
    status: 401,
    when: "the API key has expired",
    cure: "Ask an admin for a new key, or make one before the old one ends (`GET /caller` says when).",
  },
  refused_token: {
    code: "TP_1103",
    status: 401,
    when: "an identity token matches no workload identity",
    cure: "An admin sees in the audit log what did not match: the row `identity_token_refused` names claims in `changed`. See [without a key](how-to/ci-without-keys.md#when-a-token-is-refused).",
  },
  forbidden: {
    code: "TP_1200",
    status: 403,
    when: "the key's owner may not do this",
    cure: "Ask an admin. Destinations and subscriptions of events are for admins; credentials and keys belong to their owner.",
  },
  not_found: {
    code: "TP_1300",
    status: 404,
    when: "there is no such object",
    cure: "Correct the id. An object of somebody else looks missing, too. If a program declared it, `pulumi refresh` corrects the state.",
  },
  no_route: {
    code: "TP_1301",
    status: 404,
    when: "there is no such path",
    cure: "Compare the path with the [reference](reference/README.md); base URLs end without `/v2` or the like.",
  },
  no_module: {
    code: "TP_1302",
    status: 404,
    when: "the module is not configured",
    cure: "`PUT` the module first; a module that was never configured, or was deleted, is null in its object.",
  },
  method_not_allowed: {
    code: "TP_1400",
    status: 405,
    when: "the path does not take this method; see the header Allow",
    cure: "Use a method that the header `Allow` names.",
  },
  body_too_large: {
    code: "TP_1401",
    status: 413,
    when: "the body is larger than 1 MiB; that of a change set or a gateway's report, than 16 MiB; that of an exchange, than 64 KiB",
    cure: "Split it: several requests, or a change set of fewer objects.",
  },
  not_json: {
    code: "TP_1402",
    status: 415,
    when: "the body's Content-Type is not application/json, or at `POST /token` not application/x-www-form-urlencoded",
    cure: "Send `Content-Type: application/json`; only `POST /token` takes a form.",
  },
  rate_limited: {
    code: "TP_1403",
    status: 429,
    when: "too many requests with the API key, or too many unknown keys or identity tokens from the address; see Retry-After",
    cure: "Wait as long as `Retry-After` says; the client does so by itself. An operator sets `--rate-limit`.",
  },
  request_timeout: {
    code: "TP_1404",
    status: 408,
    when: "the request took too long to arrive",
    cure: "Look at the network between; an operator sets `--request-timeout`.",
  },
  headers_too_large: {
    code: "TP_1405",
    status: 431,
    when: "the path and the headers are larger than 16 KiB together",
    cure: "Shorten path, query or headers; often a proxy adds cookies.",
  },
  in_use: {
    code: "TP_1500",
    status: 409,
    when: "other objects still refer to the object",
    cure: "Change or delete the objects that `msg` names first. Pulumi does it in the right order if the program passes `.id`s.",
  },
  taken: {
    code: "TP_1501",
    status: 409,
    when: "another object holds a value that must be unique",
    cure: "Remove the value from the object that `msg` names first, or choose another. Two edges of one stack may exchange hostports.",
  },
  in_other_set: {
    code: "TP_1502",
    status: 409,
    when: "the object belongs to another change set",
    cure: "Change it through its own change set, or delete it there first.",
  },
  too_many_deletes: {
    code: "TP_1503",
    status: 409,
    when: "a change set would delete more objects than its `max_deletes` allows",
    cure: "Read the plan; if the deletions are intended, raise `--max-deletes`.",
  },
  guarantee_broken: {
    code: "TP_1504",
    status: 409,
    when: "an enforced guarantee held before the change, and would not after it",
    cure: "`guarantees` has each one with a request that shows why. Change the object that lets the request in or refuses it; or apply several changes as one change set, because only its result is judged. In a program, `dependsOn` orders them, and a `CatalogueSet` is a change set.",
  },
  guarantee_contradicted: {
    code: "TP_1505",
    status: 409,
    when: "an enforced guarantee wants a request refused that another one wants answered",
    cure: "`guarantees` names the other one, with the request. Narrow one of the two: its addresses, methods, networks or credentials.",
  },
  replaced: {
    code: "TP_1506",
    status: 409,
    when: "a route or a module belongs to an object that another one replaces: it stays, and keeps out whom it kept out, until that object is deleted",
    cure: "Delete the object that `msg` names, with its routes and modules: the new one takes over in that moment.",
  },
  precondition_failed: {
    code: "TP_1600",
    status: 412,
    when: "If-Match names another version of the object, or `expect` of a change set another plan",
    cure: "Read the object again, look at what changed, and repeat with its new ETag.",
  },
  idempotency_key_reused: {
    code: "TP_1700",
    status: 422,
    when: "the Idempotency-Key was used with another request",
    cure: "Use a new key for a new request; a key stands for one request for 24 hours.",
  },
  internal: {
    code: "TP_1800",
    status: 500,
    when: "the server failed; the log has the operation id",
    cure: "Look for the operation id in the server's log, and report it. Whether a change was made is not known: read the object.",
  },
  not_implemented: {
    code: "TP_1803",
    status: 501,
    when: "the path is there for clients of the hosted service, and cannot be done here; `msg` says why",
    cure: "Do without it; `msg` says what there is instead.",
  },
  unavailable: {
    code: "TP_1801",
    status: 503,
    when: "storage does not answer, or the issuer of an identity token, or the server is shutting down; see Retry-After",
    cure: "Wait as long as `Retry-After` says. `tunnelplane doctor` says whether the database answers.",
  },
  overloaded: {
    code: "TP_1802",
    status: 503,
    when: "there are too many requests at once, in total or from the API key's owner, or more than 4 MiB of the owner's bodies wait to be checked; nothing was changed; see Retry-After",
    cure: "Wait as long as `Retry-After` says; the client does so. See [too many requests](operations.md#too-many-requests).",
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
  /** Of a change set only: its faults and those of its objects, at most 1,000. */
  readonly faults?: readonly SetFault[];
  /** The number of faults. */
  readonly fault_count?: number;
  /** The guarantees that refuse the change, at most 10. */
  readonly guarantees?: readonly BrokenGuaranteeFault[];
  /** Of an exchange of an identity token only: the same as RFC 6749 section 5.2 says it. */
  readonly error?: string;
  readonly error_description?: string;
}

/** A guarantee that refuses a change. */
export interface BrokenGuaranteeFault {
  readonly id: string;
  readonly description: string;
  /** A request that breaks it, and what happens to it before and after the change. */
  readonly example?: { readonly request: object; readonly before: object; readonly after: object };
  /** The request, where two guarantees contradict each other. */
  readonly request?: object;
  /** Why it can be proved no longer, if there is no request that breaks it. */
  readonly reason?: string;
}

/** An error in a change set. */
export interface SetFault {
  /** `<kind>/<key>` of the object; empty for the request itself. */
  readonly key: string;
  /** The field, for example `hostports[0]`; empty for the object as a whole. */
  readonly field: string;
  readonly error_code: string;
  readonly msg: string;
}
