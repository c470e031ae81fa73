import { object } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { endSession, sessionAt, sessionPage, setActive, userAt, userPage } from "../../auth";
import { partAnswer, Transactions } from "../../resources";
import { beforeOf, limitOf } from "../query";
import { type ApiOperation, checked, type Shape } from "./operation";

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

const userShape: Shape = {
  name: "User",
  io: "output",
  schema: z.object({
    id: z.string().meta({ description: "Identifier." }),
    uri: z.url().meta({ description: "Address." }),
    name: z.string().meta({ description: "Its name, as of the last sign-in." }),
    email: z.string().nullable().meta({ description: "Its email address, as of the last sign-in." }),
    issuer: z
      .string()
      .nullable()
      .meta({ description: "The identity provider that knows it; null for the first admin." }),
    subject: z.string().nullable().meta({ description: "Its identifier there, which stays the same." }),
    active: z.boolean().meta({ description: "Whether it is let in; its keys and sessions too." }),
    groups: z.array(z.string()).meta({ description: "Its groups, as of the last sign-in." }),
    created_at: z.iso.datetime().meta({ description: "When it was made (RFC 3339)." }),
    last_sign_in_at: z.iso.datetime().nullable().meta({ description: "When it last signed in." }),
  }),
};

const userUpdateShape: Shape = {
  name: "UserUpdate",
  io: "input",
  schema: object({
    active: z.boolean().meta({
      description:
        "`false` refuses the user everywhere at once, with all of its keys, and ends its sessions; `true` lets it in again.",
    }),
  }),
};

const sessionShape: Shape = {
  name: "Session",
  io: "output",
  schema: z.object({
    id: z.string().meta({ description: "Identifier." }),
    uri: z.url().meta({ description: "Address." }),
    user_id: z.string().meta({ description: "Whose it is." }),
    user_name: z.string().meta({ description: "The user's name." }),
    kind: z
      .enum(["console", "command_line"])
      .meta({ description: "`console` for a browser, `command_line` for a key of `tunnelplane login`." }),
    created_at: z.iso.datetime().meta({ description: "When it was begun (RFC 3339)." }),
    expires_at: z.iso.datetime().meta({ description: "When it ends by itself." }),
    client: z.string().meta({ description: "The address from which it was begun." }),
  }),
};

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
    query: [],
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
        const asked = { caller, id, active: active === true };
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
    query: [],
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
