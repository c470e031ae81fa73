import {
  answeredModule,
  answerSchema,
  bare,
  createSchema,
  type Definition,
  marksOf,
  modulesOf,
  updateSchema,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import type { Caller } from "../accounts";
import { ApiError } from "../apiError";
import type { Answer, Page, Precondition, Resources } from "../resources";

/** What an operation gets from a request. */
interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly caller: Caller;
  readonly precondition: Precondition;
}

/** What an operation answers: one object, a page of them, or nothing. */
export type Outcome = ({ readonly created?: string } & Answer) | Page | undefined;

/** A named JSON shape; the name becomes its OpenAPI component. */
export interface Shape {
  readonly name: string;
  readonly schema: z.ZodType;
  /** Whether defaults may be left out (what is sent) or are always there (what is answered). */
  readonly io: "input" | "output";
}

/** One method on one path: the server registers it and the OpenAPI document describes it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** With parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly query: readonly ("limit" | "before_id")[];
  readonly body?: Shape;
  readonly success: { readonly status: 200 | 201 | 204; readonly answer?: Shape; readonly list?: { readonly key: string } };
  readonly definition: Definition;
  readonly run: (resources: Resources, input: Input) => Promise<Outcome>;
}

const PAGE_LIMIT = 100;

/** Every operation of a resource type: its collection, its objects and its modules. */
export function operationsOf(definition: Definition): Operation[] {
  return [...collectionOperations(definition), ...modulesOf(definition).flatMap((name) => moduleOperations(definition, name))];
}

function collectionOperations(definition: Definition): Operation[] {
  const { type, title, path } = definition;
  const answer: Shape = { name: type, schema: answerSchema(definition), io: "output" };
  const one = { path: `${path}/{id}`, query: [], definition, tag: type } as const;
  const all = { path, definition, tag: type } as const;
  return [
    {
      ...all,
      method: "POST",
      id: `create${type}`,
      summary: `Create ${withArticle(title)}`,
      query: [],
      body: { name: `${type}Create`, schema: createSchema(definition), io: "input" },
      success: { status: 201, answer },
      run: async (resources, { body, caller }) => {
        const { id, ...created } = await resources.create(definition, body ?? {}, caller);
        return { ...created, created: id };
      },
    },
    {
      ...all,
      method: "GET",
      id: `list${type.replace(/y$/, "ie")}s`,
      summary: `List ${title.replace(/y$/, "ie")}s, newest first`,
      query: ["limit", "before_id"],
      success: { status: 200, answer, list: { key: definition.listKey } },
      run: (resources, { query }) =>
        resources.list(definition, { limit: limitOf(query.limit), before: beforeOf(definition, query.before_id) }),
    },
    {
      ...one,
      method: "GET",
      id: `get${type}`,
      summary: `Get ${withArticle(title)}`,
      success: { status: 200, answer },
      run: (resources, { params }) => resources.get(definition, params.id as string),
    },
    {
      ...one,
      method: "PATCH",
      id: `update${type}`,
      summary: `Update ${withArticle(title)}: fields left out stay as they are`,
      body: { name: `${type}Update`, schema: updateSchema(definition), io: "input" },
      success: { status: 200, answer },
      run: (resources, { params, body, precondition }) => resources.update(definition, params.id as string, body ?? {}, precondition),
    },
    {
      ...one,
      method: "DELETE",
      id: `delete${type}`,
      summary: `Delete ${withArticle(title)}`,
      success: { status: 204 },
      run: async (resources, { params, precondition }) => {
        await resources.remove(definition, params.id as string, precondition);
        return undefined;
      },
    },
  ];
}

function moduleOperations(definition: Definition, name: string): Operation[] {
  const { type, title } = definition;
  const field = definition.fields[name] as z.ZodType;
  const moduleType = `${type}${name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`;
  const answer: Shape = { name: moduleType, schema: answeredModule(field), io: "output" };
  const common = { path: `${definition.path}/{id}/${name}`, query: [], definition, tag: type } as const;
  return [
    {
      ...common,
      method: "PUT",
      id: `replace${moduleType}`,
      summary: `Replace the ${name} module of ${withArticle(title)}. ${marksOf(field).module?.doc ?? ""}`.trim(),
      body: { name: `${moduleType}Replace`, schema: bare(field), io: "input" },
      success: { status: 200, answer },
      run: (resources, { params, body, precondition }) =>
        resources.replaceModule(definition, params.id as string, name, body ?? {}, precondition),
    },
    {
      ...common,
      method: "GET",
      id: `get${moduleType}`,
      summary: `Get the ${name} module of ${withArticle(title)}`,
      success: { status: 200, answer },
      run: (resources, { params }) => resources.getModule(definition, params.id as string, name),
    },
    {
      ...common,
      method: "DELETE",
      id: `delete${moduleType}`,
      summary: `Remove the ${name} module of ${withArticle(title)}`,
      success: { status: 204 },
      run: async (resources, { params, precondition }) => {
        await resources.removeModule(definition, params.id as string, name, precondition);
        return undefined;
      },
    },
  ];
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return PAGE_LIMIT;
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_LIMIT) return Number(text);
  throw new ApiError("invalid_query", `limit must be a whole number from 1 to ${PAGE_LIMIT}`, { field: "limit" });
}

function beforeOf(definition: Definition, text: string | undefined): string | undefined {
  if (text === undefined || text.startsWith(`${definition.idPrefix}_`)) return text;
  throw new ApiError(
    "invalid_query",
    `before_id must be the id of ${withArticle(definition.title)}, which begins with "${definition.idPrefix}_"`,
    { field: "before_id" },
  );
}
