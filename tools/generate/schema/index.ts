import type { z } from "zod";
import { COMPONENTS, type Component } from "../../../provider/src/core/components";
import {
  accessDoc,
  answeredListsOf,
  answerSchema,
  asDeclared,
  bare,
  camelCase,
  createSchema,
  type Definition,
  docOf,
  isOutput,
  keysOf,
  lookupOf,
  moduleAsResource,
  modulesWithTypes,
  OBSERVED,
  OBSERVED_SCHEMAS,
  type ObservedKind,
  pascalCase,
  pathFieldsOf,
  present,
  withArticle,
} from "../../../sdk/src/contract";
import { exposureSchema } from "../../../sdk/src/meaning";
import { inEveryLanguage, type PackageTypes, type Program } from "../languages";
import { declarationsOf } from "../languages/model";
import { typescript } from "../languages/typescript";
import { moduleProgram, pulumiProgram } from "../reference/examples";
import { languages, manifest, repository } from "./languages";
import type { FunctionSpec, ObjectSpec, Properties, PropertySpec, ResourceSpec } from "./spec";
import { alwaysIn, PACKAGE, requiredOf, Types, tokenOf } from "./types";

type Shape = Readonly<Record<string, z.ZodType>>;

/** The token of a type in dynamic providers of TypeScript, so that their stacks move over unchanged. */
const dynamicType = (type: string): string => `pulumi-nodejs:dynamic/tunnelplane:${type}`;

const SETTINGS: Properties = {
  baseUrl: {
    type: "string",
    description:
      "Where the server is, for example `https://tunnels.example.com`. Default: the environment variable `TUNNELPLANE_BASE_URL`, else `http://127.0.0.1:4040`.",
  },
  apiKey: {
    type: "string",
    description:
      "The API key. Default: the environment variable `TUNNELPLANE_API_KEY`, which never reaches the state.",
    secret: true,
  },
  project: {
    type: "string",
    description:
      "The name of the project in which the resources are. Default: the environment variable `TUNNELPLANE_PROJECT`, else the project of the API key.",
  },
  validateOnServer: {
    type: "boolean",
    description:
      "Whether previews have the server check each creation and each change, without carrying it out, and so tell of what only the server knows: a hostport that is taken, a reference to what does not exist. Default: the environment variable `TUNNELPLANE_VALIDATE_ON_SERVER`, else false.",
  },
};

/** The text of the schema of this package. */
export function packageSchema(registry: readonly Definition[], version: string): string {
  const types = packageTypes(registry);
  const examples = examplesOf(registry);
  const resources = Object.fromEntries(
    Object.entries(types.resources).map(([token, resource]) => {
      const { title, program, code } = present(examples.get(token));
      return [
        token,
        { ...resource, description: `${resource.description}${usage(title, program, types, code)}` },
      ];
    }),
  );
  return `${JSON.stringify({ ...about(version), ...types, resources }, null, 2)}\n`;
}

interface Example {
  readonly title: string;
  readonly program: Program;
  /** In TypeScript, where somebody wrote it. */
  readonly code?: string;
}

/** An example for each resource, by its token. */
function examplesOf(registry: readonly Definition[]): ReadonlyMap<string, Example> {
  const examples = new Map<string, Example>([[tokenOf("CatalogueSet"), CATALOGUE_SET]]);
  for (const { type, title, example } of COMPONENTS)
    examples.set(tokenOf(type), {
      title,
      program: { one: { type: `${PACKAGE}:${type}`, properties: example } },
    });
  for (const definition of registry) {
    const { type, title, example } = definition;
    examples.set(tokenOf(type), {
      title: withArticle(title),
      program: pulumiProgram(definition),
      code: example,
    });
    for (const module of modulesWithTypes(definition))
      examples.set(tokenOf(module.type), {
        title: `the ${module.name} module of ${withArticle(title)}`,
        program: moduleProgram(definition, module.name, module.type),
      });
  }
  return examples;
}

const CATALOGUE_SET: Example = {
  title: "a catalogue as one resource",
  program: { prod: { type: `${PACKAGE}:CatalogueSet`, properties: { file: "tunnels.yaml" } } },
};

/** The same program in every language, in the form from which Pulumi's generators take that of theirs. */
function usage(about: string, program: Program, types: PackageTypes, written: string | undefined): string {
  const { packageName } = languages.nodejs;
  const code = written
    ? `import * as tunnels from "${packageName}";\n\n${written}\n`
    : typescript(declarationsOf(program, types), packageName);
  const programs = { typescript: { code }, ...inEveryLanguage(program, types) };
  const blocks = Object.entries(programs).map(([language, { code }]) => `\`\`\`${language}\n${code}\`\`\`\n`);
  const title = about.charAt(0).toUpperCase() + about.slice(1);
  return `\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n### ${title}\n\n${blocks.join("")}{{% /example %}}\n{{% /examples %}}\n`;
}

/**
 * The types, resources and functions of the schema, from which every language of Pulumi is generated.
 */
