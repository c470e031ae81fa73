import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import { AcmeProblem } from "./problem";

/** A name server that takes updates (RFC 2136), and the key that signs them (RFC 8945). */
export interface DnsServer {
  readonly host: string;
  readonly port: number;
  /** The zone that holds the names, such as `example.com`. */
  readonly zone: string;
  readonly key: { readonly name: string; readonly secret: Buffer };
}

const [TYPE_SOA, TYPE_TXT, TYPE_TSIG] = [6, 16, 250];
const [CLASS_IN, CLASS_NONE, CLASS_ANY] = [1, 254, 255];
const UPDATE = 5 << 11;
const HMAC_SHA256 = "hmac-sha256";
/** Seconds that clocks may differ. */
const FUDGE = 300;
const TTL = 60;
const ANSWER_MS = 5_000;
const TRIES = 3;
/** How an alias is looked up. */
const LOOK = { timeout: 2_000, tries: 1 };
const MAX_ALIASES = 8;
/** A text of DNS is in parts of so many bytes (RFC 1035 section 3.3). */
const MAX_TEXT_LENGTH = 255;
/** RFC 1035 section 4.1.1, RFC 2136 section 2.2, RFC 8945 section 3. */
const CODES: Readonly<Record<number, string>> = {
  1: "the update has a wrong form",
  2: "the server failed",
  3: "the name does not exist",
  4: "the server takes no updates",
  5: "the server refuses the update",
  6: "a name exists that should not",
  8: "a record is missing",
  9: "the server is not responsible for the zone, or the key is wrong",
  10: "the name is not in the zone",
  16: "the signature is wrong",
  17: "the key is not known",
  18: "the clocks differ",
};

const u16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);

function nameBytes(name: string): Buffer {
  const labels = name.toLowerCase().split(".").filter(Boolean);
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "ascii")])),
    Buffer.from([0]),
  ]);
}

const record = (name: string, type: number, of: number, ttl: number, data: Buffer): Buffer =>
  Buffer.concat([nameBytes(name), u16(type), u16(of), u32(ttl), u16(data.length), data]);

function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text, "ascii").subarray(0, MAX_TEXT_LENGTH);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/**
 * Adds a TXT record to a name, or takes it away. Where the name is an alias (CNAME), the record belongs to
 * what it stands for: so a zone of its own may take the updates.
 */
export async function updateText(
  server: DnsServer,
  action: "present" | "cleanup",
  asked: string,
  value: string,
): Promise<void> {
  const name = await targetOf(server, asked);
  const of = action === "present" ? CLASS_IN : CLASS_NONE;
  const change = record(name, TYPE_TXT, of, action === "present" ? TTL : 0, textBytes(value));
  const id = randomInt(0x10000);
  const message = Buffer.concat([
    ...[id, UPDATE, 1, 0, 1, 0].map(u16),
    ...[nameBytes(server.zone), u16(TYPE_SOA), u16(CLASS_IN)],
    change,
  ]);
  const { signed, mac } = sign(server, message, id);
  const answer = await ask(server, signed, id);
  const code = answer.readUInt16BE(2) & 0xf;
  if (code !== 0)
    throw new AcmeProblem(
      "dns_update",
      `the name server ${server.host} refused to change ${name}: ${CODES[code] ?? `code ${code}`}`,
    );
  requireSigned(server, answer, mac);
}

/** What a name stands for: itself, unless the server that takes updates or this machine's knows an alias. */
async function targetOf({ host, port }: DnsServer, name: string): Promise<string> {
  const own = isIP(host) ? [new Resolver(LOOK)] : [];
  for (const resolver of own) resolver.setServers([isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`]);
  const resolvers = [...own, new Resolver(LOOK)];
  let target = name;
  for (let aliases = 0; aliases < MAX_ALIASES; aliases++) {
    let next: string | undefined;
    for (const resolver of resolvers) {
      [next] = await resolver.resolveCname(target).catch(() => []);
      if (next !== undefined) break;
    }
    if (next === undefined) break;
    target = next;
  }
  return target;
}

/** The fields of a signature that it covers itself, but for the time (RFC 8945 section 4.3.3). */
const variables = (key: string, time: Buffer, error: number): Buffer =>
  Buffer.concat([
    ...[nameBytes(key), u16(CLASS_ANY), u32(0), nameBytes(HMAC_SHA256), time],
    ...[u16(FUDGE), u16(error), u16(0)],
  ]);

function timeBytes(): Buffer {
  const seconds = Math.floor(Date.now() / 1000);
  return Buffer.concat([u16(Math.floor(seconds / 2 ** 32)), u32(seconds >>> 0)]);
}

function sign(
  { key }: DnsServer,
  message: Buffer,
  id: number,
): { readonly signed: Buffer; readonly mac: Buffer } {
  const time = timeBytes();
  const mac = createHmac("sha256", key.secret)
    .update(message)
    .update(variables(key.name, time, 0))
    .digest();
  const data = Buffer.concat([
    ...[nameBytes(HMAC_SHA256), time, u16(FUDGE), u16(mac.length), mac],
    ...[u16(id), u16(0), u16(0)],
  ]);
  const counted = Buffer.from(message);
  counted.writeUInt16BE(1, 10);
  return { signed: Buffer.concat([counted, record(key.name, TYPE_TSIG, CLASS_ANY, 0, data)]), mac };
}

/** An answer that anybody on the way could have made proves nothing: it has to be signed with the key. */
function requireSigned({ key, host }: DnsServer, answer: Buffer, asked: Buffer): void {
  const start = answer.lastIndexOf(Buffer.concat([nameBytes(key.name), u16(TYPE_TSIG), u16(CLASS_ANY)]));
  const algorithm = nameBytes(HMAC_SHA256);
  const at = start + nameBytes(key.name).length + 10 + algorithm.length;
  if (start > 0 && answer.length >= at + 10) {
    const [time, size] = [answer.subarray(at, at + 6), answer.readUInt16BE(at + 8)];
    const mac = answer.subarray(at + 10, at + 10 + size);
    const error = answer.readUInt16BE(at + 10 + size + 2);
    const message = Buffer.from(answer.subarray(0, start));
    message.writeUInt16BE(message.readUInt16BE(10) - 1, 10);
    const expected = createHmac("sha256", key.secret)
      .update(u16(asked.length))
      .update(asked)
      .update(message)
      .update(variables(key.name, time, error))
      .digest();
    if (mac.length === expected.length && timingSafeEqual(mac, expected)) return;
  }
  throw new AcmeProblem("dns_update", `the answer of the name server ${host} is not signed with the key`);
}

async function ask({ host, port }: DnsServer, message: Buffer, id: number): Promise<Buffer> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
        const timer = setTimeout(() => resolve(undefined), ANSWER_MS / TRIES);
        const done = (found: Buffer | undefined, error?: Error) => {
          clearTimeout(timer);
          socket.removeAllListeners("message").removeAllListeners("error");
          if (error) reject(error);
          else resolve(found);
        };
        socket.on("error", (error) => done(undefined, error));
        socket.on("message", (data) => {
          if (data.length >= 12 && data.readUInt16BE(0) === id) done(data);
        });
        socket.send(message, port, host, (error) => error && done(undefined, error));
      });
      if (answer) return answer;
    }
  } catch (error) {
    throw new AcmeProblem(
      "dns_update",
      `the name server ${host} cannot be asked: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    socket.close();
  }
  throw new AcmeProblem("dns_update", `the name server ${host} did not answer within ${ANSWER_MS / 1000} s`);
}
