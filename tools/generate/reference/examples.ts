import { stringify } from "yaml";
import {
  camelCase,
  collectionOf,
  createSchema,
  curlSample,
  type Definition,
  definitionNamed,
  moduleAsResource,
  modulesOf,
  pathFieldsOf,
  readSampleReference,
  rename,
  sampleBody,
  sampleFields,
  samplePath,
  sampleReferences,
} from "../../../sdk/src/contract";
import type { Program } from "../languages";

type Json = Record<string, unknown>;

/** Calls back for the sample of a type, after what it refers to, each object once. */
function eachSample(
  definition: Definition,
  name: string,
  declare: (one: Definition, entry: string) => void,
  named: (kind: string) => Definition = definitionNamed,
  done = new Set<string>(),
): void {
  const reference = `${definition.kind}/${name}`;
  if (done.has(reference)) return;
  done.add(reference);
  for (const target of sampleReferences(definition)) {
    const { kind, name: entry } = readSampleReference(target);
    eachSample(named(kind), entry, declare, named, done);
  }
  declare(definition, name);
}

/** The name of the object that the example of a type is about: the last one of this type. */
export const exampleName = ({ example }: Definition): string =>
  /new tunnels\.\w+\("([\w-]+)"/.exec(
    example.split("\n").findLast((line) => line.includes("new tunnels.")) ?? "",
  )?.[1] ?? "one";

/** A catalogue that declares the sample of a type, and what that refers to. */
export function catalogueExample(definition: Definition, name: string): string {
  const collections: Record<string, Json> = {};
  eachSample(definition, name, (one, entry) => {
    const fields = sampleFields(one, (reference) => readSampleReference(reference).name);
    const collection = collectionOf(one);
    collections[collection] = {
      ...collections[collection],
      [entry]: rename(createSchema(one), fields, "camelCase"),
    };
  });
  return stringify(collections, { lineWidth: 0 });
}

/** The same as a Pulumi program for the native provider. */
export const pulumiProgram = (definition: Definition): Program =>
  programOf(definition, exampleName(definition), definitionNamed);

/** A program that declares a module as a resource of its own, beside what it belongs to. */
export function moduleProgram(parent: Definition, module: string, type: string): Program {
  const fromPath = Object.fromEntries(
    pathFieldsOf(parent).map((field) => [field, (parent.sample as Json)[field]]),
  );
  const sample = {
    ...fromPath,
    [parent.idField]: `${parent.kind}/${exampleName(parent)}`,
    ...((parent.sample as Json)[module] as Json),
  };
  return programOf({ ...moduleAsResource(parent, module), type, sample }, camelCase(module), (kind) =>
    withoutModules(definitionNamed(kind)),
  );
}

function withoutModules(definition: Definition): Definition {
  const modules = new Set(modulesOf(definition));
  return {
    ...definition,
    sample: Object.fromEntries(Object.entries(definition.sample).filter(([field]) => !modules.has(field))),
  };
}

function programOf(definition: Definition, name: string, named: (kind: string) => Definition): Program {
  const resources: Record<string, Program[string]> = {};
  eachSample(
    definition,
    name,
    (one, entry) => {
      const fields = sampleFields(one, (reference) => `\${${readSampleReference(reference).name}.id}`);
      resources[entry] = {
        type: `tunnelplane:${one.type}`,
        properties: rename(createSchema(one), fields, "camelCase") as Json,
      };
    },
    named,
  );
  return resources;
}

/** A creation with curl. */
export const curlExample = (definition: Definition): string =>
  curlSample({ method: "POST", path: samplePath(definition), body: sampleBody(definition) });
