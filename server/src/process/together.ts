import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
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

/**
 * The first process of a server with several. It serves nothing itself: it starts the others, hands them
 * connections in turn (node:cluster), passes their messages on, and replaces one that has ended. If it is
 * killed itself, node:cluster ends the others.
 */
export class Together {
  /** All that have not ended, and those of them that serve. */
  readonly #running = new Set<Worker>();
  readonly #serving = new Set<Worker>();
  readonly #questions = new Map<number, Question>();
  #last = 0;
  #stopping = false;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves when all of them serve. The first one makes what is missing in the database before others begin.
   * If one cannot serve, it has said why; then this rejects with {@link NotServing}.
   */
  async start(): Promise<Ready> {
    const first = await this.#begin();
    await Promise.all(Array.from({ length: this.count - 1 }, () => this.#begin()));
    return first;
  }

  order(order: Order): void {
    for (const worker of this.#running) send(worker, { order });
  }

  /** Resolves when all have ended, with the exit code. */
  async stop(): Promise<number> {
    this.#stopping = true;
    this.order("stop");
    const codes = await Promise.all([...this.#running].map((worker) => codeOf(worker)));
    return Math.max(0, ...codes);
  }

  /** Starts a process, and resolves when it serves. From then on it is replaced if it ends. */
  #begin(): Promise<Ready> {
    const worker = cluster.fork();
    this.#running.add(worker);
    return new Promise((resolve, reject) => {
      worker.on("message", (message: FromServing) => {
        if ("ready" in message) {
          this.#serving.add(worker);
          resolve(message.ready);
          void this.#replaceWhenEnded(worker);
        } else if ("tell" in message) this.#tell(worker, message.tell, message.news);
        else if ("ask" in message) this.#ask(worker, message.ask, message.id);
        else this.#answered(message.id, worker, [message.answer]);
      });
      void codeOf(worker).then((code) => {
        this.#running.delete(worker);
        this.#serving.delete(worker);
        for (const id of this.#questions.keys()) this.#answered(id, worker, []);
        reject(new NotServing(code));
      });
    });
  }

  async #replaceWhenEnded(worker: Worker): Promise<void> {
    const code = await codeOf(worker);
    for (let reason: object = { code, signal: worker.process.signalCode }; !this.#stopping; ) {
      this.logger.error({ pid: worker.process.pid, ...reason }, "a process has ended; another follows");
      await sleep(REPLACE_MS);
      if (this.#stopping) return;
      try {
        await this.#begin();
        return;
      } catch (error) {
        reason = { err: error };
      }
    }
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

/** The exit code, once a process has ended; 1 if a signal ended it. */
async function codeOf(worker: Worker): Promise<number> {
  const [code] = (await once(worker, "exit")) as [number | null];
  return code ?? 1;
}

/** A process could not serve, and has said why. */
export class NotServing extends Error {
  constructor(readonly exitCode: number) {
    super("a process of the server could not start");
  }
}

/** A process that has just ended gets no message. */
function send(worker: Worker, message: ToServing): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