export function packageTypes(registry: readonly Definition[]) {
  const types = new Types();
  const resources: Record<string, ResourceSpec> = {};
  const functions: Record<string, FunctionSpec> = {};
  for (const definition of registry) {
    resources[tokenOf(definition.type)] = objectSpec(types, definition);
    for (const { name, type } of modulesWithTypes(definition))
      resources[tokenOf(type)] = moduleSpec(types, definition, name, type);
    functions[tokenOf(`get${definition.type}`)] = getSpec(types, definition);
  }
  resources[tokenOf("CatalogueSet")] = catalogueSetSpec;
  for (const component of COMPONENTS) resources[tokenOf(component.type)] = componentSpec(component);
  functions[tokenOf("getExposure")] = exposureSpec(types);
  for (const kind of keysOf(OBSERVED))
    functions[tokenOf(`get${OBSERVED[kind].type}s`)] = observedSpec(types, kind);
  return { types: types.specs, resources, functions };
}

const about = (version: string) => ({
  name: PACKAGE,
  displayName: "tunnelplane",
  version,
  description:
    "Declares tunnels of a tunnelplane server: credentials, edges, certificate authorities, policies and events.",
  keywords: ["pulumi", "tunnelplane", "kind/native", "category/network"],
  homepage: manifest.homepage,
  license: manifest.license,
  repository: `https://github.com/${repository.owner}/${repository.name}`,
  publisher: "tunnelplane",
  logoUrl: `https://raw.githubusercontent.com/${repository.owner}/${repository.name}/main/docs/images/logo.svg`,
  // An engine that lacks the plugin gets it from the releases of the repository.
  pluginDownloadURL: `github://api.github.com/${repository.owner}/${repository.name}`,
  meta: { moduleFormat: "(.*)" },
  language: languages,
  config: { variables: SETTINGS },
  provider: {
    description: "A tunnelplane server, the key to it, and a project there.",
    inputProperties: SETTINGS,
    properties: SETTINGS,
  },
});

function objectSpec(types: Types, definition: Definition): ResourceSpec {
  const { type, doc } = definition;
  const inputs: Shape = createSchema(asDeclared(definition)).shape;
  const computed = computedOf(definition);
  const properties = { ...types.properties(type, { ...inputs, ...computed }), ...listsOf(types, definition) };
  return {
    description: doc + accessDoc(definition),
    inputProperties: types.properties(type, inputs),
    requiredInputs: requiredOf(inputs),
    properties,
    required: [...alwaysIn(inputs), ...requiredOf(computed)],
    listInputs: listSpec(types, definition, properties),
    aliases: [{ type: dynamicType(type) }],
  };
}

/** What a list is asked by: single values that a property has, or one of the texts that it is a list of. */
function listSpec(types: Types, definition: Definition, outputs: Properties): ObjectSpec {
  const named = { name: { type: "string", description: "Its name for people." } } as const;
  const queried = Object.entries<PropertySpec>({ ...named, ...outputs }).flatMap(([name, spec]) => {
    const description = spec.items ? `An entry of the list. ${spec.description}` : spec.description;
    const { type } = types.resolved(spec.items ?? spec);
    const isSingle = type === "string" || (type !== undefined && !spec.items && isScalar(type));
    return isSingle && !spec.secret ? [[name, { type, description }]] : [];
  });
  return { properties: Object.fromEntries(queried), required: pathFieldsOf(definition).map(camelCase) };
}

const isScalar = (type: string): boolean => ["integer", "number", "boolean"].includes(type);

function computedOf(definition: Definition): Shape {
  const answer: Shape = answerSchema(definition).shape;
  const own = Object.entries(definition.computed).filter(([, schema]) => isOutput(schema));
  const names = ["uri", "created_at"];
  const common = Object.fromEntries(names.map((name) => [name, answer[name] as z.ZodType]));
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(
      answeredListsOf(definition).flatMap(({ answeredAs, schema, key }) =>
        key ? [] : [[answeredAs, schema]],
      ),
    ),
    ...(pathFieldsOf(definition).length > 0 ? { [definition.idField]: answer.id as z.ZodType } : {}),
    ...common,
  };
}

/**
 * The lists whose entries have addresses in outputs. They are of types of their own, because inputs have no
 * addresses.
 */
function listsOf(types: Types, definition: Definition): Properties {
  const entries = answeredListsOf(definition).filter(({ key }) => key !== undefined);
  return Object.fromEntries(
    entries.map(({ field, schema }) => {
      const { withAddress } = types.properties(`${definition.type}${pascalCase(field)}`, {
        with_address: schema,
      });
      return [camelCase(field), present(withAddress)];
    }),
  );
}

