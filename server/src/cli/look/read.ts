import { Gateways, type Transport } from "@tunnelplane/sdk";
import type { Definition } from "@tunnelplane/sdk/contract";
import { Argument, Command, Option } from "commander";
import { type ApiOptions, throughApi, withApiOptions } from "../api";
import { withExamples } from "../examples";
import { MissingObjectError, UsageError } from "../failures";
import { edgeAt } from "../gateways";
import { bold, dim, type Format, oneLine, outputOption, printValue, tableOf } from "../output";
import { wholeNumber } from "../settings";
import { objectTable } from "./columns";
import { KIND_NAMES, kindNamed, kindOfId, nameOf } from "./kinds";
import { find, kindsThatReferTo, objectsOf, refersTo, type Stored } from "./objects";

interface ReadOptions extends ApiOptions {
  readonly output: Format;
}

interface ListOptions extends ReadOptions {
  readonly limit: number;
}

/** How many objects `list` prints unless told otherwise, and how many it ever does. */
const USUAL = 100;
const MOST = 1_000_000;

/** How many objects that refer to one `describe` names, and how many of each kind it looks at. */
const MOST_REFERRERS = 50;
const MOST_LOOKED_AT = 10_000;

export const kindArgument = (): Argument => new Argument("<kind>", `kind of object, for example ${KIND_NAMES.slice(-3).join(", ")}`);

/** `tunnelplane list <kind>` */
export function listCommand(): Command {
  const command = new Command("list")
    .description("List the objects of a kind, newest first")
    .addArgument(kindArgument())
    .addOption(outputOption())
    .addOption(new Option("--limit <count>", "how many at most").default(USUAL).argParser(wholeNumber(1, MOST)))
    .action((kind: string, options: ListOptions) => {
      const definition = kindNamed(kind);
      return throughApi(options, (transport) => printList(transport, definition, options));
    });
  return withExamples(
    withApiOptions(command),
    ["tunnelplane list tls-edges", "a table"],
    ["tunnelplane list api-keys -o json", "everything, for programs"],
  );
}

async function printList(transport: Transport, definition: Definition, { output, limit }: ListOptions): Promise<void> {
  const objects: Stored[] = [];
  let more = false;
  for await (const object of objectsOf(transport, definition)) {
    more = objects.length === limit;
    if (more) break;
    objects.push(object);
  }
  if (output !== "table") return printValue(objects, output);
  if (objects.length === 0) return console.log(`There are no ${nameOf(definition).replaceAll("-", " ")}.`);
  for (const line of tableOf(...objectTable(definition, objects))) console.log(line);
  if (more) console.error(`There are more than ${limit}: use --limit to see them.`);
}

/** `tunnelplane get <kind> [id]`, `tunnelplane get <id>` */
export function getCommand(): Command {
  const command = new Command("get")
    .description("Show one object, or all of a kind")
    .argument("<kind|id>", "kind of object, or an id")
    .argument("[id]", "id of the object")
    .addOption(outputOption())
    .action((first: string, second: string | undefined, options: ReadOptions) => {
      const id = second ?? (first.includes("_") && /_[0-9A-Za-z]{10,}$/.test(first) ? first : undefined);
      if (id === undefined) {
        const definition = kindNamed(first);
        return throughApi(options, (transport) => printList(transport, definition, { ...options, limit: MOST }));
      }
      const definition = definitionFor(second === undefined ? undefined : first, id);
      return throughApi(options, async (transport) => {
        const { body } = await found(transport, definition, id);
        if (options.output !== "table") return printValue(body, options.output);
        for (const line of tableOf(...objectTable(definition, [body]))) console.log(line);
      });
    });
  return withExamples(
    withApiOptions(command),
    ["tunnelplane get edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue", "one line"],
    ["tunnelplane get tls-edge edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue -o yaml", "all of it"],
    ["tunnelplane get ip-policies", "all of a kind"],
  );
}

/** The kind that the id says, which must be the one that was named, if one was. */
function definitionFor(name: string | undefined, id: string): Definition {
  const definition = kindOfId(id);
  if (name === undefined) return definition;
  const named = kindNamed(name);
  if (named !== definition) throw new UsageError(`${id} is an id of ${nameOf(definition)}, not of ${nameOf(named)}`);
  return definition;
}

export async function found(transport: Transport, definition: Definition, id: string) {
  const object = await find(transport, definition, id);
  if (object) return object;
  throw new MissingObjectError(`there is no ${definition.title} ${id}`);
}

/** `tunnelplane describe <id>` */
export function describeCommand(): Command {
  const command = new Command("describe")
    .description("Show one object in full, what it refers to, what refers to it, and which gateways serve it")
    .argument("<id>", "id of the object")
    .action((id: string, options: ApiOptions) => {
      const definition = kindOfId(id);
      return throughApi(options, async (transport) => {
        const { body } = await found(transport, definition, id);
        console.log(bold(`${definition.title} ${id}`));
        for (const line of describedLines(body)) console.log(line);
        await printReferences(transport, definition, body);
        if (definition.kind === "tls_edge" || definition.kind === "https_edge") await printGateways(transport, id);
      });
    });
  return withExamples(withApiOptions(command), [
    "tunnelplane describe edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue",
    "fields, modules and references",
  ]);
}

/** Fields and values, those within others indented. */
function describedLines(value: object, indent = "  "): string[] {
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === null || item === "") return [`${indent}${name}: ${dim("-")}`];
    if (Array.isArray(item) && item.length === 0) return [`${indent}${name}: ${dim("none")}`];
    if (typeof item !== "object") return [`${indent}${name}: ${textOf(item, indent)}`];
    const { id, uri, ...rest } = item as Record<string, unknown>;
    if (typeof id === "string" && typeof uri === "string" && Object.keys(rest).length === 0) return [`${indent}${name}: ${id}`];
    return [`${indent}${name}:`, ...describedLines(item, `${indent}  `)];
  });
}

const textOf = (value: unknown, indent: string): string =>
  typeof value === "string" && value.includes("\n")
    ? value
        .trimEnd()
        .split("\n")
        .map((line) => `\n${indent}  ${oneLine(line)}`)
        .join("")
    : oneLine(String(value));

async function printGateways(transport: Transport, edge: string): Promise<void> {
  const lines: string[] = [];
  let isServed = false;
  for await (const { name, served, text } of edgeAt(new Gateways(transport), edge)) {
    lines.push(`  ${name}  ${oneLine(text)}`);
    isServed ||= served;
  }
  const nobody = lines.length > 0 ? "Served as declared by no gateway" : "Served by no gateway: none reported in the last 7 days";
  console.log([bold(isServed ? "Served by" : nobody), ...lines].join("\n"));
}

async function printReferences(transport: Transport, definition: Definition, body: Stored): Promise<void> {
  const out = refersTo(body);
  if (out.length > 0) console.log(bold("Refers to"));
  for (const { field, id } of out) console.log(`  ${id}  ${dim(field)}`);
  const lines: string[] = [];
  for (const kind of kindsThatReferTo(definition)) {
    let looked = 0;
    for await (const other of objectsOf(transport, kind)) {
      const at = refersTo(other).filter(({ id }) => id === body.id);
      lines.push(...at.map(({ field }) => `  ${other.id}  ${dim(field)}`));
      if (++looked >= MOST_LOOKED_AT || lines.length >= MOST_REFERRERS) break;
    }
  }
  if (lines.length > 0) console.log([bold("Referred to by"), ...lines.slice(0, MOST_REFERRERS)].join("\n"));
}
