import {
  answeredName,
  createSchema,
  type Definition,
  fieldsWhere,
  holdsUniqueValues,
  namedAnswerSchema,
  own,
  partsOf,
  pathFieldsOf,
  plural,
  sampleAnswer,
  sampleBody,
  updateSchema,
  waits,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import type { z } from "zod";
import { isShareable, RESTRICTING } from "../../auth";
import { type Answer, documentsOfPage, type Page, withNames } from "../../documents";
import { MAX_STATES, withState, withStates, withStateToCome } from "../../exposure";
import { filtersIn, filtersOf, type ObjectPath, partsToCome, type ServerContext } from "../../resources";
import { refuseFaults } from "../../util";
import { asksForNames, beforeOf, limitOf, removedIn, sharedOf, stateOf, withReplacementOf } from "../query";
import { type ApiOperation, type OperationInput, type OperationScope, tagOf } from "./operation";

/** Create, list, get, update, delete. */
export function collectionOperations(definition: Definition): ApiOperation[] {
  const common = commonOf(definition);
  return [creationOf, listOf, readingOf, updateOf, deletionOf].map((operationOf) => operationOf(common));
}

/** What the operations of a type have in common. */
function commonOf(definition: Definition) {
  const { type, title, path } = definition;
  const answer: Shape = {
    name: type,
    schema: namedAnswerSchema(definition),
    io: "output",
    example: () => sampleAnswer(definition),
  };
  const all = { path, tag: tagOf(definition), subject: definition } as const;
  const one = { ...all, path: `${path}/{id}` } as const;
  const changing = RESTRICTING.includes(definition.kind)
    ? (["dry_run", "findings", "force"] as const)
    : (["dry_run", "findings"] as const);
  const parts = new Map(partsOf(definition).map((field) => [answeredName(definition, field), field]));
  const closing = waits(definition) ? (["closed_without"] as const) : [];
  return { definition, type, title, all, one, answer, changing, parts, closing };
}

type Common = ReturnType<typeof commonOf>;

const creationOf = ({ definition, type, title, all, answer, changing, closing }: Common): ApiOperation => ({
  ...all,
  method: "POST",
  id: `create${type}`,
  summary: `Create ${withArticle(title)}`,
  query: [...changing, ...(holdsUniqueValues(definition) ? (["replaces"] as const) : []), ...closing],
  takesName: true,
  body: {
    name: `${type}Create`,
    schema: createBody(definition),
    io: "input",
    example: () => sampleBody(definition),
  },
  success: {
    status: 201,
    answer: { ...answer, example: () => sampleAnswer(definition, { created: true }) },
  },
  run: async ({ resources, ...scope }, { params, query, body, name, gone }) => {
    const lacking = partsToCome(definition, "closed_without", query.closed_without);
    const how = { name, replaces: query.replaces, lacking };
    const { id, ...created } = await resources.create(definition, inPath(definition, params, body), how);
    return { ...(await tellState(definition, { ...scope, gone }, created)), created: id };
  },
});

const listOf = ({ definition, type, title, all, answer }: Common): ApiOperation => ({
  ...all,
  method: "GET",
  id: `list${plural(type)}`,
  summary: `List ${plural(title)}, newest first`,
  query: [
    "limit",
    "before_id",
    "names",
    ...filtersOf(definition),
    ...(definition.kind === "guarantee" ? (["state"] as const) : []),
    ...(isShareable(definition) ? (["shared"] as const) : []),
  ],
  success: {
    status: 200,
    answer: { ...answer, example: () => sampleAnswer(definition, { alone: false }) },
    list: { key: definition.listKey },
  },
  run: async ({ resources, pageBytes, context, caller, keyUses }, { params, query, gone }) => {
    const asksForState = stateOf(query);
    const page = await resources.list(definition, params, {
      limit: asksForState ? Math.min(limitOf(query), MAX_STATES) : limitOf(query),
      bytes: pageBytes,
      before: beforeOf(definition, query),
      filters: filtersIn(query),
      shared: sharedOf(query),
    });
    const told =
      definition.kind === "api_key"
        ? await keyUses.tellPage(page)
        : asksForState
          ? await withStates(context, { caller, gone: gone() }, page)
          : page;
    return asksForNames(query) ? withNamesIn(context, definition, told) : told;
  },
});

const readingOf = ({ definition, type, title, one, answer }: Common): ApiOperation => ({
  ...one,
  method: "GET",
  id: `get${type}`,
  summary: `Get ${withArticle(title)}`,
  query: ["names"],
  tellsState: fieldsWhere(definition, ({ onDemand }) => onDemand).length > 0,
  success: { status: 200, answer },
  run: async ({ resources, ...scope }, { params, query, gone }) => {
    const read = await resources.get(definition, params);
    const found = await tellState(definition, { ...scope, gone }, read);
    if (!asksForNames(query)) return found;
    const [json = found.json] = await withNames(scope.context.store.reader, definition, [found.json]);
    return { ...found, json };
  },
});

const updateOf = ({
  definition,
  type,
  title,
  one,
  answer,
  changing,
  parts,
  closing,
}: Common): ApiOperation => ({
  ...one,
  method: "PATCH",
  id: `update${type}`,
  summary: `Update ${withArticle(title)}: fields left out stay as they are`,
  query: [
    ...changing,
    ...(parts.size > 0 ? (["remove"] as const) : []),
    ...closing,
    ...(waits(definition) ? (["remove_after"] as const) : []),
  ],
  removable: [...parts.keys()],
  takesName: true,
  body: {
    name: `${type}Update`,
    schema: updateSchema(definition),
    io: "input",
    example: () => sampleUpdate(definition),
  },
  success: { status: 200, answer },
  run: async ({ resources, ...scope }, { params, query, body, precondition, name, gone }) => {
    const how = {
      ...{ precondition, name, removed: removedIn(query, parts) },
      lacking: partsToCome(definition, "closed_without", query.closed_without),
      removedAfter: partsToCome(definition, "remove_after", query.remove_after),
    };
    const updated = await resources.update(definition, params, body, how);
    return tellState(definition, { ...scope, gone }, updated);
  },
});

const deletionOf = ({ definition, type, title, one, changing }: Common): ApiOperation => ({
  ...one,
  method: "DELETE",
  id: `delete${type}`,
  summary: `Delete ${withArticle(title)}`,
  query: [
    ...changing,
    ...(waits(definition) ? (["with_replacement"] as const) : []),
    ...(waits(definition) && pathFieldsOf(definition).length > 0 ? (["closes"] as const) : []),
  ],
  success: { status: 204 },
  run: async ({ resources }, { params, precondition, query }) => {
    const how = { withReplacement: withReplacementOf(query), closes: query.closes };
    await resources.remove(definition, params, precondition, how);
    return undefined;
  },
});

type Telling = Pick<OperationScope, "context" | "caller" | "change" | "keyUses"> &
  Pick<OperationInput, "gone">;

/** Adds to the answer about a guarantee whether it holds, and about an API key when it was last used. */
const tellState = <A extends Answer>(
  { kind }: Definition,
  { context, caller, change, keyUses, gone }: Telling,
  answer: A,
): A | Promise<A> => {
  if (kind === "api_key") return keyUses.tell(answer);
  if (kind !== "guarantee") return answer;
  const asked = { caller, gone: gone() };
  return change.dryRun ? withStateToCome(context, asked, answer) : withState(context, asked, answer);
};

const withNamesIn = async (
  { store }: Pick<ServerContext, "store">,
  definition: Definition,
  page: Page,
): Promise<Page> => ({
  ...page,
  documents: await withNames(store.reader, definition, documentsOfPage(page)),
});

/** The first field of the sample that may be changed. */
const sampleUpdate = (definition: Definition) =>
  Object.fromEntries(
    Object.entries(sampleBody(definition))
      .filter(([name]) => Object.hasOwn(updateSchema(definition).shape, name))
      .slice(0, 1),
  );

/** The body of a creation: every field that the path does not set. */
const createBody = (definition: Definition): z.ZodType =>
  createSchema(definition).omit(Object.fromEntries(pathFieldsOf(definition).map((name) => [name, true])));

/** Adds the fields from the path to the body. The body may repeat them with the same value. */
function inPath(definition: Definition, params: ObjectPath, body: unknown): unknown {
  const sent = { ...(body as Record<string, unknown>) };
  for (const name of pathFieldsOf(definition)) {
    if (own(sent, name) !== undefined && own(sent, name) !== own(params, name)) {
      refuseFaults([
        {
          error: "invalid_field",
          path: [name],
          message: `must be ${own(params, name)}, as in the path, or be left out`,
        },
      ]);
    }
    sent[name] = own(params, name);
  }
  return sent;
}
