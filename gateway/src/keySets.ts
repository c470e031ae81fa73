import { ask } from "./ask";
import type { Objects } from "./envoy/model";

const LOOK_EVERY_MS = 1000;
const AGAIN_MS = 30_000;

/** Envoy fetches key sets by itself; they are asked for here too until they answered once, to say in words which does not. */
export class KeySets {
  #wanted: readonly string[] = [];
  readonly #answered = new Set<string>();
  #triedAt = new Map<string, number>();
  #isAsking = false;

  constructor(
    private readonly trust: string,
    private readonly complain: (message: string) => void,
  ) {
    setInterval(() => void this.#askNext(), LOOK_EVERY_MS).unref();
  }

  want({ https_edge }: Objects): void {
    const modules = https_edge.flatMap(({ routes }) => routes.flatMap(({ jwt_validation }) => jwt_validation ?? []));
    this.#wanted = [...new Set(modules.filter(({ enabled }) => enabled).flatMap(({ jws }) => jws.keys.sources.additional_jkus))];
    this.#triedAt = new Map([...this.#triedAt].filter(([uri]) => this.#wanted.includes(uri)));
  }

  /** One at a time: whoever declares thousands waits longer for words, and for nothing else. */
  async #askNext(): Promise<void> {
    const now = Date.now();
    const uri = this.#wanted.find((one) => !this.#answered.has(one) && now - (this.#triedAt.get(one) ?? 0) > AGAIN_MS);
    if (uri === undefined || this.#isAsking) return;
    this.#isAsking = true;
    this.#triedAt.set(uri, now);
    try {
      const said: unknown = JSON.parse(await ask(uri, this.trust));
      if (!Array.isArray((said as { keys?: unknown } | null)?.keys)) throw new Error("it answered no key set (JWKS)");
      this.#answered.add(uri);
    } catch (error) {
      this.complain(
        `the key set ${uri} could not be read: ${(error as Error).message}. Until Envoy can read it, no token of it passes. Is it reachable from here, and trusted (--trust)? It is asked again every 30 s`,
      );
    } finally {
      this.#isAsking = false;
    }
  }
}
