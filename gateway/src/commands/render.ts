import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, messageOf, nameAndId, registry } from "@tunnelplane/sdk/contract";
import { inOneLine } from "@tunnelplane/sdk/node";
import { Command } from "commander";
import { EnvironmentSource } from "../environment/source";
import { isEnforcedKind, NEEDED_FIELDS } from "../envoy/kinds";
import { bootstrap } from "../envoy/listeners";
import { objectsOf } from "../envoy/model";
import { statically } from "../envoy/static";
import { translate } from "../envoy/translate";
import { type Entry, namesOf, ServerSource } from "../server/source";
import { keepNothing } from "../state/files";
import { type CommonFlags, commonOptions } from "./options";

/** How long to wait for the addresses of names: the output is not updated later. */
const NAMES_MS = 15_000;

export function renderCommand(): Command {
  const command = new Command("render")
    .description("Print the Envoy configuration for the objects of a server, once")
    .argument(
      "[objects.json]",
      'objects to read in place of a server: {"objects": [{"kind": "tls_edge", "fields": {…}}, …]}, or - for standard input',
    );
  for (const option of commonOptions()) command.addOption(option);
  return command.action(render);
}

async function render(file: string | undefined, flags: CommonFlags): Promise<void> {
  const source = await EnvironmentSource.open(flags, {
    warn: (message) => console.error(`tunnelplane-gateway: ${message}`),
    keep: keepNothing,
    answersForIssuers: false,
  });
  const entries = file === undefined ? await fromServer(flags) : fromFile(file);
  const objects = objectsOf(entries);
  const environment = await source.read(objects, NAMES_MS);
  const configuration = translate(objects, environment);
  const start = bootstrap({
    admin: join(source.state, "envoy", "admin.sock"),
    ports: environment.listen.map(({ port }) => port),
  });
  const names = namesOf(entries);
  for (const { id, reason } of configuration.edges.filter(({ state }) => state === "rejected"))
    console.error(
      `tunnelplane-gateway: ${inOneLine(`${nameAndId(names.get(id), id)} is rejected: ${reason}`)}`,
    );
  const whole = { ...start, static_resources: statically(configuration) };
  process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
}

async function fromServer({ url, apiKey, project: projects }: CommonFlags): Promise<readonly Entry[]> {
  if (!apiKey) throw new Error("an API key is needed: set TUNNELPLANE_API_KEY, or name a file of objects");
  const source = new ServerSource({ baseUrl: url, apiKey, projects });
  try {
    await source.next(AbortSignal.timeout(60_000));
    return source.entries;
  } finally {
    await source.close();
  }
}

function fromFile(file: string): readonly Entry[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (error) {
    throw new Error(`${file} could not be read: ${messageOf(error)}`);
  }
  const list = isObject(read) && "objects" in read ? read.objects : read;
  const isEntry = (one: unknown): one is Entry =>
    isObject(one) && typeof one.kind === "string" && isObject(one.fields);
  if (!Array.isArray(list) || !list.every(isEntry))
    throw new Error(`${file} must hold {"objects": [{"kind": …, "fields": {…}}, …]}`);
  for (const [index, entry] of list.entries()) refuseMistake(entry, `${file}, objects[${index}]`);
  return list;
}

/** A check that is misspelt must not be left out in silence. */
function refuseMistake({ kind, fields }: Entry, label: string): void {
  const kinds: string[] = registry.map((definition) => definition.kind);
  if (!kinds.includes(kind))
    throw new Error(
      `${label}: there is no kind ${JSON.stringify(kind)}; expected one of ${kinds.join(", ")}`,
    );
  const missing = (isEnforcedKind(kind) ? NEEDED_FIELDS[kind] : []).filter((name) => !(name in fields));
  if (missing.length > 0)
    throw new Error(`${label}: ${missing.join(" and ")} missing; give each ${kind} as the API answers it`);
}
