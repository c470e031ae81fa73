import type { ListRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import { outputsOf, type Properties, same } from "@tunnelplane/pulumi/core";
import type { Operation } from "@tunnelplane/pulumi/operation";
import { Collection, type WithName } from "@tunnelplane/sdk";
import {
  answerSchema,
  asDeclared,
  camelCase,
  type Definition,
  expandPath,
  own,
  pathFieldsOf,
  registry,
} from "@tunnelplane/sdk/contract";
import { tokenOf } from "./types";
import { received } from "./values";

type Answer = Record<string, unknown> & WithName;

const PAGE = 100;
const MAX_PAGE = 1000;

/**
 * The objects of a type whose properties are those of the query, a page at a time, newest first: each with
 * its id for an import, and at the end what the next page begins with.
 */
export async function listOf(operation: Operation, request: ListRequest): Promise<ListResponse[]> {
  const definition = registry.find(({ type }) => tokenOf(type) === request.getToken());
  if (!definition)
    throw new Error(
      `${request.getToken()} cannot be listed; there are ${registry.map(({ type }) => type).join(", ")}`,
    );
  const { values: query } = received(request.getQuery());
  refuseUnknown(definition, query);
  const parents = parentsIn(definition, query);
  const limits = [request.getPageSize() || PAGE, request.getLimit() || MAX_PAGE, MAX_PAGE];
  const count = Math.min(...limits);
  return operation.withServer(async (transport) => {
    const page: ListResponse[] = [];
    const path = expandPath(definition.path, parents);
    const objects = new Collection<Answer, never, never>(transport, path, definition.listKey);
    let last: string | undefined;
    const beforeId = request.getContinuationToken() || undefined;
    for await (const answer of objects.list({ names: true, ...(beforeId && { beforeId }) })) {
      if (page.length === count && last !== undefined) {
        const next = new ListResponse.Continuation().setContinuationToken(last);
        return [...page, new ListResponse().setContinuation(next)];
      }
      last = String(answer.id);
      if (fits(definition, answer, query)) page.push(resultOf(definition, answer));
    }
    return page;
  });
}

/** A name that no object has would list none, as if there were none. */
function refuseUnknown(definition: Definition, query: Properties): void {
  const shapes = { ...definition.fields, ...answerSchema(definition).shape };
  const known = ["name", ...Object.keys(shapes).map(camelCase)];
  const unknown = Object.keys(query).find((property) => !known.includes(property));
  if (unknown !== undefined)
    throw new Error(`${definition.type} has no property ${unknown}; there are ${known.join(", ")}`);
}

/** The ids in the path of what is listed, which belong to one object: routes to an edge. */
function parentsIn(definition: Definition, query: Properties): Properties {
  return Object.fromEntries(
    pathFieldsOf(definition).map((field) => {
      const id = query[camelCase(field)];
      if (typeof id !== "string" || id === "")
        throw new Error(
          `a list of ${definition.type} needs ${camelCase(field)} in its query, for example edghts_…`,
        );
      return [field, id];
    }),
  );
}

function fits(definition: Definition, answer: Answer, query: Properties): boolean {
  const outputs: Properties = {
    name: answer.resource_name,
    ...outputsOf(asDeclared(definition), answer, undefined),
  };
  const isParent = (property: string) =>
    pathFieldsOf(definition).some((field) => camelCase(field) === property);
  return Object.entries(query).every(([property, wanted]) => {
    if (isParent(property)) return true;
    const value = own(outputs, property);
    return same(value, wanted) || (Array.isArray(value) && value.some((one) => same(one, wanted)));
  });
}

function resultOf(definition: Definition, answer: Answer): ListResponse {
  const id = [...pathFieldsOf(definition), "id"].map((name) => answer[name]).join("/");
  const result = new ListResponse.Result().setId(id).setName(answer.resource_name ?? String(answer.id));
  return new ListResponse().setResult(result);
}
