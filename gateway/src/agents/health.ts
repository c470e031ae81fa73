import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { HEALTH_SOCKET } from "../envoy/hostports";
import { listenPrivately } from "../state/files";
import type { AgentSockets } from "./sockets";

/**
 * Tells Envoy at a socket of its own which sockets of agents have an application behind them: these accept
 * each connection, whatever becomes of it. Asked are only those of failovers.
 */
export async function answerHealth(folder: string, sockets: AgentSockets): Promise<Server> {
  const path = join(folder, HEALTH_SOCKET);
  const server = createServer(async ({ url = "" }, answer) => {
    answer.writeHead((await sockets.isUp(url.slice(1))) ? 200 : 503).end();
  });
  await new Promise<void>((resolve, reject) => listenPrivately(server.once("error", reject), path, resolve));
  return server;
}
