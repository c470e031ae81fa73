import {
  answeredModule,
  bare,
  type Definition,
  fieldOf,
  marksOf,
  own,
  pascalCase,
  sampleAnswer,
  sampleBody,
  waits,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import { type ApiOperation, tagOf } from "./operation";

/** Replace, get and remove one module of an object. */
export function moduleOperations(definition: Definition, name: string): ApiOperation[] {
  const { type, title } = definition;
  const field = fieldOf(definition, name);
  const moduleType = type + pascalCase(name);
  const answer: Shape = {
    name: moduleType,
    schema: answeredModule(field),
    io: "output",
    example: () => own(sampleAnswer(definition), name),
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
        example: () => own(sampleBody(definition), name),
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
      success: { status: 200, answer },
      run: ({ parts }, { params }) => parts.getModule(definition, params, name),
    },
    removalOperation(definition, { field: name, name }),
  ];
}

/** Remove a module, or another optional field, of an object. */
export function removalOperation(
  definition: Definition,
  part: { readonly field: string; readonly name: string },
): ApiOperation {
  const { type, path, title } = definition;
  const noun = marksOf(fieldOf(definition, part.field)).module ? `${part.name} module` : part.name;
  return {
    method: "DELETE",
    path: `${path}/{id}/${part.name}`,
    id: `delete${type}${pascalCase(part.name)}`,
    summary: `Remove the ${noun} of ${withArticle(title)}`,
    tag: tagOf(definition),
    subject: definition,
    query: waits(definition) ? ["dry_run", "findings", "closes"] : ["dry_run", "findings"],
    success: { status: 204 },
    run: async ({ parts }, { params, precondition, query }) => {
      await parts.removePart(definition, params, part, precondition, query.closes);
      return undefined;
    },
  };
}
