import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type Adopted, edgeMark, MOST_EDGES, type Origin } from "./origin";
import { typeToken } from "./typeToken";

/** The facts of a class that the engine needs before the contract is loaded. */
export interface ResourceShape {
  /** Its name in the contract: `tls_edge`, or `tls_edge.backend` for a module. */
  readonly kind: string;
  /** The name of the class. */
  readonly type: string;
  /** Every property that the resource will have. */
  readonly properties: readonly string[];
  /** Places of what the state keeps encrypted, for example `oidc.clientSecret`. */
  readonly secrets: readonly string[];
}

/** The base of every resource of this package. */
export abstract class Resource extends pulumi.CustomResource {
  protected constructor(shape: ResourceShape, name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
    const undeclared = Object.fromEntries(shape.properties.map((property) => [property, undefined]));
    const declared = shape.secrets.reduce(
      (properties, place) => withSecret(properties, place.split(".")) as Properties,
      args as Properties,
    );
    const secretOutputs = [...new Set(shape.secrets.map((place) => place.split(".")[0] as string))];
    expectToBeFound();
    const type = typeToken(shape.type);
    super(
      type,
      name,
      {
        ...undeclared,
        ...declared,
        __origin: originOf(type, name, args, options, edgesWith(shape, name)),
        __provider: providerLiteral(shape.kind),
      },
      // The engine cannot import what dynamic providers make, see `adopts` of the origin.
      pulumi.mergeOptions({ additionalSecretOutputs: secretOutputs }, { ...options, import: undefined }),
    );
  }
}

/** As a promise and not as an output, which would make a resource depend on its parent. */
function originOf(
  type: string,
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions,
  edges: readonly string[] | undefined,
): Promise<Origin> | undefined {
  const stack = options.id === undefined ? stackName() : undefined;
  if (stack === undefined) return undefined;
  const adopts = options.import === undefined ? undefined : adoptedBy(args, options.import);
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, options.parent).apply(async (urn) => {
      if (edges) await new Promise(setImmediate); // until the program has declared what it declares without waiting
      resolve({ urn, stack, preview: pulumi.runtime.isDryRun(), adopts: await adopts, edges });
    });
  });
}

/** The edges of each run; the Automation API may have several at once. */
const edgesOfRuns = new WeakMap<object, string[]>();

/** In a preview: notes an edge, and returns the list of all that the program declares, which grows. */
function edgesWith({ kind, type }: ResourceShape, name: string): readonly string[] | undefined {
  const run = pulumi.runtime.isDryRun() && EDGES.includes(kind) ? pulumi.runtime.getStackResource() : undefined;
  if (!run) return undefined;
  const edges = edgesOfRuns.get(run) ?? [];
  edgesOfRuns.set(run, edges);
  if (edges.length < MOST_EDGES) edges.push(edgeMark(type, name));
  return edges;
}

/** The kinds that serve hostports; the contract is not loaded here. */
const EDGES = ["tls_edge", "https_edge"];

async function adoptedBy(args: object, id: string): Promise<Adopted> {
  const secret = await Promise.all(Object.values(args).map((value) => pulumi.isSecret(pulumi.output(value))));
  return { id, hidden: Object.keys(args).filter((_, index) => secret[index]) };
}

/** The stack's whole name; undefined in unit tests, whose mocks need not name an organization. */
function stackName(): string | undefined {
  try {
    return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  } catch {
    return undefined;
  }
}

type Properties = Record<string, unknown>;

/** The value with a secret made of what stands at a place in it, however many outputs and promises are around it. */
function withSecret<T>(value: T, [name, ...rest]: string[]): T | pulumi.Output<T> {
  if (name === undefined) return pulumi.secret(value) as pulumi.Output<T>;
  if (value === undefined || value === null) return value;
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return pulumi.output(value).apply((known) => withSecret(known, [name, ...rest])) as pulumi.Output<T>;
  }
  const properties = value as Properties;
  return properties[name] === undefined ? value : ({ ...properties, [name]: withSecret(properties[name], rest) } as T);
}

/**
 * The provider of a resource as its state keeps it: a program that fetches the real one. Every byte of it
 * is written with every step of every operation (1.8 KB of code make 500 creations twice as slow, see the
 * engine's measurements in docs/architecture/provider.md), and old state runs it after an upgrade: it must never change.
 */
export const providerLiteral = (kind: string): string => `exports.handler=()=>require("@tunnelplane/pulumi/dynamic")("${kind}")`;

/** Where it was looked already; a program runs in one folder. */
const lookedIn = new Set<string>();

/**
 * Stops a program from whose folder the literal would not find this package: one that has it through another package
 * alone, under a package manager that keeps to what is declared (pnpm). Only Pulumi's host for programs tells the folder;
 * the Automation API's inline programs and unit tests have none.
 */
function expectToBeFound(): void {
  const root = pulumi.runtime.getRootDirectory();
  if (!isAbsolute(root) || lookedIn.has(root)) return;
  lookedIn.add(root);
  if ([root, process.cwd()].some(resolves)) return;
  const { name, version } = require("../../package.json") as { name: string; version: string };
  throw new pulumi.RunError(
    `${name} cannot be loaded from ${root}, where the engine runs it: name it in the project's own dependencies, beside the package that brings it along (pnpm add ${name}@${version})`,
  );
}

function resolves(folder: string): boolean {
  try {
    createRequire(join(folder, "index.js")).resolve("@tunnelplane/pulumi/dynamic");
    return true;
  } catch {
    return false;
  }
}
