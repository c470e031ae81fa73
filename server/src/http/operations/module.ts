import {
  answeredModule,
  bare,
  type Definition,
  fieldOf,
  marksOf,
  sampleAnswer,
  sampleBody,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { type ApiOperation, type Shape, tagOf } from "./operation";

/** Replace, get and remove one module of an object. */
export function moduleOperations(definition: Definition, name: string): ApiOperation[] {
  const { type, title } = definition;
  const field = fieldOf(definition, name);
  const moduleType = `${type}${name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`;
  const answer: Shape = {
    name: moduleType,
    schema: answeredModule(field),
    io: "output",
    example: () => sampleAnswer(definition)[name],
  };
  const common = {
    path: `${definition.path}/{id}/${name}`,
    tag: tagOf(definition),
    subject: definition,
  } as const;
  return [
    {
      ...common,
      method: "PUT",
      id: `replace${moduleType}`,
      summary:
        `Replace the ${name} module of ${withArticle(title)}. ${marksOf(field).module?.doc ?? ""}`.trim(),
      query: ["dry_run", "findings"],
      body: {
        name: `${moduleType}Replace`,
        schema: bare(field),
        io: "input",
        example: () => sampleBody(definition)[name],
      },
      success: { status: 200, answer },
      run: ({ parts }, { params, body, precondition }) =>
        parts.replaceModule(definition, params, name, body, precondition),
    },
    {
      ...common,
      method: "GET",
      id: `get${moduleType}`,
      summary: `Get the ${name} module of ${withArticle(title)}`,
      query: [],
      success: { status: 200, answer },
      run: ({ parts }, { params }) => parts.getModule(definition, params, name),
    },
    {
      ...common,
      method: "DELETE",
      id: `delete${moduleType}`,
      summary: `Remove the ${name} module of ${withArticle(title)}`,
      query: ["dry_run", "findings"],
      success: { status: 204 },
      run: async ({ parts }, { params, precondition }) => {
        await parts.removeModule(definition, params, name, precondition);
        return undefined;
      },
    },
  ];
}
