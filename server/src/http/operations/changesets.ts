import { MAX_SET_OBJECTS, present } from "@tunnelplane/sdk/contract";
import {
  changeSetRequestShape,
  changeSetResultShape,
  changeSetShape,
  changeSetSummaryShape,
} from "@tunnelplane/sdk/operations";
import { ChangeSets, readRequest, refuseBody } from "../../changesets";
import { readListBody } from "../listBodies";
import { beforeOf, limitOf } from "../query";
import type { ApiOperation } from "./operation";

const common = {
  subject: "change_set",
  tag: {
    name: "ChangeSets",
    description: "Many objects that are brought to a declared state together: all of them, or none.",
  },
} as const;

/** Apply, list, read and release change sets. */
export const changeSetOperations: readonly ApiOperation[] = [
  {
    ...common,
    method: "POST",
    path: "/changesets",
    id: "applyChangeSet",
    summary: "Apply a change set: create, update, replace and delete its objects in one transaction",
    query: ["dry_run", "findings", "force"],
    body: changeSetRequestShape,
    isLarge: true,
    success: { status: 200, answer: changeSetResultShape },
    run: async ({ context, change }, { body }) => {
      let read: ReturnType<typeof readListBody> | undefined;
      const applied = await new ChangeSets(context, change).apply(async () => {
        read ??= readListBody(body as Buffer | undefined, { list: "objects", most: MAX_SET_OBJECTS });
        return readRequest(await read.catch(refuseBody));
      });
      const { replayed, ...answer } = applied;
      return { json: JSON.stringify(answer), replayed };
    },
  },
  {
    ...common,
    method: "GET",
    path: "/changesets",
    id: "listChangeSets",
    summary: "List change sets, newest first",
    query: ["limit", "before_id"],
    success: { status: 200, answer: changeSetSummaryShape, list: { key: "changesets" } },
    run: ({ context, change, pageBytes }, { query }) =>
      new ChangeSets(context, change).list({
        limit: limitOf(query),
        bytes: pageBytes,
        before: beforeOf({ title: "change set", idPrefix: "cset" }, query),
      }),
  },
  {
    ...common,
    method: "GET",
    path: "/changesets/{set}",
    id: "getChangeSet",
    summary: "Get a change set: its objects with their keys",
    success: { status: 200, answer: changeSetShape },
    run: ({ context, change }, { params }) => new ChangeSets(context, change).get(present(params.set)),
  },
  {
    ...common,
    method: "DELETE",
    path: "/changesets/{set}",
    id: "releaseChangeSet",
    summary: "Release a change set: its objects stay, and no longer belong to a set",
    query: ["dry_run"],
    success: { status: 204 },
    run: async ({ context, change }, { params, precondition }) => {
      await new ChangeSets(context, change).release(present(params.set), precondition);
      return undefined;
    },
  },
];
