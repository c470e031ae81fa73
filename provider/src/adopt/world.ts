import { type Caller, Collection, callerOf, PermissionError, type Transport } from "@tunnelplane/sdk";
import { camelCase, type Definition, definitionOf, marksOf, pathFieldsOf, plural, registry } from "@tunnelplane/sdk/contract";
import { Lifecycle } from "../core/lifecycle";
import { type Target, targetOf, type Wire } from "../core/target";
import { outputsOf, type Properties } from "../core/values";

/** An object of the server, as a program would declare it and as a state would record it. */
export interface Existing {
  readonly definition: Definition;
  /** What other objects call it. */
  readonly id: string;
  /** What a resource of it has as its id. */
  readonly resourceId: string;
  readonly answer: Wire;
  /** What the program declares, with its defaults. */
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** Everything that an API key may see. */
export interface World {
  readonly caller: Caller;
  /** By kind, oldest first. */
  readonly objects: readonly Existing[];
  /** What is left out, each with the reason. */
  readonly leftOut: readonly string[];
}

/** Reads all objects, page by page. */
export async function readWorld(transport: Transport, progress: (read: number) => void): Promise<World> {
  const caller = await callerOf(transport);
  const leftOut: string[] = [];
  const found: { definition: Definition; answer: Wire }[] = [];
  for (const definition of registry.filter(({ path }) => pathFieldsOf({ path }).length === 0)) {
    try {
      for await (const answer of new Collection<Wire, never, never>(transport, definition.path, definition.listKey).list()) {
        found.push({ definition, answer }, ...belongingTo(definition, answer));
        if (found.length % PROGRESS_EVERY === 0) progress(found.length);
      }
    } catch (error) {
      if (!(error instanceof PermissionError)) throw error;
      leftOut.push(`all ${plural(definition.title)}: this API key may not see them`);
    }
  }
  if (caller.role !== "admin") {
    const owned = registry.filter(({ access }) => access === "owner").map(({ title }) => plural(title));
    if (owned.length > 0) leftOut.push(`${owned.join(", ")} of others: this API key may not see them`);
  }
  const objects = registry.flatMap((definition) =>
    found
      .filter((one) => one.definition === definition)
      .sort((a, b) => (String(a.answer.id) < String(b.answer.id) ? -1 : 1))
      .flatMap(({ answer }) => {
        const taken = take(definition, answer, caller);
        if (typeof taken === "object") return [taken];
        leftOut.push(`${definition.title} ${answer.id}: ${taken}`);
        return [];
      }),
  );
  return { caller, objects, leftOut };
}

const PROGRESS_EVERY = 500;

/** The objects that answers carry inside of the one that they belong to: the routes of an edge. */
function belongingTo({ computed }: Definition, answer: Wire): { definition: Definition; answer: Wire }[] {
  return Object.entries(computed).flatMap(([name, schema]) => {
    const { embeds } = marksOf(schema);
    return embeds ? (answer[name] as Wire[]).map((one) => ({ definition: definitionOf(embeds.kind), answer: one })) : [];
  });
}

/** The object, or why it is left out. */
function take(definition: Definition, answer: Wire, caller: Caller): Existing | string {
  if (answer.id === caller.key_id) return "it is the key that this is read with";
  if (typeof answer.expires_at === "string" && Date.parse(answer.expires_at) <= Date.now()) return `it ended at ${answer.expires_at}`;
  const target = targets.get(definition.kind) as Target;
  const outputs = outputsOf(target.definition, answer, undefined);
  const { ownerId, ...others } = Object.fromEntries(
    Object.keys(definition.fields)
      .map(camelCase)
      .filter((name) => outputs[name] !== undefined)
      .map((name) => [name, outputs[name]]),
  );
  const declared = ownerId === undefined || ownerId === caller.owner_id ? others : { ...others, ownerId };
  const { inputs, problems } = new Lifecycle(target).check({}, declared, () => false);
  if (problems.length > 0) return `it cannot be declared any more: ${problems.join("; ")}`;
  const resourceId = [...pathFieldsOf(definition), "id"].map((name) => answer[name]).join("/");
  return { definition, id: answer.id as string, resourceId, answer, inputs, outputs };
}

const targets = new Map(registry.map(({ kind }) => [kind, targetOf(kind)]));
