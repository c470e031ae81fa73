import {
  MAX_NAME_BYTES,
  NAME_HEADER,
  PROJECT_HEADER,
  PROJECT_NAME,
  sampleId,
} from "@tunnelplane/sdk/contract";
import type { Json } from "./schemas";

const ORDER =
  "Rows are in the order of changes, each with the time of its server's clock; one whose clock was wrong is missing if it is more than 5,000 rows away from its time.";

const TEXT = { type: "string" };
const SWITCH = { type: "boolean", default: false };

/** Parameters by their names, as OpenAPI describes them. */
const located = (location: "header" | "query", parameters: Readonly<Record<string, Json>>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { name, in: location, ...parameter }]),
  );

const exactly = (field: string): Json => ({
  description: `Only objects with exactly this \`${field}\`. A page looks at 5,000 objects at most, so it may have few; \`next_page_uri\` continues.`,
  schema: TEXT,
});

/** The parameters of operations, by the names that these use. */
export const PARAMETERS: Readonly<Record<string, Json>> = {
  ...located("header", {
    "Service-Version": {
      required: true,
      description: "The version of this API.",
      schema: { type: "string", enum: ["2"], default: "2" },
    },
    [PROJECT_HEADER]: {
      description:
        "The name of the project that the request is about. Default: the API key's, or its owner's only one, or `default`. A project in which the owner has no role does not exist (404).",
      schema: { type: "string", pattern: PROJECT_NAME.source },
    },
    [NAME_HEADER]: {
      description: `The name that the object has in the program or catalogue that declares it, for people: percent-encoded UTF-8 (\`caf%C3%A9\` for "café"), at most ${MAX_NAME_BYTES} bytes before it is encoded, without control characters. Empty for none. Left out, a new object has none, and another keeps its own. Reads with \`names=true\` answer it.`,
      schema: { type: "string", maxLength: 3 * MAX_NAME_BYTES, pattern: "^([ -$&-~]|%[0-9A-Fa-f]{2})*$" },
    },
    "If-Match": { description: "Go on only if this is the current ETag.", schema: TEXT },
    "If-None-Match": { description: "Answer 304 without a body if this is the current ETag.", schema: TEXT },
  }),
  ...located("query", {
    limit: {
      description:
        "Largest number of objects in the page. A page holds at most 8 MiB, so it may have fewer; `next_page_uri` continues.",
      schema: { type: "integer", minimum: 1, maximum: 100, default: 100 },
    },
    q: {
      description: "The text to search for: words with spaces between them, at most 128 characters.",
      schema: { type: "string", minLength: 1, maxLength: 128 },
      example: "example.com",
    },
  }),
  ...located("header", {
    "Idempotency-Key": {
      description:
        "Makes the request idempotent: for 24 hours, the same request with the same key gets its first answer and changes nothing.",
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
    },
    "Idempotency-Key-After": {
      description:
        "The id of the object that the Idempotency-Key created before. If that is still its answer, the request creates a new object, which is the key's answer from then on.",
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
    },
  }),
  ...located("query", {
    dry_run: {
      description:
        "`true` for a dry run: the server checks everything and answers as usual, but keeps, generates and signs nothing. Tokens, keys, certificates and addresses that only the real request makes are null.",
      schema: SWITCH,
    },
    force: {
      description:
        "`true` to change IP restrictions, policies and rules even if that keeps you yourself out of the API. For an admin of the account it also sets aside guarantees that stand in the way; the audit log says which, and so do the findings of a dry run.",
      schema: SWITCH,
    },
    findings: {
      description:
        "Whether a dry run also answers the effects of the change on callers: `findings`, `access` (the requests that it lets in, with a proof), and `finding_limits` if something was not examined.",
      schema: SWITCH,
    },
    address: {
      description:
        "Only this address, for example `app.example.com:443/admin`, or all that is served at this hostport.",
      schema: TEXT,
    },
    after_address: { description: "Only addresses after this one.", schema: TEXT },
    type: { description: "Only events of this type.", schema: TEXT },
    object_id: {
      description: "The object: only its events, its rows of the audit log, or the objects that refer to it.",
      schema: TEXT,
      example: sampleId("edgtls", "one"),
    },
    project: { description: "Only what is about the project of this name.", schema: TEXT },
    principal: { description: "Only changes of this user or bot, by its id or its name.", schema: TEXT },
    kind: { description: "Only changes of objects of this kind, for example `ip_policy`.", schema: TEXT },
    action: {
      description:
        "Only this action, for example `ip_policy_created` or `signed_in`; or a change of any kind of object: `created`, `updated`, `deleted` or `expired`.",
      schema: { type: "string", pattern: "^[a-z_]+$", maxLength: 64 },
    },
    from: {
      description: `Only rows of this moment (RFC 3339) or later. ${ORDER}`,
      schema: { type: "string", format: "date-time" },
    },
    to: {
      description: `Only rows of this moment (RFC 3339) or earlier. ${ORDER}`,
      schema: { type: "string", format: "date-time" },
    },
    status: {
      description: "Only deliveries of this status.",
      schema: { type: "string", enum: ["pending", "delivered", "dead"] },
    },
    state: {
      description:
        "`true` also answers whether each guarantee holds: `state`, `covered`, `example` and `reason`, which are null without it. A page then has at most 20 guarantees; `next_page_uri` continues.",
      schema: SWITCH,
    },
    shared: {
      description: "`true` also lists the objects of shared projects, which others may read and refer to.",
      schema: SWITCH,
    },
    names: {
      description:
        "`true` also answers `resource_name`, the name that a program or a catalogue gave the object, where it has one. `If-None-Match` then has no effect, because ETags do not cover names. In the audit log: `principal_name`, the name of who made the change.",
      schema: SWITCH,
    },
    replaces: {
      description:
        "The id of an object of the same kind and project that the new one replaces. The new one may claim its unique values. Edges and routes wait: the old one serves, with its routes and modules, until it is deleted, and in that moment the new one takes over (`waits_for`). Others have the values at once; the old one is answered unchanged until it is deleted, and deleting the new one first gives them back. One object replaces one (409).",
      schema: TEXT,
    },
    with_replacement: {
      description:
        "`true` also deletes the object that was created to replace this one (`?replaces=`) and waits for it. Otherwise that one takes over.",
      schema: SWITCH,
    },
    closes: {
      description:
        "The id of the edge or route that this belongs to, which will be deleted next: without this it might be more open than before, so it serves nothing from now on. It serves again once it has this again, or this is deleted once more without `closes` (`closed_without`).",
      schema: TEXT,
    },
    closed_without: {
      description:
        "The parts that the object gets next, each by a request of its own: it serves nothing until it has all of them (`closed_without`). Modules by their names (`ip_restriction`), routes of an edge by `match_type` and `match` (`path_prefix /admin`), a module of one with its name behind (`path_prefix /admin oauth`). At most 100, with commas between; what stands between them is percent-encoded once more. An update adds to them those that are not there; one that sends only hostports and texts, to an edge that serves, closes only the hostports that it adds (`closed_hostports`). With an empty one, the object serves.",
      schema: TEXT,
    },
    remove_after: {
      description:
        "The parts that the object gets next, each by a request of its own, named as in `closed_without`: what `remove` names applies until it has all of them, and goes with the last (`leaving`).",
      schema: TEXT,
    },
    hostport: {
      description: "Only the edge that serves this hostport, in upper or lower case.",
      schema: TEXT,
    },
    owner_id: { description: "Only objects of this user or bot.", schema: TEXT },
    description: exactly("description"),
    metadata: exactly("metadata"),
    after_id: {
      description:
        "Only events that came later than this one, oldest first, each with its `sequence`. An event that was removed, or after which others were removed, is refused (400).",
      schema: TEXT,
    },
    after_name: { description: "Only gateways whose names come after this one.", schema: TEXT },
    wait: {
      description:
        "Oldest first; if there is nothing after `after_id`, waits so many seconds for it (a long poll), and answers an empty list when the time is over or the server stops.",
      schema: { type: "integer", minimum: 0, maximum: 30 },
    },
    before_id: { description: "Only objects older than this one.", schema: TEXT },
  }),
};

/** `limit` of an operation that answers no pages. */
export const limitOf = (usual: number): Json => ({
  name: "limit",
  in: "query",
  description: "Largest number of results.",
  schema: { type: "integer", minimum: 1, maximum: 100, default: usual },
});

/** `remove` of an update of an object that has these parts. */
export const removeOf = (parts: readonly string[]): Json => ({
  name: "remove",
  in: "query",
  description:
    "Removes these in the same change, so that one takes the place of another without a gap. One that is not there is no error; one that the body sends is.",
  style: "form",
  explode: false,
  schema: { type: "array", items: { type: "string", enum: parts }, minItems: 1 },
});

/** The headers of answers. */
export const HEADERS: Json = {
  "Idempotent-Replayed": {
    description: "`true` if this is the first answer to an idempotent request, sent again.",
    schema: { type: "string", const: "true" },
  },
  ETag: { description: "The version of the answered object, for If-Match.", schema: { type: "string" } },
  "Retry-After": {
    description: "Try again after this many seconds; nothing was changed.",
    schema: { type: "integer", minimum: 1 },
  },
  Location: { description: "Address of the new object.", schema: { type: "string", format: "uri" } },
};
