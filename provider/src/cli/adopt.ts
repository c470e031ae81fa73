import { Command, Option } from "commander";
import { declare } from "../adopt/program";
import { expectRoom, type Format, IMPORT_FILE, writeProject } from "../adopt/project";
import { secretsIn } from "../adopt/secrets";
import { readWorld } from "../adopt/world";
import { askServer, type ServerOptions } from "../operation/askServer";
import { serverOptions } from "./server";

interface Options extends ServerOptions {
  readonly out: string;
  readonly format: Format;
  readonly only: readonly string[];
  readonly packages?: string;
}

/**
 * `adopt`: writes a program for the objects of a server, and the file that imports them.
 *
 * @param tarballs the folder of the packages that a project gets, unless --packages names another
 */
export function adoptCommand(tarballs?: string): Command {
  const command = new Command("adopt").description(
    "Write a Pulumi program for the objects of a server, and the file that imports them",
  );
  for (const option of serverOptions()) command.addOption(option);
  return command
    .requiredOption("--out <folder>", "folder for the project; must be new or empty")
    .addOption(
      new Option("--format <format>", "write a program in TypeScript or a YAML catalogue")
        .choices(["ts", "yaml"])
        .default("ts"),
    )
    .option("--packages <folder>", "take tunnelplane's packages from tarballs in this folder", tarballs)
    .addOption(
      new Option(
        "--only <kind or name>",
        "adopt only this kind, such as tls_edge, or this name, as printed by adopt; may be repeated",
      )
        .argParser((word, words: string[]) => [...words, word])
        .default([], "everything"),
    )
    .action(adopt);
}

async function adopt({ out, format, only, packages, ...server }: Options): Promise<void> {
  expectRoom(out);
  const { url, project, world } = await askServer(server, async (transport) => ({
    url: addressOf(transport.baseUrl),
    project: transport.project,
    world: await readWorld(transport, (read) => console.error(`Read ${read} objects …`)),
  }));
  const resources = declare(world.objects, only);
  writeProject(out, { format, resources, from: url, packages });

  const say = (line = "") => console.log(line);
  for (const { definition, name, resourceId } of resources) say(`${definition.kind} ${name} ${resourceId}`);
  say();
  say(
    `${out} declares ${resources.length} of the ${world.objects.length} objects that this API key may adopt.`,
  );
  if (world.leftOut.length > 0) say("Left out:");
  for (const line of world.leftOut) say(`  ${line}`);
  const secrets = resources.reduce(
    (count, { definition, inputs }) => count + secretsIn(definition, inputs).length,
    0,
  );
  say(
    `${IMPORT_FILE} ${secrets > 0 ? "contains their secrets: keep it private, and " : "is needed once: "}delete it after the import. In ${out}:`,
  );
  say("  npm install && pulumi stack init dev");
  if (project !== undefined) say(`  pulumi config set tunnelplane:project ${project}`);
  if (secrets > 0) say(`  npx --no tunnelplane-pulumi secrets ${IMPORT_FILE}`);
  // Without --generate-code=false, the engine prints code that contains the secrets.
  say(`  pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false --yes`);
  say("  pulumi preview");
}

/** The address without user name and password. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
