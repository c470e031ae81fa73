import type { Decider, Decision, DecisionRequest } from "../decision/types";
import { ANYWHERE } from "./addresses";
import type { Fragment, Part } from "./fragments";

/** One combination of pieces, and what happens to its requests. */
export interface Combination {
  /** One of its requests. */
  example(): DecisionRequest;
  readonly before: Decision;
  readonly after: Decision;
  /** The pieces that the decisions looked at, by their numbers. */
  readonly chosen: Choices;
}

export type Choices = ReadonlyMap<Part, number>;

/** The pieces of parts of requests, cut when they are first asked for. */
export interface Pieces {
  fragments(part: Part): readonly Fragment[];
  /** Names of headers that are asked for. */
  readonly headers: readonly string[];
}

/**
 * Every combination of pieces that decisions of two worlds tell apart. The requests note which parts the
 * decisions look at. A part that neither looked at, since an earlier check refused, is left as it is: all of
 * its pieces would be decided alike. So this walks the tree of both decisions, and each leaf is one
 * combination.
 * @param chosen pieces that are settled
 */
export function* combinations(
  before: Decider,
  after: Decider,
  pieces: Pieces,
  chosen: Choices = new Map(),
): Generator<Combination> {
  const trial = new Trial(pieces, chosen);
  const decided = { before: before.decide(trial), after: after.decide(trial) };
  yield { example: () => trial.example(), chosen: trial.chosen, ...decided };
  // What was looked at last varies first, so most of an example is ordinary.
  const open = [...trial.chosen.keys()].filter((part) => !chosen.has(part));
  for (const [index, part] of [...open.entries()].reverse()) {
    const settled = [...chosen, ...open.slice(0, index).map((one) => [one, 0] as const)];
    for (let other = 1; other < pieces.fragments(part).length; other++)
      yield* combinations(before, after, pieces, new Map(settled).set(part, other));
  }
}

/** What happens to a request with some settled pieces, and the first of every other part. */
export const decided = (decider: Decider, pieces: Pieces, chosen: Choices): Decision =>
  decider.decide(new Trial(pieces, chosen));

/** A request that notes what is looked at, and takes the first piece where nothing is settled. */
class Trial implements DecisionRequest {
  readonly #chosen = new Map<Part, number>();
  #headers: Readonly<Record<string, string>> | undefined;

  constructor(
    private readonly pieces: Pieces,
    private readonly settled: Choices,
  ) {}

  get chosen(): Choices {
    return this.#chosen;
  }

  /** The request as a plain object, without what is so by default. */
  example(): DecisionRequest {
    const looked = [...this.#chosen].map(([part, number]) => this.#piece(part, number));
    const headers = Object.assign({}, ...looked.map((one) => one.headers));
    const parts: Fragment = Object.assign({}, this.#piece("path", 0), ...looked);
    const { address = this.address, method = "GET", path = "/", from = ANYWHERE } = parts;
    const { tls, client_certificate, token, session, user_agent } = parts;
    return {
      address,
      method,
      path,
      from,
      ...(tls && tls !== "1.3" && { tls }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(user_agent && { user_agent }),
      ...(client_certificate && { client_certificate }),
      ...(token && { token }),
      ...(session && { session }),
    };
  }

  get address(): string {
    return this.#fragment("name").address ?? "";
  }
  get path(): string | undefined {
    return this.#fragment("path").path;
  }
  get method(): DecisionRequest["method"] {
    return this.#fragment("method").method;
  }
  get from(): string {
    return this.#fragment("from").from ?? "";
  }
  get tls(): DecisionRequest["tls"] {
    return this.#fragment("tls").tls;
  }
  get client_certificate(): DecisionRequest["client_certificate"] {
    return this.#fragment("client_certificate").client_certificate;
  }
  get token(): DecisionRequest["token"] {
    return this.#fragment("token").token;
  }
  get session(): DecisionRequest["session"] {
    return this.#fragment("session").session;
  }
  get user_agent(): DecisionRequest["user_agent"] {
    return this.#fragment("header user-agent").user_agent;
  }
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= Object.assign(
      {},
      ...this.pieces.headers.map((name) => this.#fragment(`header ${name}`).headers),
    );
    return this.#headers ?? {};
  }

  #fragment(part: Part): Fragment {
    const number = this.#chosen.get(part) ?? this.settled.get(part) ?? 0;
    this.#chosen.set(part, number);
    return this.#piece(part, number);
  }

  #piece = (part: Part, number: number): Fragment => this.pieces.fragments(part)[number] ?? {};
}
