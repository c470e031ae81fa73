import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { FromServing, Order, Ready, Topic, ToServing } from "./messages";

/** How long processes may take to answer another one. */
const ANSWER_MS = 1_000;
/** The pause before a process that has ended is replaced. */
const REPLACE_MS = 1_000;

interface Question {
  readonly from: Worker;
  readonly id: number;
  readonly answers: unknown[];
  readonly missing: Set<Worker>;
  readonly late: NodeJS.Timeout;
}

interface Begun {
  readonly worker: Worker;
  readonly ready: Ready;
}

/**
 * The first process of a server with several. It serves nothing itself: it starts the others, hands them
 * connections in turn (node:cluster), passes their messages on, and replaces one that has ended.
 */
export class Together {
  readonly #serving = new Set<Worker>();
  readonly #questions = new Map<number, Question>();
  #last = 0;
  #stopping = false;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {
    cluster.setupPrimary({ silent: true });
  }

  /**
   * Resolves when all of them serve. The first one makes what is missing in the database before others begin.
   * If one cannot serve, it has said why; then this rejects with {@link NotServing}.
   */
  async start(): Promise<Ready> {
    const first = await this.#begin();
    const others = await Promise.all(Array.from({ length: this.count - 1 }, () => this.#begin()));
    for (const { worker } of [first, ...others]) this.#replaceWhenEnded(worker);
    return first.ready;
  }

  order(order: Order): void {
    for (const worker of workers()) send(worker, { order });
  }

  /** Resolves when all have ended, with the exit code. A second call ends them at once. */
  async stop(): Promise<number> {
    this.order(this.#stopping ? "cut off" : "stop");
    this.#stopping = true;
    const codes = await Promise.all(
      workers().map(async (worker) => {
        const [code] = (await once(worker, "exit")) as [number | null];
        return code ?? 1;
      }),
    );
    return Math.max(0, ...codes);
  }

  /** Starts a process, and resolves when it serves. */
  #begin(): Promise<Begun> {
    const worker = cluster.fork();
    const { stdout, stderr } = worker.process;
    if (stdout) passLines(stdout, process.stdout);
    if (stderr) passLines(stderr, process.stderr);
    return new Promise((resolve, reject) => {
      worker.on("message", (message: FromServing) => {
        if ("ready" in message) {
          this.#serving.add(worker);
          resolve({ worker, ready: message.ready });
        } else if ("tell" in message) this.#tell(worker, message.tell, message.news);
        else if ("ask" in message) this.#ask(worker, message.ask, message.id);
        else this.#answered(message.id, worker, [message.answer]);
      });
      worker.once("exit", (code: number | null) => {
        this.#serving.delete(worker);
        for (const id of this.#questions.keys()) this.#answered(id, worker, []);
        reject(new NotServing(code ?? 1));
      });
    });
  }

  #replaceWhenEnded(worker: Worker): void {
    worker.once("exit", async (code, signal) => {
      for (let reason: object = { code, signal }; !this.#stopping; ) {
        this.logger.error({ pid: worker.process.pid, ...reason }, "a process has ended; another follows");
        await sleep(REPLACE_MS);
        if (this.#stopping) return;
        try {
          const { worker: next } = await this.#begin();
          return this.#replaceWhenEnded(next);
        } catch (error) {
          reason = { err: error };
        }
      }
    });
  }

  #tell(from: Worker, topic: Topic, news: unknown): void {
    for (const worker of this.#othersThan(from)) send(worker, { told: topic, news });
  }

  #ask(from: Worker, topic: Topic, id: number): void {
    const missing = new Set(this.#othersThan(from));
    const own = ++this.#last;
    const late = setTimeout(() => this.#end(own), ANSWER_MS);
    this.#questions.set(own, { from, id, answers: [], missing, late });
    for (const worker of missing) send(worker, { asked: topic, id: own });
    if (missing.size === 0) this.#end(own);
  }

  #answered(own: number, by: Worker, answers: readonly unknown[]): void {
    const question = this.#questions.get(own);
    if (!question?.missing.delete(by)) return;
    question.answers.push(...answers);
    if (question.missing.size === 0) this.#end(own);
  }

  #end(own: number): void {
    const question = this.#questions.get(own);
    if (!question) return;
    clearTimeout(question.late);
    this.#questions.delete(own);
    send(question.from, { answers: question.answers, id: question.id });
  }

  #othersThan(one: Worker): Worker[] {
    return [...this.#serving].filter((worker) => worker !== one);
  }
}

const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

/** A process could not serve, and has said why. */
export class NotServing extends Error {
  constructor(readonly exitCode: number) {
    super("a process of the server could not start");
  }
}

/** One that ends meanwhile gets nothing more. */
function send(worker: Worker, message: ToServing): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Passes on whole lines, so that those of several processes do not mix. */
function passLines(from: Readable, to: NodeJS.WritableStream): void {
  let rest = "";
  from.setEncoding("utf8");
  from.on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) to.write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  from.on("end", () => {
    if (rest !== "") to.write(rest);
  });
}
