import { definitionOfId, EVENT_TYPES, SESSION_EVENTS } from "@tunnelplane/sdk/contract";
import { auditEventShape, auditHeadShape, eventShape, eventTypeShape } from "@tunnelplane/sdk/operations";
import { type Caller, holderOf, isAccountAdmin, projectNames, projectOf, seesAllProjects } from "../../auth";
import type { Page, PageSize } from "../../documents";
import { auditPage, headOf } from "../../journal";
import { partAnswer } from "../../resources";
import { largeReadsOf, queryError, quoted, RequestError } from "../../util";
import { type EventFilter, eventAt, eventPage, eventsAfter, sequenceAfter } from "../../view";
import { auditFilterIn } from "../auditQuery";
import { afterOf, asksForNames, beforeOf, limitOf, waitOf } from "../query";
import type { ApiOperation, OperationScope } from "./operation";

const EVENT = { title: "event", idPrefix: "ev" };
const AUDIT_EVENT = { title: "audit event", idPrefix: "au" };

const EVENTS = {
  name: "Event",
  description: "The changes of objects, newest first. For admins and viewers; gateways follow them.",
};
const AUDIT = {
  name: "AuditEvent",
  description:
    "All changes and who made them, newest first: append-only, each row holding the hash of the one before. For admins; those of a project see its rows alone.",
};

/** The events and the audit log, which are read-only. */
export const journalOperations: readonly ApiOperation[] = [
  {
    method: "GET",
    path: "/event_types",
    subject: "event_type",
    id: "listEventTypes",
    summary: "List the types of events",
    tag: EVENTS,
    success: { status: 200, answer: eventTypeShape, list: { key: "event_types" } },
    run: async () => ({ documents: EVENT_TYPES.map((type) => JSON.stringify({ type })), nextBefore: null }),
  },
  {
    method: "GET",
    path: "/events",
    subject: "event_list",
    id: "listEvents",
    summary: "List events, newest first; or wait for those after one, oldest first",
    tag: EVENTS,
    query: ["limit", "before_id", "after_id", "wait", "type", "object_id"],
    success: { status: 200, answer: eventShape, list: { key: "events" } },
    waits: ({ wait = "0" }) => wait !== "0",
    run: async (scope, { query, gone, turn, lookAgain }) => {
      if (query.type !== undefined && !EVENT_TYPES.includes(query.type)) {
        throw queryError("type", "type must be the name of an event type; GET /event_types lists them");
      }
      await scope.context.sequencer.settle();
      const filter = { type: query.type, objectId: query.object_id };
      const size = { limit: limitOf(query), bytes: scope.pageBytes };
      const [after, wait] = [afterOf(query), waitOf(query)];
      const page =
        after === undefined && wait === undefined
          ? await eventPage(scope.context.store, scope.caller, filter, {
              ...size,
              before: beforeOf(EVENT, query),
            })
          : await following(scope, filter, size, { after, wait, gone: gone(), turn, lookAgain });
      return scope.caller.role === "gateway" ? withoutOtherKinds(page) : page;
    },
  },
  {
    method: "GET",
    path: "/events/{id}",
    subject: "event",
    id: "getEvent",
    summary: "Get an event",
    tag: EVENTS,
    success: { status: 200, answer: eventShape },
    run: async (scope, { params }) => {
      await scope.context.sequencer.settle();
      return eventAt(scope.context.store, scope.caller, params.id);
    },
  },
  {
    method: "GET",
    path: "/audit_events",
    subject: "audit_event",
    id: "listAuditEvents",
    summary: "List the audit log, newest first",
    about:
      "With a filter, a page looks at 100,000 rows at most, so it may have few or none; `next_page_uri` continues.",
    tag: AUDIT,
    query: [
      "limit",
      "before_id",
      "project",
      "principal",
      "kind",
      "action",
      "object_id",
      "from",
      "to",
      "names",
    ],
    success: { status: 200, answer: auditEventShape, list: { key: "audit_events" } },
    run: async ({ context, caller, pageBytes }, { query }) => {
      const { store, journal, sequencer } = context;
      await sequencer.settle();
      const names = await projectNames(store.reader);
      return auditPage(store, {
        limit: limitOf(query),
        bytes: pageBytes,
        before: beforeOf(AUDIT_EVENT, query),
        project: projectToAudit(caller, names, query.project),
        ids: isAccountAdmin(caller) ? undefined : journal.rowIds,
        names,
        filter: auditFilterIn(query),
        isNamed: asksForNames(query),
        readLarge: largeReadsOf(context.largeReads, holderOf(caller)),
      });
    },
  },
  {
    method: "GET",
    path: "/audit_head",
    subject: "audit_event",
    id: "getAuditHead",
    summary: "Get the head of the audit log. Note it elsewhere, to check later that the log still holds it",
    tag: AUDIT,
    success: { status: 200, answer: auditHeadShape },
    run: async (scope) => {
      await scope.context.sequencer.settle();
      const head = await headOf(scope.context.store.reader);
      if (!head)
        throw new Error(
          "The end of the audit log (the row of the table audit_head) was removed from this database",
        );
      return partAnswer(head);
    },
  },
];

/**
 * The id of the project whose rows a caller wants and may see; undefined for all.
 * @throws RequestError for an unknown project, and for one where the caller is not an admin
 */
function projectToAudit(
  caller: Caller,
  names: ReadonlyMap<string, string>,
  name: string | undefined,
): string | undefined {
  const isAdmin = isAccountAdmin(caller);
  if (name === undefined) return isAdmin ? undefined : projectOf(caller);
  const project = [...names].find((one) => one[1] === name)?.[0];
  if (project !== undefined && (isAdmin || project === caller.project)) return project;
  throw new RequestError("not_found", `There is no project ${quoted(name)} here`, { field: "project" });
}

interface Waiting {
  readonly after?: string | undefined;
  /** In seconds. */
  readonly wait?: number | undefined;
  readonly gone: AbortSignal;
  readonly turn: () => Promise<void>;
  readonly lookAgain: () => Promise<void>;
}

/** The events after one; if there are none yet, those that come while the request may wait. */
async function following(
  { context, caller, eventWaits }: OperationScope,
  filter: EventFilter,
  size: PageSize,
  { after, wait = 0, gone, turn, lookAgain }: Waiting,
): Promise<Page> {
  const { store } = context;
  const end = performance.now() + wait * 1000;
  const from = after === undefined ? 0 : await sequenceAfter(store, caller, after);
  const isNumbered = seesAllProjects(caller);
  let hasWaited = false;
  for (;;) {
    const head = (await headOf(store.reader))?.sequence ?? 0; // before the page, so that nothing falls in between
    const page = await eventsAfter(store, caller, filter, { ...size, after: from, isNumbered });
    const left = end - performance.now();
    if (page.documents.length > 0 || left <= 0 || eventWaits.closed || gone.aborted) {
      if (hasWaited && !gone.aborted) await lookAgain(); // the key may be gone, or may see less
      return page;
    }
    await eventWaits.after(head, left, gone);
    await turn(); // a change wakes all who wait
    hasWaited = true;
  }
}

/** For objects that gateways may not read, leaves only the id and the type of the event. */
function withoutOtherKinds(page: Page): Page {
  const documents = page.documents.map((text) => {
    const { principal: _, changes: __, object, ...event } = JSON.parse(text);
    return definitionOfId(object.id)?.readByGateways || SESSION_EVENTS.includes(event.event_type)
      ? text
      : JSON.stringify({ ...event, object: { id: object.id } });
  });
  return { ...page, documents };
}
