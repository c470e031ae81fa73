import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../tests/support/ports";
import type { LoadGenerator } from "../load";
import { type Contender, fill } from "../server/contender";
import type { Subject } from "../server/subject";

const MODULE = join(__dirname, "pocketbase");
const ADMIN = { identity: "admin@example.com", password: "a-long-password" };
const DAY_S = 24 * 60 * 60;
const RECORDS = "/api/collections/credentials/records";
const START_MS = 30_000;

/**
 * Builds PocketBase from its Go module, starts it with its defaults and fills it with objects like our small
 * ones, which an API key reads and writes (https://pocketbase.io/docs/authentication/#api-keys).
 * @param size of an object in bytes; a text of its own fills up what is missing
 */
export async function startPocketBase(
  folder: string,
  like: Subject,
  size: number,
  generator: LoadGenerator,
): Promise<Contender> {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "pocketbase");
  execFileSync("go", ["build", "-o", program, "."], { cwd: MODULE, stdio: ["ignore", "ignore", "inherit"] });
  const data = ["--dir", join(folder, "data")];
  execFileSync(program, ["superuser", "upsert", ADMIN.identity, ADMIN.password, ...data], {
    stdio: "ignore",
  });
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(program, ["serve", "--http", address, ...data], { stdio: "ignore" });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill();
    await ended;
  };
  try {
    const url = `http://${address}`;
    await answers(`${url}/api/health`);
    const authorization = await newKey(url);
    await post(`${url}/api/collections`, COLLECTION, authorization);
    const small = like.body("none") as Record<string, unknown>;
    const probe = await post(url + RECORDS, { ...small, note: "" }, authorization);
    await fetch(`${url}${RECORDS}/${probe.body.id}`, { method: "DELETE", headers: { authorization } });
    const subject: Subject = {
      path: RECORDS,
      list: `${RECORDS}?perPage=100`,
      all: `${RECORDS}?perPage=1000`,
      listKey: "items",
      body: () => ({ ...small, note: "x".repeat(Math.max(size - probe.size, 0)) }),
    };
    const empty = { urls: [url], pids: [child.pid as number], headers: { authorization }, backendId: "none" };
    return await fill({ ...empty, subjects: [subject], stop }, generator);
  } catch (error) {
    await stop();
    throw error;
  }
}

const COLLECTION = {
  name: "credentials",
  type: "base",
  fields: [
    { name: "description", type: "text" },
    { name: "metadata", type: "text" },
    { name: "note", type: "text" },
    { name: "acl", type: "json" },
    { name: "created", type: "autodate", onCreate: true },
    { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
  ],
};

async function answers(url: string): Promise<void> {
  const end = performance.now() + START_MS;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (performance.now() > end) throw new Error(`PocketBase did not answer within ${START_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A token that is not renewed, which is PocketBase's form of an API key. */
async function newKey(url: string): Promise<string> {
  const admins = `${url}/api/collections/_superusers`;
  const { token, record } = (await post(`${admins}/auth-with-password`, ADMIN)).body;
  return (await post(`${admins}/impersonate/${record.id}`, { duration: DAY_S }, token)).body.token;
}

async function post(url: string, body: unknown, authorization = "") {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`PocketBase answered ${response.status} to ${url}: ${text}`);
  return { size: Buffer.byteLength(text), body: JSON.parse(text) };
}
