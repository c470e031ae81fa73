import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { Bind } from "./bindAddress";
import { type Declared, serves } from "./declared";

/** Somebody who takes connections for what was bound. */
export interface Agent {
  readonly bind: Bind;
  /** Connections that it has now. */
  readonly busy: number;
  open(): Promise<Duplex>;
}

/** A socket for each thing that is declared and that some agent serves: there while one does, so that Envoy sees who is down. */
export class AgentSockets {
  readonly #agents = new Set<Agent>();
  readonly #open = new Map<string, { server: Server; bind: Bind }>();
  #declared: Declared = new Map();

  constructor(private readonly folder: string) {}

  declare(declared: Declared): void {
    this.#declared = declared;
    this.#settle();
  }

  isDeclared(bind: Bind): boolean {
    return [...this.#declared.values()].some((one) => serves(bind, one));
  }

  add(agent: Agent): void {
    this.#agents.add(agent);
    this.#settle();
  }

  remove(agent: Agent): void {
    this.#agents.delete(agent);
    this.#settle();
  }

  stop(): void {
    this.#declared = new Map();
    this.#settle();
  }

  #settle(): void {
    for (const [name, bind] of this.#declared) if (!this.#open.has(name) && this.#serving(bind).length > 0) this.#listen(name, bind);
    for (const [name, { server, bind }] of this.#open) {
      if (this.#declared.has(name) && this.#serving(bind).length > 0) continue;
      this.#open.delete(name);
      server.close();
    }
  }

  #serving = (declared: Bind): Agent[] => [...this.#agents].filter(({ bind }) => serves(bind, declared));

  #listen(name: string, bind: Bind): void {
    const path = join(this.folder, name);
    rmSync(path, { force: true });
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => void this.#connect(socket, bind));
    server.on("error", () => this.#open.delete(name));
    server.listen(path, () => chmodSync(path, 0o600));
    this.#open.set(name, { server, bind });
  }

  /** The agent with the least to do takes a connection; when it cannot, the next one does. */
  async #connect(socket: Socket, bind: Bind): Promise<void> {
    socket.on("error", () => socket.destroy());
    for (const agent of this.#serving(bind).sort((a, b) => a.busy - b.busy)) {
      try {
        const channel = await agent.open();
        if (socket.destroyed) return void channel.destroy();
        channel.on("error", () => socket.destroy()).on("close", () => socket.destroy());
        socket.on("close", () => channel.destroy());
        socket.pipe(channel).pipe(socket);
        return;
      } catch {
        // Another one may take it.
      }
    }
    socket.destroy();
  }
}
