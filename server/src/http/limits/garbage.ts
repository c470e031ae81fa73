import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Job } from "@tunnelplane/sdk/jobs";
import type { FastifyInstance } from "fastify";

const MIB = 1024 * 1024;
/** Collecting takes some 40 ms of the event loop (2 cores, Node 24), so it has to be worth that. */
const WORTH_COLLECTING = 64 * MIB;
const LOOK_EVERY_MS = 2_000;

type Collect = (options: { type: "major"; execution: "async" }) => Promise<void>;

/**
 * Gives memory back after a burst of large bodies and answers. Node collects garbage only when it allocates,
 * so an idle server would keep hundreds of MB of it (460 MB measured after answers of 8 MiB to 64 clients
 * that did not read).
 */
export class Garbage {
  #bytes = 0;
  #bytesBefore = 0;

  /** Counts bytes of a body or an answer that nobody needs any more. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  watch(app: FastifyInstance): void {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as Collect;
    app.addHook("onResponse", (request, _reply, done) => {
      this.add(Number(request.headers["content-length"] ?? 0));
      done();
    });
    const look = () => {
      const isQuiet = this.#bytes - this.#bytesBefore < MIB;
      this.#bytesBefore = this.#bytes;
      if (!isQuiet || this.#bytes < WORTH_COLLECTING) return;
      this.#bytes = 0;
      this.#bytesBefore = 0;
      void collect({ type: "major", execution: "async" });
    };
    const job = new Job({ name: "give memory back", everyMs: LOOK_EVERY_MS, work: look }).start();
    app.addHook("onClose", () => job.stop());
  }
}
