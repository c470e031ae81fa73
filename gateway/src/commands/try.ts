import { inOneLine } from "@tunnelplane/sdk/node";
import { Command, Option } from "commander";
import { checkProgram } from "../sync/envoyProgram";
import { type Side, type Tried, tryChange } from "../trial/change";
import { readRequests, readWorld } from "../trial/files";

interface Flags {
  readonly before: string;
  readonly after: string;
  readonly requests: string;
  readonly format: "text" | "json";
  readonly envoy: string;
}

export const tryCommand = (): Command =>
  new Command("try")
    .description(
      "Send requests to two Envoys, before and after a change, and compare the answers with the decisions",
    )
    .requiredOption(
      "--before <file>",
      'objects before the change: {"objects": [{"kind", "id", "fields"}, …]}',
    )
    .requiredOption("--after <file>", "objects after the change")
    .requiredOption("--requests <file>", '{"requests": […]}, each as POST /exposure/decisions takes it')
    .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
    .addOption(new Option("--envoy <path>", "Envoy's program").env("TUNNELPLANE_ENVOY").default("envoy"))
    .action(tryThem);

async function tryThem({ format, envoy: program, ...files }: Flags): Promise<void> {
  const [before, after] = [readWorld(files.before), readWorld(files.after)];
  const requests = readRequests(files.requests);
  checkProgram(program);
  let disagreeing = 0;
  const tried = tryChange(before, after, requests, {
    program,
    onRejected: (side, { id, reason }) =>
      console.error(`tunnelplane-gateway: ${inOneLine(`${side}: ${id} is rejected: ${reason}`)}`),
  });
  for await (const one of tried) {
    if (!one.agrees) disagreeing++;
    console.log(format === "json" ? JSON.stringify(one) : textOf(one));
  }
  if (format === "text") console.log(summary(requests.length, disagreeing));
  if (disagreeing > 0) process.exitCode = 1;
}

const summary = (all: number, disagreeing: number): string =>
  disagreeing === 0
    ? `Envoy does what was decided for ${all === 1 ? "the request" : `all ${all} requests`}.`
    : `Envoy does something else than was decided for ${disagreeing} of ${all} requests.`;

function textOf({ request, before, after, agrees }: Tried): string {
  const { method = "GET", address, path = "/", from } = request;
  return [
    inOneLine(`${agrees ? "agrees" : "DIFFERS"}: ${method} ${address}${path} from ${from}`),
    ...sideOf("before", before),
    ...sideOf("after ", after),
  ].join("\n");
}

function sideOf(name: string, { said, envoy }: Side): string[] {
  const by = envoy.answered_by === null ? "" : ` by ${envoy.answered_by}`;
  const did = envoy.fault ?? (envoy.status === null ? "closed" : `${envoy.status}${by}`);
  const status = said.status === null ? "" : ` ${said.status}`;
  return [inOneLine(`  ${name}  Envoy: ${did}; decided: ${said.outcome}${status}. ${said.sentence}`)];
}
