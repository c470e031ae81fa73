import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { finished } from "node:stream";
import type { ServerChannel as Channel } from "ssh2";
import { addTo } from "../envoy/indexes";
import { listenPrivately } from "../state/files";
import type { Agent } from "./agent";
import { type Bound, type Declared, socketsServedBy } from "./declared";
import { freeWritten } from "./free";

const NOTHING: Declared = { hostports: new Map(), groups: new Map() };

/** A Unix socket for each declared bind while an agent serves it, so that Envoy sees which are down. */
export class AgentSockets {
  readonly #agents = new Set<Agent>();
  readonly #open = new Map<string, { readonly server: Server; readonly agents: Set<Agent> }>();
  #declared: Declared = NOTHING;

  constructor(private readonly folder: string) {}

  declare(declared: Declared): void {
    this.#declared = declared;
    const serving = new Map<string, Agent[]>();
    for (const agent of this.#agents)
      for (const name of socketsServedBy(agent, declared)) addTo(serving, name, agent);
    for (const [name, { agents }] of this.#open) {
      const still = new Set(serving.get(name));
      for (const agent of agents) if (!still.has(agent)) this.#leave(name, agent);
    }
    for (const [name, agents] of serving) for (const agent of agents) this.#join(name, agent);
  }

  isDeclared(bound: Bound): boolean {
    return socketsServedBy(bound, this.#declared).size > 0;
  }

  add(agent: Agent): void {
    this.#agents.add(agent);
    for (const name of socketsServedBy(agent, this.#declared)) this.#join(name, agent);
  }

  remove(agent: Agent): void {
    this.#agents.delete(agent);
    for (const name of socketsServedBy(agent, this.#declared)) this.#leave(name, agent);
  }

  agentsAt = (name: string): number => this.#open.get(name)?.agents.size ?? 0;

  /** Whether the application behind any agent of a socket takes connections. */
  async isUp(name: string): Promise<boolean> {
    const asked = [...(this.#open.get(name)?.agents ?? [])].map(async (agent) => {
      if (!(await agent.isUp())) throw new Error("down");
    });
    return Promise.any(asked).then(
      () => true,
      () => false,
    );
  }

  stop(): void {
    this.declare(NOTHING);
  }

  #join(name: string, agent: Agent): void {
    const open = this.#open.get(name);
    if (open) open.agents.add(agent);
    else this.#listen(name, new Set([agent]));
  }

  #leave(name: string, agent: Agent): void {
    const open = this.#open.get(name);
    if (!open?.agents.delete(agent) || open.agents.size > 0) return;
    this.#open.delete(name);
    open.server.close();
  }

  #listen(name: string, agents: Set<Agent>): void {
    const path = join(this.folder, name);
    const server = createServer(
      { pauseOnConnect: true, allowHalfOpen: true },
      (socket) => void this.#connect(socket, agents),
    );
    server.on("error", () => this.#open.delete(name));
    listenPrivately(server, path);
    this.#open.set(name, { server, agents });
  }

  /** The agent with the fewest connections takes a new one; if it cannot, the next agent does. */
  async #connect(socket: Socket, agents: ReadonlySet<Agent>): Promise<void> {
    socket.on("error", () => socket.destroy());
    for (const agent of [...agents].sort((a, b) => a.rank - b.rank)) {
      try {
        const channel = await agent.open();
        if (socket.destroyed) return void channel.destroy();
        const look = () => socket.bytesWritten > 0 || socket.readableEnded || agent.doubt();
        for (const event of ["end", "close"]) channel.once(event, look);
        return connectBoth(socket, channel);
      } catch {
        // Another one may take it.
      }
    }
    socket.destroy();
  }
}

/**
 * Joins a connection of Envoy to a channel of an agent. Each side may end before the other has sent all of
 * its bytes: then the other side sees the end (EOF), and goes on.
 */
function connectBoth(socket: Socket, channel: Channel): void {
  // ssh2 closes the whole channel where only our side has ended.
  for (const event of ["prefinish", "finish"]) channel.removeAllListeners(event);
  channel.once("finish", () => channel.eof());
  finished(channel, () => channel.close());
  channel.once("error", () => socket.destroy());
  // The agent closed it: what it sent before has still to go out.
  channel.once("close", () => socket.end(() => socket.destroy()));
  // Without an end, Envoy gave up; after one, what waits has still to go in.
  socket.once("close", () => socket.readableEnded || channel.destroy());
  freeWritten(socket);
  socket.pipe(channel).pipe(socket);
}
