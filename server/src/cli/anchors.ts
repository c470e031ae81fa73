import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { InvalidArgumentError } from "commander";
import type { Noted } from "../maintenance";

// A server logs one head a day, and two for each start. This is enough for years of an unrotated log; earlier
// ones are skipped.
const MAX_PER_LOG = 10_000;

const HASH = /^[0-9a-f]{64}$/;

/** Reads a place that `audit verify` or `backup` printed, or that `GET /audit_head` answered. */
export function anchorOf(text: string): Noted {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? answered(text);
  if (!sequence || !hash) {
    throw new InvalidArgumentError(
      'Expected "<number>:<64 hexadecimal digits>", as an earlier run printed it, or the JSON that GET /audit_head answers.',
    );
  }
  return { sequence: Number(sequence), hash, source: "--expect" };
}

const answered = (text: string) =>
  /^\s*\{\s*"sequence"\s*:\s*(\d{1,15})\s*,\s*"hash"\s*:\s*"([0-9a-f]{64})"\s*\}\s*$/.exec(text) ?? [];

/** The head of the audit log at the time of a backup. */
export async function anchorInBackup(file: string): Promise<Noted> {
  const { readHeader }: typeof import("../maintenance") = require("../maintenance");
  const { audit_head } = await readHeader(file);
  if (audit_head && Number.isSafeInteger(audit_head.sequence) && HASH.test(audit_head.hash))
    return { ...audit_head, source: file };
  throw new Error(`${file} has no end of an audit log: it is a backup of a database that had none yet`);
}

/** The heads of the audit log in a server's log. Text around its JSON, for example a prefix, is ignored. */
export async function anchorsInLog(file: string): Promise<Noted[]> {
  const found = new Map<string, Noted>();
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const [anchor, sequence, hash] =
      /"audit_head":\{"sequence":(\d{1,15}),"hash":"([0-9a-f]{64})"\}/.exec(line) ?? [];
    if (!anchor || !sequence || !hash) continue;
    found.set(anchor, { sequence: Number(sequence), hash, source: file });
    const [first] = found.keys();
    if (found.size > MAX_PER_LOG && first !== undefined) found.delete(first);
  }
  if (found.size > 0) return [...found.values()];
  throw new Error(
    `${file} has no line about the end of an audit log; servers log it when they start and stop, and daily, at the level info`,
  );
}
