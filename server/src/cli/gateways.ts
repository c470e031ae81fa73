import { type Gateway, type GatewayEdge, type GatewayStatus, Gateways } from "@tunnelplane/sdk";
import { counted, nameAndId } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { type ApiOptions, gather, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";
import { type OutputOptions, oneLine, outputOption, print } from "./output";

interface Options extends ApiOptions, OutputOptions {
  readonly edge?: string;
}

/** `tunnelplane gateways [name]` */
export function gatewaysCommand(): Command {
  const command = new Command("gateways")
    .description("List gateways, or show the edges and agents of one, through a server's API")
    .argument("[name]", "the gateway to show; without it, all are listed")
    .option("--edge <id>", "show the state of this edge at each gateway")
    .addOption(
      outputOption(
        "the gateways as the API answers them, or the one that is named; with --edge, a list of `gateway`, `state`, `reason`, `served` and `last_seen`",
      ),
    );
  withApiOptions(command).action((name: string | undefined, options: Options) =>
    throughApi(options, async (transport) => {
      const gateways = new Gateways(transport);
      if (options.edge !== undefined) return printEdge(gateways, options.edge, name, options);
      if (name !== undefined) {
        const status = await gateways.get(name);
        return print(status, options, () => [...statusLines(status)].map(oneLine));
      }
      const { items: all } = await gather(gateways.list());
      print(all, options, () =>
        all.length > 0 ? all.map((one) => oneLine(lineOf(one))) : ["No gateway reported in the last 7 days."],
      );
    }),
  );
  command.addCommand(deleteCommand());
  return withExamples(
    command,
    ["tunnelplane gateways", "all, with what they serve"],
    [
      "tunnelplane gateways --edge edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue",
      "the state of one edge at each gateway",
    ],
  );
}

/** `tunnelplane gateways delete <name>` */
function deleteCommand(): Command {
  const command = new Command("delete")
    .description("Remove a gateway that no longer exists from the list; one that still reports comes back")
    .argument("<name>", "the gateway to remove");
  // Commander takes its options for those of `gateways`, which are the same.
  withApiOptions(command).action((name: string, _options: unknown, self: Command) =>
    throughApi(self.optsWithGlobals<ApiOptions>(), async (transport) => {
      await new Gateways(transport).delete(name);
      console.log(`Removed the gateway ${name} from the list.`);
    }),
  );
  return withExamples(command, ["tunnelplane gateways delete edge-1", "after the machine was taken away"]);
}

const lineOf = ({ name, last_seen, version, envoy_version, sequence, applied, rejected }: Gateway): string =>
  `${name} seen ${last_seen} version ${version || "-"} envoy ${envoy_version || "-"} ${sequence === undefined ? "" : `sequence ${sequence} `}applied ${applied} rejected ${rejected}`;

function* statusLines(status: GatewayStatus): Generator<string> {
  yield lineOf(status);
  for (const { id, resource_name: name, state, reason } of status.edges)
    yield `edge ${nameAndId(name, id)} ${state}${reason && `: ${reason}`}`;
  for (const { credential, resource_name: name, bind, address, since } of status.agents)
    yield `agent ${nameAndId(name, credential)} from ${address} since ${since} serves ${bind.join(" ")}`;
  if (status.other_agents > 0) yield `and ${counted(status.other_agents, "agent")} of others`;
}

async function printEdge(
  gateways: Gateways,
  edge: string,
  only: string | undefined,
  options: OutputOptions,
): Promise<void> {
  const { items } = await gather(edgeAt(gateways, edge));
  const states = items.filter(({ gateway }) => only === undefined || gateway === only);
  print(states, options, () => states.map((one) => oneLine(`${one.gateway} ${textOf(one)}`)));
}

/** A gateway counts as down if its last report is older than this: it reports every 30 s. */
const SILENT_MS = 120_000;

/** The state of an edge at a gateway. */
export interface EdgeAtGateway {
  readonly gateway: string;
  readonly state: GatewayEdge["state"] | "unknown";
  readonly reason: string;
  /** Whether the gateway serves the edge now. */
  readonly served: boolean;
  readonly last_seen: string;
}

const isSilent = (lastSeen: string): boolean => Date.now() - Date.parse(lastSeen) > SILENT_MS;

/** The state of an edge at each gateway. */
export async function* edgeAt(gateways: Gateways, edge: string): AsyncGenerator<EdgeAtGateway> {
  for await (const { name: gateway, last_seen } of gateways.list()) {
    const found = (await gateways.get(gateway)).edges.find(({ id }) => id === edge);
    const { state, reason } = found ?? { state: "unknown" as const, reason: "" };
    yield { gateway, state, reason, served: state === "applied" && !isSilent(last_seen), last_seen };
  }
}

/** The same for people. */
export function textOf({ state, reason, last_seen }: EdgeAtGateway): string {
  const label = state === "unknown" ? "does not know it" : `${state}${reason && `: ${reason}`}`;
  return `${label} (${isSilent(last_seen) ? "not seen since" : "seen"} ${last_seen})`;
}
