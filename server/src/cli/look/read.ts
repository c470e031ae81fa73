import type { Transport } from "@tunnelplane/sdk";
import type { Definition } from "@tunnelplane/sdk/contract";
import { Argument, Command, Option } from "commander";
import { type ApiOptions, gather, throughApi, withApiOptions } from "../api";
import { withExamples } from "../examples";
import { type OutputOptions, outputOption, print, tableOf } from "../output";
import { wholeNumber } from "../settingOptions";
import { objectTable } from "./columns";
import { KIND_NAMES, kindNamed, kindOfId, nameOf } from "./kinds";
import { found, objectsOf } from "./objects";

interface ReadOptions extends ApiOptions, OutputOptions {}

interface ListOptions extends ReadOptions {
  readonly limit?: number;
  readonly shared?: true;
}

/** How many objects a table has without `--limit`, and how many are ever printed. */
const USUAL = 100;
const MAX_LISTED = 1_000_000;

export const kindArgument = (): Argument =>
  new Argument("<kind>", `kind of object, for example ${KIND_NAMES.slice(-3).join(", ")}`);

/** `tunnelplane list <kind>` */
export function listCommand(): Command {
  const command = new Command("list")
    .description("List the objects of a kind, newest first")
    .addArgument(kindArgument())
    .addOption(outputOption("a list of the objects as the API answers them"))
    .addOption(
      new Option(
        "--limit <count>",
        `how many at most (default: ${USUAL} in a table, all in json and yaml)`,
      ).argParser(wholeNumber(1, MAX_LISTED)),
    )
    .option("--shared", "also those of shared projects, which others may refer to")
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

async function printList(transport: Transport, definition: Definition, options: ListOptions): Promise<void> {
  const { limit = options.output === "table" ? USUAL : MAX_LISTED, shared } = options;
  const { items: objects, hasMore } = await gather(objectsOf(transport, definition, { shared }), limit);
  print(objects, options, () =>
    objects.length > 0
      ? tableOf(...objectTable(definition, objects))
      : [`There are no ${nameOf(definition).replaceAll("-", " ")}.`],
  );
  if (hasMore) console.error(`There are more than ${limit}: use --limit to see them.`);
}

/** `tunnelplane get <id>` */
export function getCommand(): Command {
  const command = new Command("get")
    .description("Show one object")
    .argument("<id>", "id of the object")
    .addOption(outputOption("the object as the API answers it"))
    .action((id: string, options: ReadOptions) => {
      const definition = kindOfId(id);
      return throughApi(options, async (transport) => {
        const { body } = await found(transport, definition, id);
        print(body, options, () => tableOf(...objectTable(definition, [body])));
      });
    });
  return withExamples(
    withApiOptions(command),
    ["tunnelplane get edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue", "one line"],
    ["tunnelplane get edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue -o yaml", "all of it"],
  );
}
