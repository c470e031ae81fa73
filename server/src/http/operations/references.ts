import { definitionOfId } from "@tunnelplane/sdk/contract";
import { referrerShape } from "@tunnelplane/sdk/operations";
import { queryError } from "../../util";
import { referrersOf } from "../../view";
import { limitOf, type Query } from "../query";
import type { ApiOperation } from "./operation";

/** Lists the objects that refer to an object. */
export const referenceOperations: readonly ApiOperation[] = [
  {
    method: "GET",
    path: "/references",
    id: "listReferences",
    summary: "List the objects that refer to an object, and so may prevent its deletion",
    about:
      "Objects that the caller may not see are left out. `object_id` is required; an id of no object has no references.",
    tag: { name: "Reference", title: "References", description: "References between objects." },
    subject: "reference",
    query: ["limit", "before_id", "object_id"],
    required: ["object_id"],
    success: { status: 200, answer: referrerShape, list: { key: "references" } },
    run: ({ context, caller }, { query }) =>
      referrersOf(context, caller, {
        id: idIn(query, "object_id") ?? missing(),
        before: idIn(query, "before_id"),
        limit: limitOf(query),
      }),
  },
];

function idIn(query: Query, name: "object_id" | "before_id"): string | undefined {
  const id = query[name];
  if (id === undefined || (definitionOfId(id) && /^\w{1,64}$/.test(id))) return id;
  throw queryError(name, `${name} must be the id of an object, for example "bkdtg_…"`);
}

function missing(): never {
  throw queryError("object_id", "object_id must name the object whose references are wanted");
}
