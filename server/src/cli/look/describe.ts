import { Gateways, type Transport } from "@tunnelplane/sdk";
import { type Definition, isEdgeKind, isObject, nameAndId } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { type ApiOptions, gather, throughApi, withApiOptions } from "../api";
import { withExamples } from "../examples";
import { type EdgeAtGateway, edgeAt, textOf as stateText } from "../gateways";
import { bold, dim, type OutputOptions, oneLine, outputOption, print } from "../output";
import { kindOfId } from "./kinds";
import { found, kindsThatReferTo, namesOf, objectsOf, refersTo, type Stored } from "./objects";

/**
 * Limits of the objects that refer to one which are named, and of the objects of each kind which are checked.
 */
const MAX_REFERRERS = 50;
const MAX_EXAMINED = 10_000;

/** What `-o json` prints. */
interface Described {
  readonly object: Stored;
  readonly refers_to: readonly Reference[];
  readonly referred_to_by: readonly Reference[];
  /** Whether there may be more objects that refer to it. */
  readonly has_more_referrers: boolean;
  /** Of edges only. */
  readonly gateways?: readonly EdgeAtGateway[];
}

interface Reference {
  readonly id: string;
  /** The name of the object that is referred to, or refers. */
  readonly resource_name?: string;
  /** The field of the referring object that holds the id. */
  readonly field: string;
}

/** `tunnelplane describe <id>` */
export function describeCommand(): Command {
  const command = new Command("describe")
    .description("Show one object in full, its references in both directions, and the gateways that serve it")
    .argument("<id>", "id of the object")
    .addOption(
      outputOption(
        "`object` as the API answers it, `refers_to` and `referred_to_by` (lists of `id`, `resource_name` and `field`), `has_more_referrers`, and for an edge `gateways`",
      ),
    )
    .action((id: string, options: ApiOptions & OutputOptions) => {
      const definition = kindOfId(id);
      return throughApi(options, async (transport) => {
        const described = await describe(transport, definition, id);
        print(described, options, () => linesOf(definition, described));
      });
    });
  return withExamples(
    withApiOptions(command),
    ["tunnelplane describe edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue", "fields, modules and references"],
    ["tunnelplane describe ipp_0ERWdYmHciyPtBdiFM2OsTqjQue -o json", "the same, for programs"],
  );
}

async function describe(transport: Transport, definition: Definition, id: string): Promise<Described> {
  const { body: object } = await found(transport, definition, id);
  const references = refersTo(object);
  const names = await namesOf(
    transport,
    references.map((one) => one.id),
  );
  return {
    object,
    refers_to: references.map((one) => withName(one, names.get(one.id))),
    ...(await referrersOf(transport, definition, id)),
    ...(isEdgeKind(definition.kind)
      ? { gateways: (await gather(edgeAt(new Gateways(transport), id))).items }
      : {}),
  };
}

async function referrersOf(
  transport: Transport,
  definition: Definition,
  id: string,
): Promise<Pick<Described, "referred_to_by" | "has_more_referrers">> {
  const referrers: Reference[] = [];
  let hasMore = false;
  for (const kind of kindsThatReferTo(definition)) {
    let looked = 0;
    for await (const other of objectsOf(transport, kind)) {
      hasMore ||= looked++ === MAX_EXAMINED || referrers.length > MAX_REFERRERS;
      if (hasMore) break;
      for (const { id: to, field } of refersTo(other))
        if (to === id) referrers.push(withName({ id: other.id, field }, other.resource_name));
    }
  }
  return {
    referred_to_by: referrers.slice(0, MAX_REFERRERS),
    has_more_referrers: hasMore || referrers.length > MAX_REFERRERS,
  };
}

const withName = ({ id, field }: Reference, name: string | undefined): Reference => ({
  id,
  ...(name !== undefined && { resource_name: name }),
  field,
});

function* linesOf(definition: Definition, described: Described): Generator<string> {
  const { object, refers_to: out, referred_to_by: back, has_more_referrers: hasMore, gateways } = described;
  yield bold(`${definition.title} ${oneLine(nameAndId(object.resource_name, object.id))}`);
  yield* fieldLines(object);
  if (out.length > 0) yield bold("Refers to");
  yield* out.map(referenceLine);
  if (back.length > 0) yield bold("Referred to by");
  yield* back.map(referenceLine);
  if (hasMore) yield dim("  and perhaps more");
  if (gateways) yield* gatewayLines(gateways);
}

const referenceLine = ({ id, resource_name, field }: Reference): string =>
  `  ${oneLine(nameAndId(resource_name, id))}  ${dim(oneLine(field))}`;

function gatewayLines(gateways: readonly EdgeAtGateway[]): string[] {
  const nobody =
    gateways.length > 0
      ? "Served as declared by no gateway"
      : "Served by no gateway: none reported in the last 7 days";
  const isServed = gateways.some(({ served }) => served);
  return [
    bold(isServed ? "Served by" : nobody),
    ...gateways.map((one) => `  ${oneLine(`${one.gateway}  ${stateText(one)}`)}`),
  ];
}

/** Fields and values, those within others indented. */
function fieldLines(value: object, indent = "  "): string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const name = oneLine(key); // the keys of labels are the user's own
    if (item === null || item === "") return [`${indent}${name}: ${dim("-")}`];
    if (Array.isArray(item) && item.length === 0) return [`${indent}${name}: ${dim("none")}`];
    if (!isObject(item) && !Array.isArray(item)) return [`${indent}${name}: ${textOf(item, indent)}`];
    const { id, uri, ...rest }: Record<string, unknown> = { ...item };
    if (typeof id === "string" && typeof uri === "string" && Object.keys(rest).length === 0)
      return [`${indent}${name}: ${oneLine(id)}`];
    return [`${indent}${name}:`, ...fieldLines(item, `${indent}  `)];
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
