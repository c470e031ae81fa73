import { Command, Option } from "commander";
import { declare } from "../adopt/program";
import { expectRoom, type Format, IMPORT_FILE, writeProject } from "../adopt/project";
import { secretsIn } from "../adopt/secrets";
import { readWorld } from "../adopt/world";
import { askServer, type ServerOptions } from "../host/askServer";
import { serverOptions } from "./server";

interface Options extends ServerOptions {
  readonly out: string;
  readonly format: Format;
  readonly only: readonly string[];
}

/** `adopt`: writes the program of what a server holds, and the file that imports it. */
export function adoptCommand(): Command {
  const command = new Command("adopt").description("Write the Pulumi program of what a server holds, and the file that imports it");
  for (const option of serverOptions()) command.addOption(option);
  return command
    .requiredOption("--out <folder>", "where to write the project: a folder that is new or empty")
    .addOption(new Option("--format <format>", "a program in TypeScript, or a catalogue").choices(["ts", "yaml"]).default("ts"))
    .addOption(
      new Option("--only <kind or name>", "a kind, such as tls_edge, or a name that adopt prints; may be repeated")
        .argParser((word, words: string[]) => [...words, word])
        .default([], "everything"),
    )
    .action(adopt);
}

async function adopt({ out, format, only, ...server }: Options): Promise<void> {
  expectRoom(out);
  const { url, world } = await askServer(server, async (transport) => ({
    url: addressOf(transport.baseUrl),
    world: await readWorld(transport, (read) => console.error(`Read ${read} objects …`)),
  }));
  const resources = declare(world.objects, only);
  writeProject(out, format, resources, url);

  const say = (line = "") => console.log(line);
  for (const { definition, name, resourceId } of resources) say(`${definition.kind} ${name} ${resourceId}`);
  say();
  say(`${out} declares ${resources.length} of the ${world.objects.length} objects that this API key may adopt.`);
  if (world.leftOut.length > 0) say("Left out:");
  for (const line of world.leftOut) say(`  ${line}`);
  const secrets = resources.reduce((count, { definition, inputs }) => count + secretsIn(definition, inputs).length, 0);
  say(
    `${IMPORT_FILE} ${secrets > 0 ? "holds their secrets: keep it to yourself, and " : "is needed once: "}delete it when all is imported. In ${out}:`,
  );
  say("  npm install && pulumi stack init dev");
  if (secrets > 0) say(`  npx tunnelplane-pulumi secrets ${IMPORT_FILE}`);
  // Without the flag, the engine prints code with the secrets in it.
  say(`  pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false --yes`);
  say("  pulumi preview");
}

/** Without a name and password, which an address may hold. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
