import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { atEndOfFile } from "./endOfFile";

const SERVER_FAILED = 2;
const NO_SUCH_NAME = 3;

/** Stands in for a DNS server over UDP. A test says names' IPv4 addresses, which may be kept for 1 s. */
export class StandInDns {
  /** Addresses by name; "fails" for a server that cannot answer, "silent" for one that does not. */
  names: Readonly<Record<string, readonly string[] | "fails" | "silent">> = {};
  readonly asked = new Set<string>();

  private constructor(private readonly socket: Socket) {
    atEndOfFile(() => socket.close());
  }

  static async start(): Promise<StandInDns> {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    const one = new StandInDns(socket);
    socket.on("message", (question, from) => {
      const answer = one.#answer(question);
      if (answer) socket.send(answer, from.port, from.address);
    });
    return one;
  }

  /** The environment in which a program of Node asks this server, by a file in the folder. */
  environment(folder: string): Record<string, string> {
    const file = join(folder, "dns.cjs");
    const at = `127.0.0.1:${(this.socket.address() as AddressInfo).port}`;
    const own = `class extends Resolver { constructor(options) { super(options); this.setServers([${JSON.stringify(at)}]); } }`;
    writeFileSync(
      file,
      `const { promises } = require("node:dns");\nconst { Resolver } = promises;\npromises.Resolver = ${own};\n`,
    );
    return { NODE_OPTIONS: `--require=${file}` };
  }

  #answer(question: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const asked = question.subarray(12, at + 5);
    const isForV4 = question.readUInt16BE(at + 1) === 1;
    const name = labels.join(".").toLowerCase();
    this.asked.add(name);
    const found = this.names[name];
    if (found === "silent") return undefined;
    const code = found === "fails" ? SERVER_FAILED : found ? 0 : NO_SUCH_NAME;
    const addresses = isForV4 && found && found !== "fails" ? found : [];
    const head = Buffer.from([
      question[0] ?? 0,
      question[1] ?? 0,
      0x81,
      0x80 | code,
      0,
      1,
      0,
      addresses.length,
      0,
      0,
      0,
      0,
    ]);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split(".").map(Number)]),
    );
    return Buffer.concat([head, asked, ...records]);
  }
}
