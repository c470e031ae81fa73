import type { InvokeRequest } from "@pulumi/pulumi/proto/provider_pb";
import { InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { Properties } from "@tunnelplane/pulumi/core";
import { type Operation, Steps } from "@tunnelplane/pulumi/operation";
import { Exposures, ObservedCollection } from "@tunnelplane/sdk";
import {
  camelCase,
  type Definition,
  keysOf,
  lookupOf,
  OBSERVED,
  OBSERVED_SCHEMAS,
  type ObservedKind,
  registry,
  rename,
} from "@tunnelplane/sdk/contract";
import type * as Meaning from "@tunnelplane/sdk/meaning";
import { failureOf } from "./failure";
import { byUniqueKey, mistakeIn } from "./lookup";
import { secretsOf, tokenOf } from "./types";
import { received, sent } from "./values";

/** The most rows of exposure, and of what gateways see, that one call gives. */
const MAX_ROWS = 10_000;

const EXPOSURE = "getExposure";
/** What gateways see, by the function that lists it. */
const LISTS = new Map(keysOf(OBSERVED).map((kind) => [`get${OBSERVED[kind].type}s`, kind] as const));

const lookupNamed = (type: string): string => `get${type}`;

/** Looks up what exists, for programs that do not manage it. */
export class Functions {
  constructor(private readonly operation: Operation) {}

  async invoke(request: InvokeRequest): Promise<InvokeResponse> {
    const token = request.getTok();
    const { values: args } = received(request.getArgs());
    if (token === tokenOf(EXPOSURE)) return this.#exposure(args);
    for (const [name, kind] of LISTS) if (token === tokenOf(name)) return this.#observed(kind, args);
    const definition = registry.find(({ type }) => tokenOf(lookupNamed(type)) === token);
    if (!definition) {
      const known = [...registry.map(({ type }) => lookupNamed(type)), EXPOSURE, ...LISTS.keys()];
      throw new Error(`There is no function ${token} in this version; there are ${known.join(", ")}`);
    }
    return this.#object(definition, args);
  }

  async #object(definition: Definition, args: Properties): Promise<InvokeResponse> {
    const mistake = mistakeIn(definition, args);
    if (mistake !== undefined) return refused(mistake);
    if (!this.operation.knowsServer) return NOTHING_YET;
    const steps = new Steps(this.operation, definition.kind);
    const found = await this.operation.withServer(async (transport) => {
      if (!args.id) return byUniqueKey(transport, definition, args);
      const read = await steps.lifecycle.read(transport, String(args.id), {});
      return read && { ...read.outputs, id: args.id };
    });
    if (found) return new InvokeResponse().setReturn(sent(found, secretsOf(steps)));
    const asked = args.id
      ? [String(args.id)]
      : [
          lookupOf(definition)
            .map(({ argument }) => `${argument} ${JSON.stringify(args[argument])}`)
            .join(" and "),
        ].map((key) => `with ${key}`);
    return refused(`there is no ${definition.title} ${asked}, or this API key may not see it`);
  }

  async #observed(kind: ObservedKind, args: Properties): Promise<InvokeResponse> {
    const [unknown] = Object.keys(args);
    if (unknown !== undefined) return refused(`${unknown} is not an argument here; none is accepted`);
    if (!this.operation.knowsServer) return NOTHING_YET;
    const { listKey, title } = OBSERVED[kind];
    const schema = OBSERVED_SCHEMAS[kind]();
    const rows = await this.operation.withServer(async (transport) => {
      const found: unknown[] = [];
      for await (const row of new ObservedCollection<object>(transport, OBSERVED[kind]).list()) {
        if (found.length === MAX_ROWS) throw new Error(`there are more than ${MAX_ROWS} ${title}s`);
        found.push(rename(schema, { ...row }, "camelCase"));
      }
      return found;
    });
    return new InvokeResponse().setReturn(sent({ [camelCase(listKey)]: rows }, []));
  }

  async #exposure(args: Properties): Promise<InvokeResponse> {
    const unknown = Object.keys(args).find((name) => name !== "address");
    if (unknown !== undefined) return refused(`${unknown} is not an argument here; accepted: \`address\``);
    const { address } = args;
    if (address != null && typeof address !== "string") return refused("address must be a string");
    if (!this.operation.knowsServer) return NOTHING_YET;
    const exposure = await this.operation.withServer(async (transport) => {
      const rows: unknown[] = [];
      for await (const row of new Exposures(transport).list({ address: address || undefined })) {
        if (rows.length === MAX_ROWS)
          throw new Error(`there are more than ${MAX_ROWS} addresses; name one with \`address\``);
        rows.push(inCamelCase(row));
      }
      return rows;
    });
    return new InvokeResponse().setReturn(sent({ exposure }, []));
  }
}

/** The engine's own answer in a preview for a provider whose settings are not known. */
const NOTHING_YET = new InvokeResponse().setReturn(sent({}, []));

const refused = (reason: string): InvokeResponse => new InvokeResponse().setFailuresList([failureOf(reason)]);

function inCamelCase(row: Meaning.Exposure): unknown {
  // Loaded here: few programs ask for exposures, and what decides requests would slow the start of all.
  const { exposureSchema }: typeof Meaning = require("@tunnelplane/sdk/meaning");
  return {
    ...rename(exposureSchema(), { ...row }, "camelCase"),
    goesTo: treeInCamelCase(row.goes_to),
  };
}

/** Labels of tunnels are the user's own. */
function treeInCamelCase(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(treeInCamelCase);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, item]) => [
      camelCase(name),
      name === "labels" ? item : treeInCamelCase(item),
    ]),
  );
}
