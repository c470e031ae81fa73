import { seesAll } from "@tunnelplane/sdk/contract";
import type { Target } from "@tunnelplane/sdk/meaning";
import { MAX_AGENTS_LISTED } from "@tunnelplane/sdk/operations";
import { type Caller, projectOf, sharedProjects } from "../auth";
import { namesOf } from "../documents";
import type { Store } from "../storage";
import { ownTurn } from "../util";
import { edgesOf, type GatewayReport, gone, namedAgent, thoseOf } from "./reports";

type Agent = GatewayReport["agents"][number];

/** The state of an edge at a gateway. */
export interface Serving {
  readonly name: string;
  readonly last_seen: string;
  readonly state: "applied" | "rejected";
  readonly reason: string;
}

/** The agents of a gateway that serve one address. */
export interface ServingAgents {
  /** The agents that the caller may see, the longest there first. */
  readonly agents: readonly Agent[];
  /** How many others there are. */
  readonly other_agents: number;
}

/**
 * The limit of gateways whose reports are searched for one answer: those that reported last. A report may
 * have 1 MiB.
 */
const MAX_EXAMINED = 20;

/** The state of these edges at each gateway, by the id of the edge. */
export async function servingOf(
  { reader }: Store,
  edges: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Serving[]>> {
  const gateways = await reader
    .selectFrom("gateway")
    .select(["name", "last_seen"])
    .where("last_seen", ">=", gone())
    .orderBy("last_seen", "desc")
    .limit(MAX_EXAMINED)
    .execute();
  const found = new Map<string, Serving[]>();
  for (const { name, last_seen } of gateways.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    for (const { id, state, reason } of await edgesOf(reader, name))
      if (edges.has(id)) found.set(id, [...(found.get(id) ?? []), { name, last_seen, state, reason }]);
    await ownTurn();
  }
  return found;
}

/** The agents of some gateways, as a caller may see them. */
export class AgentsOfGateways {
  private constructor(
    private readonly byGateway: ReadonlyMap<string, ReadonlyMap<string, readonly Agent[]>>,
    private readonly seen: ReadonlySet<string>,
    /** The credentials whose agents may serve what the caller's project declares. */
    private readonly serving: ReadonlySet<string>,
    private readonly names: ReadonlyMap<string, string>,
  ) {}

  /** Reads the reports of these gateways. Lets other requests run in between. */
  static async read(
    { reader }: Store,
    caller: Caller,
    gateways: ReadonlySet<string>,
  ): Promise<AgentsOfGateways> {
    const byGateway = new Map<string, ReadonlyMap<string, readonly Agent[]>>();
    const credentials = new Set<string>();
    for (const name of gateways) {
      const row = await reader
        .selectFrom("gateway")
        .select("agents")
        .where("name", "=", name)
        .executeTakeFirst();
      const agents: readonly Agent[] = JSON.parse(row?.agents ?? "[]");
      byGateway.set(name, byBind(agents));
      for (const { credential } of agents) credentials.add(credential);
      await ownTurn();
    }
    const project = projectOf(caller);
    const isShared = (await sharedProjects(reader)).includes(project);
    const owner = seesAll(caller.role) ? {} : { owner: caller.ownerId };
    const ids = [...credentials];
    const seen = await thoseOf(reader, { project, ...owner }, ids);
    const serving = await thoseOf(reader, { project: isShared ? undefined : project }, ids);
    return new AgentsOfGateways(byGateway, seen, serving, await namesOf(reader, [...seen]));
  }

  /** The agents of a gateway that serve one of these ends of an address. */
  at(gateway: string, ends: readonly (readonly string[])[]): ServingAgents {
    const byRule = this.byGateway.get(gateway);
    const found = new Set<Agent>();
    for (const [first, ...others] of ends)
      for (const agent of byRule?.get(first ?? "") ?? [])
        if (this.serving.has(agent.credential) && others.every((rule) => agent.bind.includes(rule)))
          found.add(agent);
    const agents = [...found]
      .filter(({ credential }) => this.seen.has(credential))
      .sort((a, b) => (a.since < b.since ? -1 : 1))
      .slice(0, MAX_AGENTS_LISTED);
    return {
      agents: agents.map((agent) => namedAgent(agent, this.names)),
      other_agents: found.size - agents.length,
    };
  }
}

function byBind(agents: readonly Agent[]): ReadonlyMap<string, readonly Agent[]> {
  const found = new Map<string, Agent[]>();
  for (const agent of agents)
    for (const rule of new Set(agent.bind)) {
      const known = found.get(rule);
      if (known) known.push(agent);
      else found.set(rule, [agent]);
    }
  return found;
}

/** For each end of a backend that agents serve, the binds that such an agent has. */
export function bindsFor(target: Target, hostport: string): string[][] {
  switch (target.kind) {
    case "tunnels":
      return [[`bind:${hostport}`]];
    case "tunnel_group":
      return [Object.entries(target.labels).map(([key, value]) => `bind:${key}=${value}`)];
    case "weighted":
      return target.parts.flatMap(({ to }) => bindsFor(to, hostport));
    case "failover":
      return target.in_order.flatMap((to) => bindsFor(to, hostport));
    default:
      return [];
  }
}
