import { Thread } from "../../util";
import { SentFile } from "../sentFile";
import type { Reader } from "./schemas";

export type Descriptions = Readonly<Record<Reader, string>>;

/** Given to the thread. */
export interface DescriberData {
  /** This server's release. */
  readonly version: string;
  /** The path under which clients reach it, for example `/` or `/tunnels`. */
  readonly basePath: string;
}

/**
 * Makes the OpenAPI documents when somebody asks for one, once, in a thread of its own. They and their
 * examples take half a second of processor time (2 cores, Node 24): too much for each start, and for the
 * event loop.
 */
export function describing(order: DescriberData): (reader: Reader) => Promise<SentFile> {
  let made: Promise<Readonly<Record<Reader, SentFile>>> | undefined;
  return async (reader) => {
    made ??= filesOf(order).catch((error: unknown) => {
      made = undefined; // the next request tries again
      throw error;
    });
    return (await made)[reader];
  };
}

async function filesOf(order: DescriberData): Promise<Readonly<Record<Reader, SentFile>>> {
  const { clients, wire } = await inThread(order);
  const file = (text: string) => new SentFile(Buffer.from(text), "application/json");
  return { clients: file(clients), wire: file(wire) };
}

const inThread = (order: DescriberData): Promise<Descriptions> =>
  new Promise((resolve, reject) => {
    const thread = new Thread<never, Descriptions>({
      file: require.resolve("./describer"),
      name: "openapi",
      task: "writes the OpenAPI documents",
      workerData: order,
      isIdle: true, // a server that stops does not wait for it
      onReport: resolve,
      onFailure: reject,
    });
    thread.running();
  });
