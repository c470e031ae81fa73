import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { noteDeclared } from "./declared";
import { denialsBefore, noteDenials } from "./denials";
import { mistakesBeside, type OtherMistakes } from "./mistakes";
import { guardsOf, hasModules, modulesOfOwner, noteModule, noteOwner, waitingEdges } from "./modules";
import { keptBefore, noteNeeds } from "./order";
import type { Adopted, Origin } from "./origin";
import { recordOneLine, withWayHere } from "./trace";
import { isOfPackage, providerLiteral, typeToken } from "./typeToken";

export { isOfType } from "./typeToken";

/** The facts about a class that the engine needs before the contract is loaded. */
export interface ResourceShape {
  /** Its name in the contract: `tls_edge`, or `tls_edge.backend` for a module. */
  readonly kind: string;
  /** The name of the class. */
  readonly type: string;
  /** Every property that the resource will have. */
  readonly properties: readonly string[];
  /** Paths of the properties that the state encrypts, for example `oidc.clientSecret`. */
  readonly secrets: readonly string[];
  /** Whether no two objects may hold the same value, such as a hostport. */
  readonly unique?: true;
}

/** The base class of every resource in this package. */
export abstract class Resource extends pulumi.CustomResource {
  /** Whether something is a resource of any class of this package or of the native provider. */
  static override isInstance(resource: unknown): resource is Resource {
    return isOfPackage(resource);
  }

  protected constructor(
    shape: ResourceShape,
    name: string,
    args: object,
    options: pulumi.CustomResourceOptions = {},
  ) {
    const undeclared = Object.fromEntries(shape.properties.map((property) => [property, undefined]));
    const declared = shape.secrets.reduce((properties, path) => withSecret(properties, path.split(".")), {
      ...args,
    });
    const secretOutputs = [...new Set(shape.secrets.flatMap((path) => path.split(".", 1)))];
    expectToBeFound();
    const type = typeToken(shape.type);
    const made: { resource?: Resource } = {};
    const owner = noteModule(shape.kind, args);
    const recordAll = recordOneLine();
    try {
      super(
        type,
        name,
        {
          ...undeclared,
          ...declared,
          __origin: originOf(type, name, args, options, {
            owner,
            modules: hasModules(shape.kind) ? () => modulesOfOwner(made.resource) : undefined,
            guards: shape.kind === "https_edge" ? () => guardsOf(made.resource) : undefined,
            later: shape.kind.endsWith("_edge") ? waitingEdges : undefined,
            kept: () => keptBefore(made.resource),
            declared: shape.unique && noteDeclared(type, name, options.parent),
            mistakes:
              options.id === undefined
                ? mistakesBeside(shape.kind, `${shape.type} "${name}"`, args)
                : undefined,
          }),
          __provider: providerLiteral(shape.kind),
        },
        // The engine cannot import resources of dynamic providers. The provider does it, see `adopts` in the
        // origin.
        pulumi.mergeOptions(
          { additionalSecretOutputs: secretOutputs, dependsOn: denialsBefore(shape.kind, args, options) },
          { ...options, import: undefined },
        ),
      );
      made.resource = this;
      noteNeeds(this, args, options);
      noteOwner(shape.kind, name, this, args);
      noteDenials(shape.kind, this, args, options);
    } catch (error) {
      recordAll();
      throw withWayHere(error);
    } finally {
      recordAll();
    }
  }
}

/** What the provider gets to know of the rest of the program. */
interface Hints {
  readonly declared: (() => string | undefined) | undefined;
  readonly mistakes: OtherMistakes | undefined;
  readonly modules: (() => readonly string[] | undefined) | undefined;
  readonly guards: (() => readonly string[] | undefined) | undefined;
  readonly later: (() => Origin["later"]) | undefined;
  readonly kept: () => Promise<void>;
  readonly owner: pulumi.Output<string> | undefined;
}

/** A promise and not an output, because an output would make the resource depend on its parent. */
function originOf(
  type: string,
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions,
  { declared, mistakes, modules, guards, later, kept, owner }: Hints,
): Promise<Origin> | undefined {
  const stack = options.id === undefined ? stackName() : undefined;
  if (stack === undefined) return undefined;
  const adopts = options.import === undefined ? undefined : adoptedBy(args, options.import);
  const provider = (options.provider ?? options.parent?.getProvider(type))?.urn;
  return new Promise((resolve, reject) => {
    const urns = pulumi.all([pulumi.createUrn(name, type, options.parent), provider, owner]);
    urns.apply(async ([urn, provider, owner]) => {
      if (declared || mistakes || modules) await new Promise(setImmediate); // first let the program declare everything that waits for nothing
      await kept().catch(reject);
      resolve({
        urn,
        stack,
        provider,
        preview: pulumi.runtime.isDryRun(),
        adopts: await adopts,
        declared: declared?.(),
        mistakes: mistakes?.(),
        modules: modules?.(),
        guards: guards?.(),
        later: later?.(),
        owner,
      });
    });
  });
}

async function adoptedBy(args: object, id: string): Promise<Adopted> {
  const secret = await Promise.all(Object.values(args).map((value) => pulumi.isSecret(pulumi.output(value))));
  return { id, hidden: Object.keys(args).filter((_, index) => secret[index]) };
}

/** The stack's full name; undefined in unit tests whose mocks name no organization. */
function stackName(): string | undefined {
  try {
    return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  } catch {
    return undefined;
  }
}

type Properties = Record<string, unknown>;

/** Marks the value at a path as secret. Looks through any outputs and promises on the way. */
function withSecret<T>(value: T, [name, ...rest]: string[]): T | pulumi.Output<T> {
  if (name === undefined) return pulumi.secret(value) as pulumi.Output<T>;
  if (value === undefined || value === null) return value;
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return pulumi.output(value).apply((known) => withSecret(known, [name, ...rest])) as pulumi.Output<T>;
  }
  const properties = value as Properties;
  // The contract's `own` would load the contract in every program.
  const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return found === undefined ? value : ({ ...properties, [name]: withSecret(found, rest) } as T);
}

/** The folders that were checked already. */
const lookedIn = new Set<string>();

/**
 * Throws if the provider code could not load this package from the program's folder. That happens under pnpm
 * when the program has this package only through another one. Inline programs of the Automation API and unit
 * tests have no folder to check.
 */
function expectToBeFound(): void {
  const root = pulumi.runtime.getRootDirectory();
  if (!isAbsolute(root) || lookedIn.has(root)) return;
  lookedIn.add(root);
  if ([root, process.cwd()].some(resolves)) return;
  const { name, version }: { name: string; version: string } = require("../../package.json");
  throw new pulumi.RunError(
    `${name} cannot be loaded from ${root}, where the engine runs it: add it to the project's own dependencies, beside the package that depends on it (pnpm add ${name}@${version})`,
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
