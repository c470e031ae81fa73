import { chmodSync, mkdtempSync, renameSync, rmdirSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { Rules, ThreadData } from "./checker";
import { isSigned } from "./signatures";

/** In bytes; Envoy passes no larger body on. */
const MAX_BODY = 1_048_576;
/** Of all bodies that are checked at once, in bytes; beyond it, requests are answered 503. */
const MAX_HELD = 64 * MAX_BODY;
/** Of one header by which services sign, in characters. */
const MAX_HEADER = 8192;

let rules: Rules = new Map();
let held = 0;

const server = createServer(async (request, response) => {
  const size = Number(request.headers["content-length"] ?? MAX_BODY);
  if (held + size > MAX_HELD) return void response.writeHead(503, { connection: "close" }).end();
  held += size;
  try {
    const isIt = await isAnySigned(request).catch(() => false);
    response.writeHead(isIt ? 200 : 403).end();
  } finally {
    held -= size;
  }
});

async function isAnySigned(request: IncomingMessage): Promise<boolean> {
  const [, route = "", port = "", path = "/"] = /^\/([^/]+)\/(\d+)(\/.*)$/.exec(request.url ?? "") ?? [];
  const rule = rules.get(route);
  if (!rule) return false;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, value?.toString()] as const);
  if (headers.some(([, value = ""]) => value.length > MAX_HEADER)) return false;
  const body = await bodyOf(request);
  if (!body) return false;
  const host = (request.headers.host ?? "").replace(/:\d+$/, "");
  const urls = [...(port === "443" ? [`https://${host}${path}`] : []), `https://${host}:${port}${path}`];
  return isSigned(
    rule.provider,
    { headers: Object.fromEntries(headers), body, urls },
    rule.secret,
    Date.now(),
  );
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

parentPort?.on("message", (now: Rules) => {
  rules = now;
});
const { socket } = workerData as ThreadData;
// A thread has no mask of its own for the modes of files: until its mode is set, the socket is in a folder of
// 0700.
const folder = mkdtempSync(join(dirname(socket), "w"));
const place = join(folder, "s");
server.listen(place, () => {
  chmodSync(place, 0o600);
  renameSync(place, socket);
  rmdirSync(folder);
  parentPort?.postMessage("listening");
});
