import {
  definitionOf,
  EVENT_TYPES,
  idPattern,
  NAME_HEADER,
  own,
  registry,
  sampleId,
} from "@tunnelplane/sdk/contract";
import { type DescribedOperation, isIdempotent } from "../operations/operation";
import type { Json } from "./schemas";

/** Describes an operation and how to use it, in sentences. */
export function descriptionOf(operation: DescribedOperation): string {
  const { method, summary, about, query = [], success, body, isForm, waits } = operation;
  const sentences = [
    `${summary}.`,
    about,
    body &&
      method === "PATCH" &&
      "Fields that the body leaves out stay as they are; a field that does not exist is refused.",
    body &&
      !isForm &&
      method !== "PATCH" &&
      "A field that does not exist is refused, and the answer names those that do.",
    success.list &&
      query.includes("limit") &&
      "`next_page_uri` in the answer is the address of the next page, or null.",
    isIdempotent(operation) &&
      "With an `Idempotency-Key`, a repetition of the request gets the first answer and creates nothing.",
    ["PATCH", "PUT", "DELETE"].includes(method) &&
      "With `If-Match`, nothing is changed if somebody else changed it meanwhile (412).",
    operation.takesName &&
      method === "PATCH" &&
      `\`${NAME_HEADER}\` changes the object's name. A request that changes only that makes no new version, no event and no audit row.`,
    query.includes("dry_run") && "With `dry_run=true`, everything is checked and nothing is kept.",
    query.includes("findings") &&
      "With `findings=true` too, the answer says what the change would mean for callers, as `findings`.",
    waits && "Such requests may wait, so at most 8 of an owner do at once.",
  ];
  return sentences.filter(Boolean).join(" ");
}

/** The parameters in the path of an operation. */
export const parametersInPath = ({ path }: DescribedOperation): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...parameterInPath(path, name),
  }));

function parameterInPath(path: string, name: string): Json {
  const definition =
    name === "edge_id"
      ? definitionOf("https_edge")
      : registry.find((one) => path.startsWith(`${one.path}/{id}`));
  if (!definition || (name !== "id" && name !== "edge_id"))
    return { schema: { type: "string" }, ...(own(WORDS, name) ?? idOf(path)) };
  const { title, idPrefix } = definition;
  return {
    description: `The id of the ${title}.`,
    schema: { type: "string", pattern: idPattern([idPrefix]) },
    example: sampleId(idPrefix, "one"),
  };
}

/** The parts of paths that are not ids. */
const WORDS: Readonly<Record<string, Json>> = {
  name: { description: "Its name.", example: "eu-1" },
  set: { description: "The name of the set.", example: "shop" },
  type: { description: "The type of event.", example: EVENT_TYPES[0] },
};

/** The ids of what is not an object of a type, by what their paths begin with. */
function idOf(path: string): Json {
  const [, collection = ""] = path.split("/");
  const prefix = own({ events: "ev", users: "usr", sessions: "ses" }, collection);
  return { description: "Its id.", ...(prefix && { example: sampleId(prefix, "one") }) };
}
