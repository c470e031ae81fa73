import { sessionShape, userShape, userUpdateShape } from "@tunnelplane/sdk/operations";
import { endSession, sessionAt, sessionPage, setActive, userAt, userPage } from "../../auth";
import { partAnswer, Transactions } from "../../resources";
import { beforeOf, limitOf } from "../query";
import { type ApiOperation, checked } from "./operation";

const USERS = {
  name: "User",
  description:
    "People who signed in, and the first admin. For admins. The first sign-in of a person makes the user.",
};
const SESSIONS = {
  name: "Session",
  description: "What people are signed in with, and until when. For admins.",
};
const USER = { title: "user", idPrefix: "usr" };
const SESSION = { title: "session", idPrefix: "ses" };

/** Users and their sessions, for admins. */
export const userOperations: readonly ApiOperation[] = [
  {
    method: "GET",
    path: "/users",
    id: "listUsers",
    summary: "List users, newest first",
    tag: USERS,
    query: ["limit", "before_id"],
    subject: "user",
    success: { status: 200, answer: userShape, list: { key: "users" } },
    run: ({ context: { store, documents } }, { query }) =>
      userPage(store.reader, documents, { limit: limitOf(query), before: beforeOf(USER, query) }),
  },
  {
    method: "GET",
    path: "/users/{id}",
    id: "getUser",
    summary: "Get a user",
    tag: USERS,
    subject: "user",
    success: { status: 200, answer: userShape },
    run: async ({ context: { store, documents } }, { params }) =>
      partAnswer(await userAt(store.reader, documents, params.id)),
  },
  {
    method: "PATCH",
    path: "/users/{id}",
    id: "updateUser",
    summary: "Let a user in again, or nowhere any more",
    tag: USERS,
    query: ["dry_run"],
    subject: "user",
    body: userUpdateShape,
    success: { status: 200, answer: userShape },
    run: ({ context, caller, change }, { params: { id }, body, precondition }) => {
      const { active } = checked(userUpdateShape, body);
      return new Transactions(context, change).run(async (transaction, _changes, acts) => {
        const asked = { caller, id, active };
        const { user, isChanged } = await setActive(transaction, context.documents, asked, (now) =>
          precondition(partAnswer(now).etag),
        );
        if (isChanged) acts.push({ action: "user_updated", subject: id, about: ["active"] });
        return partAnswer(user);
      });
    },
  },
  {
    method: "GET",
    path: "/sessions",
    id: "listSessions",
    summary: "List sessions that last, newest first",
    tag: SESSIONS,
    query: ["limit", "before_id"],
    subject: "session",
    success: { status: 200, answer: sessionShape, list: { key: "sessions" } },
    run: ({ context: { store, documents } }, { query }) =>
      sessionPage(store.reader, documents, { limit: limitOf(query), before: beforeOf(SESSION, query) }),
  },
  {
    method: "GET",
    path: "/sessions/{id}",
    id: "getSessionById",
    summary: "Get a session",
    tag: SESSIONS,
    subject: "session",
    success: { status: 200, answer: sessionShape },
    run: async ({ context: { store, documents } }, { params }) =>
      partAnswer(await sessionAt(store.reader, documents, params.id)),
  },
  {
    method: "DELETE",
    path: "/sessions/{id}",
    id: "deleteSession",
    summary: "End a session at once",
    tag: SESSIONS,
    query: ["dry_run"],
    subject: "session",
    success: { status: 204 },
    run: async ({ context, change }, { params: { id }, precondition }) => {
      await new Transactions(context, change).run(async (transaction, _changes, acts) => {
        precondition(partAnswer(await sessionAt(transaction, context.documents, id)).etag);
        if (await endSession(transaction, id)) acts.push({ action: "session_ended", subject: id });
      });
      return undefined;
    },
  },
];
