import { searchResultsShape } from "@tunnelplane/sdk/operations";
import { partAnswer } from "../../resources";
import { queryError } from "../../util";
import { MAX_SEARCH_LENGTH, USUAL_FOUND } from "../../view";
import { limitOf, type Query, sharedOf } from "../query";
import type { ApiOperation } from "./operation";

/** Finds objects by their texts. */
export const searchOperation: ApiOperation = {
  method: "GET",
  path: "/search",
  id: "search",
  summary: "Find objects by any part of their texts",
  about:
    "An object is found if it has every word of `q`, in upper or lower case, anywhere in its texts: id, name in the program, hostports, paths, networks, descriptions, labels, ACL entries, principals, names, metadata, and the texts of its modules. An IP address also finds the networks that contain it; `module oidc` finds what has that module. Secrets, ids of other objects and certificates are not searched. Objects with a text that is `q` come first, then those in which each word begins a word, then all others. What the caller may not read is not found. Everything that was answered before the search counts.",
  tag: { name: "Search", description: "Objects, found by their texts." },
  subject: "search",
  query: ["q", "limit", "shared"],
  usualLimit: USUAL_FOUND,
  required: ["q"],
  success: { status: 200, answer: searchResultsShape },
  run: async ({ context, caller }, { query }) =>
    partAnswer(
      await context.search.search(caller, {
        text: textIn(query),
        limit: limitOf(query, USUAL_FOUND),
        shared: sharedOf(query),
      }),
    ),
};

function textIn({ q: text = "" }: Query): string {
  const length = [...text].length;
  if (text.trim() === "" || length > MAX_SEARCH_LENGTH)
    throw queryError(
      "q",
      `q must be the text to search for, 1 to ${MAX_SEARCH_LENGTH} characters; ${text.trim() === "" ? "it is empty" : `it has ${length}`}`,
    );
  if (/\p{Cc}/u.test(text))
    throw queryError("q", "q must hold no control characters: put spaces between words");
  return text;
}
