import { counted } from "@tunnelplane/sdk/contract";
import { Command, Option } from "commander";
import { headerIn, namesIn, readForeign } from "../adopt/foreign";
import { declare } from "../adopt/program";
import { expectRoom, type Format, IMPORT_FILE, writeProject } from "../adopt/project";
import { keyOf, secretsIn } from "../adopt/secrets";
import { readTerraform } from "../adopt/terraform";
import { foreignWorld, readWorld } from "../adopt/world";
import { variableOf } from "../adopt/yaml";
import { askServer, type ServerOptions } from "../operation/askServer";
import { serverOptions } from "./server";

interface Options extends ServerOptions {
  readonly out: string;
  readonly format: Format;
  readonly only: readonly string[];
  readonly packages?: string;
  readonly from?: string;
  readonly fromHeader?: string;
  readonly fromNames?: string;
  readonly fromTerraform?: string;
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
    .option(
      "--from <url>",
      "read an account of a hosted service that speaks this API instead; nothing is changed there",
    )
    .option("--from-header <header>", 'the header with which it takes requests, such as "NAME: 2"')
    .option("--from-names <file>", "its names of paths and fields, for each of ours, in JSON or YAML")
    .option("--from-terraform <file>", "read the state of its Terraform provider instead")
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

async function adopt(options: Options): Promise<void> {
  const { out, format, only, packages, ...server } = options;
  expectRoom(out);
  if (options.from !== undefined || options.fromTerraform !== undefined) return adoptForeign(options);
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

/** Writes what is on another service; it is made on ours by the program, and nothing is imported. */
async function adoptForeign(options: Options): Promise<void> {
  const { out, format, only, packages, from, fromTerraform } = options;
  const world = foreignWorld(await foreignObjects(options));
  const resources = declare(world.objects, only);
  if (resources.length === 0)
    throw new Error(`nothing can be declared: ${world.leftOut.join("; ") || "there are no objects"}`);
  const name = from === undefined ? String(fromTerraform) : addressOf(from);
  writeProject(out, { format, resources, from: name, packages, isForeign: true });
  const say = (line = "") => console.log(line);
  for (const { definition, name: own, id } of resources) say(`${definition.kind} ${own} ${id}`);
  say(`\n${out} declares ${counted(resources.length, "object")} of ${name}, where nothing was changed.`);
  if (world.leftOut.length > 0) say("Left out:");
  for (const line of world.leftOut) say(`  ${line}`);
  const keys = resources.flatMap(({ definition, name: own, inputs }) =>
    secretsIn(definition, inputs).map((path) => keyOf(own, path)),
  );
  if (keys.length > 0) say("Fill in these secrets, which are not in the files:");
  for (const key of keys)
    say(format === "yaml" ? `  export ${variableOf(key)}=…` : `  pulumi config set --secret ${key}`);
  say(`With the address and a key of your server (TUNNELPLANE_BASE_URL, TUNNELPLANE_API_KEY), in ${out}:`);
  if (format === "yaml") say("  tunnelplane apply tunnels.yaml --set moved --plan");
  else say("  npm install && pulumi stack init dev && pulumi preview");
}

async function foreignObjects({ from, fromHeader, fromNames, fromTerraform, apiKey }: Options) {
  if (fromTerraform !== undefined) {
    if (from !== undefined) throw new Error("--from and --from-terraform are two sources: give one of them");
    return readTerraform(fromTerraform, fromNames === undefined ? undefined : namesIn(fromNames).fields);
  }
  const key = apiKey || process.env.TUNNELPLANE_FROM_API_KEY || process.env.TUNNELPLANE_API_KEY;
  if (!key)
    throw new Error("There is no API key of that service: set TUNNELPLANE_FROM_API_KEY, or pass --api-key");
  const url = String(from);
  const { protocol, username, search, hash } = URL.canParse(url) ? new URL(url) : ({} as Partial<URL>);
  if (!/^https?:$/.test(protocol ?? "") || username || search || hash)
    throw new Error(
      `--from ${username ? "with a user name" : JSON.stringify(url)} is not a valid address: expected https://HOST, with a path where the API has one`,
    );
  return readForeign(
    {
      url,
      apiKey: key,
      ...(fromHeader !== undefined && { header: headerIn(fromHeader) }),
      ...(fromNames !== undefined && { names: namesIn(fromNames) }),
    },
    (read) => console.error(`Read ${read} objects …`),
  );
}