function moduleSpec(types: Types, definition: Definition, name: string, type: string): ResourceSpec {
  const { title } = definition;
  const inputs: Shape = moduleAsResource(definition, name).fields;
  // A module's fields are those of the object's own type.
  const shape = (bare(definition.fields[name] as z.ZodType) as z.ZodObject).shape as Shape;
  const module = types.properties(`${type}Module`, shape);
  const own = types.properties(
    type,
    Object.fromEntries(Object.entries(inputs).filter(([field]) => !(field in shape))),
  );
  const all = { ...own, ...module };
  return {
    description:
      `The ${name} module of ${withArticle(title)}, as a resource of its own: for programs that do not declare the ${title} itself. ${docOf(definition.fields[name] as z.ZodType)}`.trim(),
    inputProperties: all,
    requiredInputs: requiredOf(inputs),
    properties: all,
    required: alwaysIn(inputs),
    aliases: [{ type: dynamicType(type) }],
  };
}

const strings = { type: "object", additionalProperties: { type: "string" } } as const;

const catalogueSetInputs: Properties = {
  file: { type: "string", description: "The catalogue, seen from the folder of the project." },
  set: {
    type: "string",
    description: "The name of the change set on the server. Default: the resource's name.",
    replaceOnChanges: true,
    willReplaceOnChanges: true,
  },
  values: {
    ...strings,
    description: "What `!config NAME` and `!secret NAME` of the catalogue stand for, by name.",
  },
};

/** The only resource that the contract has no type for: many objects of all types. */
const catalogueSetSpec: ResourceSpec = {
  description:
    "All objects of a YAML file as one resource, with one request and one transaction for all of them. Objects that are removed from the file are deleted; destroying the resource deletes all of its objects.",
  inputProperties: catalogueSetInputs,
  requiredInputs: ["file"],
  properties: {
    ...catalogueSetInputs,
    ids: { ...strings, description: "The id of each object, by kind and key: `tls_edge/app`." },
    tokens: {
      ...strings,
      description: "The one-time secrets of credentials and API keys, by kind and key.",
      secret: true,
    },
    digest: { type: "string", description: "The digest of the last apply." },
  },
  required: ["file", "set", "ids", "tokens", "digest"],
  aliases: [{ type: dynamicType("CatalogueSet") }],
};

function componentSpec({ doc, inputs, outputs }: Component): ResourceSpec {
  return {
    isComponent: true,
    description: doc,
    inputProperties: Object.fromEntries(
      Object.entries(inputs).map(([name, { known, optional, ...spec }]) => [name, spec]),
    ),
    requiredInputs: Object.keys(inputs).filter((name) => !inputs[name]?.optional),
    // No output is marked secret, its value is: Java cannot compile what is generated for marks of components.
    properties: outputs,
    required: Object.keys(outputs),
  };
}

function getSpec(types: Types, definition: Definition): FunctionSpec {
  const { type, title, idPrefix } = definition;
  const fields: Shape = createSchema(asDeclared(definition)).shape;
  const computed = computedOf(definition);
  const lookup = lookupOf(definition);
  const ways = [
    "`id`",
    ...(lookup.length > 0 ? [lookup.map(({ argument }) => `\`${argument}\``).join(" and ")] : []),
  ].join(" or by ");
  const inputs: Record<string, Properties[string]> = {
    id: { type: "string", description: `Its id (\`${idPrefix}_…\`).` },
  };
  for (const { argument, field, schema } of lookup) {
    inputs[argument] = {
      ...types.type(`${type}${pascalCase(field)}`, schema),
      description: docOf(schema) || `One of its ${field}.`,
    };
  }
  return {
    description: `Looks up ${withArticle(title)} that exists, by ${ways}.`,
    inputs: { properties: inputs, required: lookup.length > 0 ? [] : ["id"] },
    outputs: {
      properties: {
        id: { type: "string", description: "Its id." },
        ...types.properties(type, { ...fields, ...computed }),
        ...listsOf(types, definition),
      },
      required: ["id", ...alwaysIn(fields), ...requiredOf(computed)],
    },
  };
}

function observedSpec(types: Types, kind: ObservedKind): FunctionSpec {
  const { type, doc, listKey, title } = OBSERVED[kind];
  const name = camelCase(listKey);
  return {
    description: `Lists ${title}s, at most 10,000, the newest first. ${doc}`,
    inputs: { properties: {} },
    outputs: {
      properties: {
        [name]: {
          type: "array",
          items: types.type(type, OBSERVED_SCHEMAS[kind](), doc),
          description: "The newest first.",
        },
      },
      required: [name],
    },
  };
}

function exposureSpec(types: Types): FunctionSpec {
  const address: ObjectSpec = {
    properties: {
      address: {
        type: "string",
        description:
          "Only this address, or everything that is served at this hostport. Default: all addresses.",
      },
    },
  };
  return {
    description: "Tells who can reach what: a row for each address that is served.",
    inputs: address,
    outputs: {
      properties: {
        exposure: {
          type: "array",
          items: types.type("Exposure", exposureSchema(), "Who can reach what is behind one address."),
          description: "A row for each address, in the order of addresses.",
        },
      },
      required: ["exposure"],
    },
  };
}
