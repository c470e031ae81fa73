import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "./server";

type Watched = Pick<ServerProcess, "pid" | "url">;
const HEALTH_LIMIT_MS = 1_000;
const ADMIN_LIMIT_MS = 5_000;
const MEMORY_ALLOWANCE_MB = 200;
const MEMORY_TRIES = 300;

export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/** How long the server's main thread has worked, in ms: an attack shows, other processes do not. */
const workOf = ({ pid }: Watched): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

/** How long the server's main thread works while something is done. */
async function workDuring(server: Watched, run: () => Promise<unknown>): Promise<number> {
  const before = workOf(server);
  await run();
  return workOf(server) - before;
}

/** Does what an admin does during an attack, which waits not long for the server's main thread. */
export async function expectServed(server: Watched, run: () => Promise<unknown>): Promise<void> {
  const work = await workDuring(server, run);
  expect(work, "work of the server until the admin was served, in ms").to.be.below(ADMIN_LIMIT_MS);
}

/** Runs an attack: /livez costs the main thread less than 1 s, and memory returns to within 200 MB. */
export async function underAttack<T>(server: Watched, attack: () => Promise<T>): Promise<T> {
  const before = memoryOf(server.pid);
  let over = false;
  const health = watchHealth(server, () => over);
  const result = await attack().finally(() => {
    over = true;
  });
  const slowest = await health;
  expect(slowest, "work of the server until it answered /livez, in ms").to.be.below(HEALTH_LIMIT_MS);
  await memoryReturns(server, before + MEMORY_ALLOWANCE_MB);
  return result;
}

/** Requests /livez again and again, and once after the attack; resolves with the most work for one. */
async function watchHealth(server: Watched, isOver: () => boolean): Promise<number> {
  let slowest = 0;
  for (let last = false; !last; ) {
    last = isOver();
    const work = await workDuring(server, async () => {
      const answer = await fetch(`${server.url}/livez`);
      await answer.text();
      expect(answer.status).to.equal(200);
    });
    slowest = Math.max(slowest, work);
    await sleep(20);
  }
  return slowest;
}

async function memoryReturns(server: Watched, limit: number): Promise<void> {
  for (let tries = 0; memoryOf(server.pid) > limit && tries < MEMORY_TRIES; tries++) {
    await fetch(`${server.url}/readyz`).then((answer) => answer.text());
    await sleep(200);
  }
  expect(memoryOf(server.pid), "memory after the attack, in MB").to.be.at.most(limit);
}
