import {
  answeredEntry,
  type Definition,
  elementOf,
  fieldOf,
  marksOf,
  own,
  present,
  sampleAnswer,
  sampleBody,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import { type ApiOperation, tagOf } from "./operation";

/** Add, list, get and remove the entries of a list that have their own paths. */
export function entryOperations(definition: Definition, name: string): ApiOperation[] {
  const { type, title, path } = definition;
  const list = fieldOf(definition, name);
  const { key = "" } = marksOf(list).entries ?? {};
  const entryType = `${type}${name[0]?.toUpperCase()}${name.slice(1, -1)}`;
  const answer: Shape = {
    name: entryType,
    schema: answeredEntry(list),
    io: "output",
    example: () => firstOf(own(sampleAnswer(definition), name)),
  };
  const all = { path: `${path}/{id}/${name}`, tag: tagOf(definition), subject: definition } as const;
  const one = { ...all, path: `${path}/{id}/${name}/{${key}}` } as const;
  return [
    {
      ...all,
      method: "POST",
      id: `add${entryType}`,
      summary: `Add one of the ${name} of ${withArticle(title)}`,
      query: ["dry_run", "findings"],
      body: {
        name: `${entryType}Create`,
        schema: present(elementOf(list)),
        io: "input",
        example: () => firstOf(own(sampleBody(definition), name)),
      },
      success: { status: 201, answer },
      run: async ({ parts }, { params, body }) => {
        const { id, ...created } = await parts.addEntry(definition, params, name, body);
        return { ...created, created: id };
      },
    },
    {
      ...all,
      method: "GET",
      id: `list${entryType}s`,
      summary: `List the ${name} of ${withArticle(title)}`,
      success: { status: 200, answer, list: { key: name } },
      run: ({ parts }, { params }) => parts.listEntries(definition, params, name),
    },
    {
      ...one,
      method: "GET",
      id: `get${entryType}`,
      summary: `Get one of the ${name} of ${withArticle(title)}`,
      success: { status: 200, answer },
      run: ({ parts }, { params }) => parts.getEntry(definition, params, name),
    },
    {
      ...one,
      method: "DELETE",
      id: `delete${entryType}`,
      summary: `Remove one of the ${name} of ${withArticle(title)}`,
      query: ["dry_run", "findings"],
      success: { status: 204 },
      run: async ({ parts }, { params, precondition }) => {
        await parts.removeEntry(definition, params, name, precondition);
        return undefined;
      },
    },
  ];
}

const firstOf = (entries: unknown): unknown => (Array.isArray(entries) ? entries[0] : undefined);
