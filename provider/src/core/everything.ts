import {
  type Caller,
  Collection,
  Gateways,
  PermissionError,
  type Transport,
  type WithName,
} from "@tunnelplane/sdk";
import {
  DEFAULT_PROJECT,
  type Definition,
  embeddedIn,
  pathFieldsOf,
  plural,
  registry,
  seesAll,
} from "@tunnelplane/sdk/contract";
import { knownCallerOf } from "./caller";
import type { Wire } from "./target";

interface Found {
  readonly definition: Definition;
  readonly answer: Wire;
  /** The name that a program or a catalogue gave it. */
  readonly name?: string;
}

/** Every object on a server that an API key may see. */
export interface Everything {
  readonly caller: Caller;
  readonly found: readonly Found[];
  /** The ports that gateways listen for, if all of them report them. */
  readonly ports?: readonly number[];
  /** Sentences about the objects that the key may not see. */
  readonly leftOut: readonly string[];
}

const PROGRESS_EVERY = 500;

/**
 * Reads all objects, page by page. Objects that are embedded in others, such as routes, are listed on their
 * own too.
 *
 * @param withShared whether to read what edges may refer to in shared projects, too
 */
export async function readServer(
  transport: Transport,
  progress: (read: number) => void,
  withShared = false,
): Promise<Everything> {
  const caller = await knownCallerOf(transport);
  const knowsProjects = caller.projects !== undefined;
  const leftOut: string[] = [];
  const found: Found[] = [];
  for (const definition of registry.filter(({ path }) => pathFieldsOf({ path }).length === 0)) {
    try {
      for await (const answer of new Collection<Wire, never, never>(
        transport,
        definition.path,
        definition.listKey,
      ).list({
        names: true,
        ...(withShared && knowsProjects && isLent(definition) && { shared: true }),
      })) {
        if (answer.id === DEFAULT_PROJECT.id) continue; // it is there from the start: nobody makes it
        const inside = embeddedIn(definition).flatMap(([name, child]) =>
          (answer[name] as (Wire & WithName)[]).map((one) => foundOf(child, one)),
        );
        found.push(foundOf(definition, answer), ...inside);
        if (found.length % PROGRESS_EVERY === 0) progress(found.length);
      }
    } catch (error) {
      if (!(error instanceof PermissionError)) throw error;
      leftOut.push(`all ${plural(definition.title)}: this API key may not see them`);
    }
  }
  if (!seesAll(caller.role)) {
    const owned = registry.filter(({ access }) => access === "owner").map(({ title }) => plural(title));
    if (owned.length > 0) leftOut.push(`${owned.join(", ")} of others: this API key may not see them`);
  }
  const ports = await portsOf(transport).catch((error: unknown) => {
    if (error instanceof PermissionError) return undefined;
    throw error;
  });
  return { caller, found, leftOut, ...(ports && { ports }) };
}

const foundOf = (definition: Definition, { resource_name: name, ...answer }: Wire & WithName): Found => ({
  definition,
  answer,
  ...(name !== undefined && { name }),
});

/** Whether other projects may refer to objects of a type. Nobody refers to edges. */
const isLent = ({ access, fields }: Definition): boolean => access === "everyone" && !("hostports" in fields);

async function portsOf(transport: Transport): Promise<number[] | undefined> {
  let all: number[] | undefined;
  for await (const { ports } of new Gateways(transport).list()) {
    if (!ports) return undefined;
    all = [...(all ?? []), ...ports];
  }
  return all;
}
