import { own } from "@tunnelplane/sdk/contract";
import type { Fault } from "../util";
import { BodyError, RequestError, refuseFaults, yieldToEventLoop } from "../util";
import { objectIn } from "./bodies";
import { endOfText, parseJson } from "./json";
import { refuseOutsized } from "./limits/bodyLimits";

const MIB = 1024 * 1024;
/** The limit of one object of a list, and of everything beside the list: that of a single request's body. */
const MAX_PART_SIZE = MIB;

/** The list of a body, and how many objects it may hold. */
export interface ListLimit {
  readonly list: string;
  readonly most: number;
}

/** A body with one long list of objects. */
export interface ListBody {
  readonly body: Record<string, unknown>;
  /** Faults beside the list. */
  readonly wrong: readonly Fault[];
  /** Faults of single objects of the list, by their index. */
  readonly broken: ReadonlyMap<number, Fault>;
}

const [QUOTE, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Reads the JSON of a body, one object of its list at a time, and lets other requests run in between: parsing
 * 16 MiB at once would delay them by a tenth of a second.
 */
export async function readListBody(bytes: Buffer | undefined, { list, most }: ListLimit): Promise<ListBody> {
  if (bytes === undefined) objectIn(undefined);
  const whole = bytes as Buffer;
  const { rest, parts } = await partsOf(whole, list, most);
  if (rest.length > MAX_PART_SIZE)
    throw new RequestError(
      "malformed_json",
      `The body holds more than 1 MiB besides its ${list}; that must be wrong`,
    );
  const body = objectIn(parseJson(rest)) as Record<string, unknown>;
  const broken = new Map<number, Fault>();
  const listed = own(body, list);
  if (Array.isArray(listed)) {
    for (const [index, item] of listed.entries()) {
      await yieldToEventLoop();
      const part = parts.get(item);
      listed[index] = part ? readPart(part, `${list}[${index}]`, index, broken) : item;
    }
  }
  return { body, wrong: outsized({ ...body, [list]: undefined }), broken };
}

function readPart(part: Buffer, location: string, index: number, broken: Map<number, Fault>): unknown {
  if (part.length > MAX_PART_SIZE) {
    const message = `has ${part.length} bytes; one object has at most 1 MiB, as in a request of its own`;
    broken.set(index, { error: "invalid_field", path: [], message });
    return undefined;
  }
  const item = parseJson(part.toString("utf8"), `${location}: `);
  const [fault] = outsized(item);
  if (fault) broken.set(index, fault);
  return item;
}

function outsized(value: unknown): readonly Fault[] {
  try {
    refuseOutsized(value);
    return [];
  } catch (error) {
    if (error instanceof BodyError) return error.faults;
    throw error;
  }
}

interface Parts {
  /** The text with a short one in place of each object of the list. */
  readonly rest: string;
  /** The objects, by the texts that stand for them. */
  readonly parts: ReadonlyMap<unknown, Buffer>;
}

/**
 * Cuts the objects of a list out of the text of the outermost object. Parsing the parts will show whether it
 * is JSON.
 */
async function partsOf(bytes: Buffer, list: string, most: number): Promise<Parts> {
  const parts = new Map<unknown, Buffer>();
  const name = Buffer.from(`"${list}"`);
  const token = `part ${performance.now()} ${process.pid} `;
  let rest = "";
  let [copied, depth, start] = [bytes[0] === 0xef ? 3 : 0, 0, 0];
  let isInList = false;
  let lastText: Buffer | undefined;
  for (let at = copied; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      if (depth === 1) lastText = bytes.subarray(at, end + 1);
      at = end;
      if (at - start > MAX_PART_SIZE) await yieldToEventLoop();
    } else if (byte === OPEN || byte === OPEN_LIST) {
      if (depth === 1 && byte === OPEN_LIST) isInList = lastText?.equals(name) === true;
      if (depth === 2 && isInList && byte === OPEN) start = at;
      depth++;
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--;
      if (depth === 2 && isInList && byte === CLOSE && start > 0) {
        if (parts.size === most)
          refuseFaults([
            {
              error: "invalid_field",
              path: [list],
              message: `holds more than ${most} objects; send them in several requests`,
            },
          ]);
        const stand = token + parts.size;
        parts.set(stand, bytes.subarray(start, at + 1));
        rest += bytes.toString("utf8", copied, start) + JSON.stringify(stand);
        copied = at + 1;
        start = 0;
        await yieldToEventLoop();
      } else if (depth === 1) isInList = false;
    }
  }
  return { rest: rest + bytes.toString("utf8", copied), parts };
}
