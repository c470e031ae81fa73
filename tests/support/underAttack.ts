import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { ServerProcess } from "./server";

const HEALTH_LIMIT_MS = 1_000;
const MEMORY_ALLOWANCE_MB = 200;
const MEMORY_WAIT_MS = 60_000;

/** Resident memory of a process, in MB (Linux only). */
export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/**
 * Runs an attack, and checks the server: /livez answers within a second during the attack, and afterwards
 * memory returns to within 200 MB of its value before.
 */
export async function underAttack<T>(server: ServerProcess, attack: () => Promise<T>): Promise<T> {
  const before = memoryOf(server.pid);
  let over = false;
  const health = watchHealth(server, () => over);
  const result = await attack().finally(() => {
    over = true;
  });
  const slowest = await health;
  expect(slowest, "the slowest answer of /livez, in ms").to.be.below(HEALTH_LIMIT_MS);
  await memoryReturns(server, before + MEMORY_ALLOWANCE_MB);
  return result;
}

/**
 * Requests /livez again and again, and once more after the attack. Resolves with the slowest answer in ms.
 */
async function watchHealth(server: ServerProcess, isOver: () => boolean): Promise<number> {
  let slowest = 0;
  for (let last = false; !last; ) {
    last = isOver();
    const asked = performance.now();
    const answer = await fetch(`${server.url}/livez`);
    await answer.text();
    expect(answer.status).to.equal(200);
    slowest = Math.max(slowest, performance.now() - asked);
    await sleep(20);
  }
  return slowest;
}

async function memoryReturns(server: ServerProcess, limit: number): Promise<void> {
  for (const end = Date.now() + MEMORY_WAIT_MS; memoryOf(server.pid) > limit && Date.now() < end; ) {
    await fetch(`${server.url}/readyz`).then((answer) => answer.text());
    await sleep(200);
  }
  expect(memoryOf(server.pid), "memory after the attack, in MB").to.be.at.most(limit);
}
