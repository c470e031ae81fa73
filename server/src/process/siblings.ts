import cluster from "node:cluster";
import type { FromServing, Order, Ready, Topic, ToServing } from "./messages";

/** The other processes of a server, which serve the same address. */
export interface Siblings {
  /** How many processes the server has, with this one. */
  readonly count: number;
  /** Tells all others, and does not wait. */
  tell(topic: Topic, news?: unknown): void;
  /**
   * The answers of all others, once each has done what the topic says. One that does not answer within a
   * second is left out.
   */
  ask(topic: Topic): Promise<readonly unknown[]>;
  /** Sets the reaction to a topic. If another process asks, its result is the answer. */
  on(topic: Topic, listener: (news: unknown) => unknown): void;
}

/** A server of one process. */
export const ALONE: Siblings = { count: 1, tell: () => undefined, ask: async () => [], on: () => undefined };

/** Whether this process was started by the first process of a server, to serve with others. */
export const isServing = (): boolean => cluster.isWorker;

/** A process among those that serve one address. */
export class Serving implements Siblings {
  readonly #listeners = new Map<Topic, (news: unknown) => unknown>();
  readonly #asked = new Map<number, (answers: readonly unknown[]) => void>();
  #last = 0;

  /** @param obey does what the first process orders */
  constructor(
    readonly count: number,
    obey: (order: Order) => void,
  ) {
    process.on("message", (message: ToServing) => {
      if ("order" in message) obey(message.order);
      else if ("told" in message) this.#listeners.get(message.told)?.(message.news);
      else if ("asked" in message) void this.#answer(message);
      else {
        this.#asked.get(message.id)?.(message.answers);
        this.#asked.delete(message.id);
      }
    });
    // A terminal and a service manager signal each process; the first one decides.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  }

  tell(topic: Topic, news?: unknown): void {
    send({ tell: topic, news });
  }

  ask(topic: Topic): Promise<readonly unknown[]> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      send({ ask: topic, id });
    });
  }

  on(topic: Topic, listener: (news: unknown) => unknown): void {
    this.#listeners.set(topic, listener);
  }

  /** Says that this process answers requests. */
  ready(ready: Ready): void {
    send({ ready });
  }

  async #answer({ asked, id }: { readonly asked: Topic; readonly id: number }): Promise<void> {
    send({ answer: await this.#listeners.get(asked)?.(undefined), id });
  }
}

/** If the first process has just ended, nobody hears it, and this one is about to end too. */
function send(message: FromServing): void {
  process.send?.(message, undefined, undefined, () => undefined);
}
