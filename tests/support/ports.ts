import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Below the ports that systems give to outgoing connections, which could take one between two starts. */
const [FIRST, LAST] = [20_000, 32_000];
const MAX_TRIES = 100;

/** A port of this machine that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(FIRST, LAST);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error(`No free port was found from ${FIRST} to ${LAST} in ${MAX_TRIES} tries`);
}

/** Waits until something listens on a port of this machine, 20 seconds at most. */
export async function reachable(port: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++, await sleep(50)) {
    const socket = connect(port, "127.0.0.1");
    const isThere = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
  }
  throw new Error(`Nothing listens on port ${port}`);
}
