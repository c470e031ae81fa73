import { type Gateway, type GatewayStatus, Gateways } from "@tunnelplane/sdk";
import { Command } from "commander";
import { type ApiOptions, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";

interface Options extends ApiOptions {
  readonly edge?: string;
}

/** `tunnelplane gateways [name]` */
export function gatewaysCommand(): Command {
  const command = new Command("gateways")
    .description("List gateways, or show the edges and agents of one, through a server's API")
    .argument("[name]", "the gateway to show; without it, all are listed")
    .option("--edge <id>", "show the state of this edge at each gateway");
  withApiOptions(command).action((name: string | undefined, options: Options) =>
    throughApi(options, async (transport) => {
      const gateways = new Gateways(transport);
      if (options.edge !== undefined) return showEdge(gateways, options.edge, name);
      if (name !== undefined) return show(await gateways.get(name));
      let count = 0;
      for await (const gateway of gateways.list()) {
        count++;
        console.log(lineOf(gateway));
      }
      if (count === 0) console.log("No gateway reported in the last 7 days.");
    }),
  );
  return withExamples(
    command,
    ["tunnelplane gateways", "all, with what they serve"],
    ["tunnelplane gateways --edge edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue", "the state of one edge at each gateway"],
  );
}

const lineOf = ({ name, last_seen, version, envoy_version, sequence, applied, rejected }: Gateway): string =>
  `${name} seen ${last_seen} version ${version || "-"} envoy ${envoy_version || "-"} sequence ${sequence} applied ${applied} rejected ${rejected}`;

function show(status: GatewayStatus): void {
  console.log(lineOf(status));
  for (const { id, state, reason } of status.edges) console.log(`edge ${id} ${state}${reason && `: ${reason}`}`);
  for (const { credential, bind, address, since } of status.agents)
    console.log(`agent ${credential} from ${address} since ${since} serves ${bind.join(" ")}`);
  if (status.other_agents > 0) console.log(`and ${status.other_agents} agents of others`);
}

async function showEdge(gateways: Gateways, edge: string, only: string | undefined): Promise<void> {
  for await (const { name, text } of edgeAt(gateways, edge)) if (only === undefined || name === only) console.log(`${name} ${text}`);
}

/** So long after its last report, a gateway is taken to be down: it reports every 30 s. */
const SILENT_MS = 120_000;

interface EdgeAtGateway {
  /** The gateway's. */
  readonly name: string;
  /** Whether it serves the edge now. */
  readonly served: boolean;
  readonly text: string;
}

/** What each gateway makes of an edge. */
export async function* edgeAt(gateways: Gateways, edge: string): AsyncGenerator<EdgeAtGateway> {
  for await (const { name, last_seen } of gateways.list()) {
    const found = (await gateways.get(name)).edges.find(({ id }) => id === edge);
    const isSilent = Date.now() - Date.parse(last_seen) > SILENT_MS;
    const state = found ? `${found.state}${found.reason && `: ${found.reason}`}` : "does not know it";
    const text = `${state} (${isSilent ? "not seen since" : "seen"} ${last_seen})`;
    yield { name, served: found?.state === "applied" && !isSilent, text };
  }
}
