import { own } from "../../contract/core/narrow";
import type { Condition } from "../judgement/rules/condition";
import type { Decider, Decision, DecisionRequest, TrialRequest } from "../judgement/types";
import { ANYWHERE } from "./addresses";
import type { Choices, ConditionPart, Fragment, Part } from "./fragments";
import type { HeaderConditions } from "./headerConditions";
import { newRoom, type Room } from "./room";

/** One combination of pieces, and what happens to its requests. */
export interface Combination {
  readonly before: Decision;
  readonly after: Decision;
  /** The pieces that the decisions looked at. */
  readonly chosen: Choices;
}

/** The pieces of parts of requests, cut when they are first asked for. */
export interface Pieces {
  fragments(part: Part): readonly Fragment[];
  /** Names of headers that are asked for. */
  readonly headers: readonly string[];
  /** The parts that stand for conditions on headers. */
  readonly conditions: HeaderConditions;
}

/**
 * Every combination of pieces that decisions of two worlds tell apart. The request notes which parts the
 * decisions look at. A part that neither looked at, because an earlier check refused, stays as it is: all of
 * its pieces would be decided alike. So this walks the tree of both decisions, and each leaf is one
 * combination.
 * @param settled pieces that are not varied
 */
export function* combinations(
  before: Decider,
  after: Decider,
  trial: Trial,
  settled: Choices = new Map(),
): Generator<Combination> {
  const chosen = trial.begin(settled);
  const was = before.decide(trial);
  yield { before: was, after: after === before ? was : after.decide(trial), chosen };
  // The part that was looked at last varies first, so most of an example is ordinary.
  const open = [...chosen].filter(([part]) => !settled.has(part));
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    const [part, number] = last;
    for (const alternative of trial.pieces.fragments(part).keys()) {
      const choices = new Map([...settled, ...open]).set(part, alternative);
      if (alternative !== number && trial.isPossible(part, choices))
        yield* combinations(before, after, trial, choices);
    }
  }
}

export const isCondition = (part: Part): part is ConditionPart => part.startsWith("condition ");

/** A request that notes which parts are looked at. A part that is not settled has its first piece. */
export class Trial implements TrialRequest {
  readonly headers: Readonly<Record<string, string>>;
  #settled: Choices = new Map();
  #chosen = new Map<Part, number>();

  /** @param room is used up by each look at a part */
  constructor(
    readonly pieces: Pieces,
    private readonly room: Room = newRoom(),
  ) {
    const headers: Record<string, string> = {};
    for (const name of pieces.headers) {
      const part: Part = `header ${name}`;
      const get = () => own(this.#piece(part).headers, name) ?? "";
      Object.defineProperty(headers, name, { enumerable: true, get });
    }
    this.headers = headers;
  }

  /** Turns it into another request. @returns the parts that will be looked at */
  begin(settled: Choices): Choices {
    this.#settled = settled;
    this.#chosen = new Map();
    return this.#chosen;
  }

  get address(): string {
    return this.#piece("name").address ?? "";
  }
  get path(): string | undefined {
    return this.#piece("path").path;
  }
  get method(): DecisionRequest["method"] {
    return this.#piece("method").method;
  }
  get from(): string {
    return this.#piece("from").from ?? "";
  }
  get tls(): DecisionRequest["tls"] {
    return this.#piece("tls").tls;
  }
  get client_certificate(): DecisionRequest["client_certificate"] {
    return this.#piece("client_certificate").client_certificate;
  }
  get token(): DecisionRequest["token"] {
    return this.#piece("token").token;
  }
  get session(): DecisionRequest["session"] {
    return this.#piece("session").session;
  }
  get webhook(): DecisionRequest["webhook"] {
    return this.#piece("webhook").webhook;
  }
  get user_agent(): DecisionRequest["user_agent"] {
    return this.#piece("header user-agent").user_agent;
  }

  formOf(condition: Condition): Condition {
    return this.pieces.conditions.forms.get(condition) ?? condition;
  }

  truthOf(condition: object): boolean | undefined {
    const part = this.pieces.conditions.parts.get(condition);
    return part && this.#piece(part).holds;
  }

  /** Whether there is a request with a part and what else is chosen. */
  isPossible(part: Part, choices: Choices): boolean {
    return !isCondition(part) || this.pieces.conditions.headersFor(part, choices, this.room) !== undefined;
  }

  #firstOf(part: Part): number {
    const isFirst =
      !isCondition(part) || this.isPossible(part, new Map([...this.#settled, ...this.#chosen, [part, 0]]));
    return isFirst ? 0 : 1;
  }

  #piece(part: Part): Fragment {
    this.room.evaluations--;
    const number = this.#chosen.get(part) ?? this.#settled.get(part) ?? this.#firstOf(part);
    this.#chosen.set(part, number);
    return this.pieces.fragments(part)[number] ?? {};
  }
}

/** A request of a combination, without default values. */
export function exampleOf({ fragments, conditions }: Pieces, chosen: Choices): DecisionRequest {
  // A part that no check tells apart would only distract.
  const apart = [...chosen].filter(([part]) => fragments(part).length > 1);
  const pieces = [["path", 0] as const, ["name", 0] as const, ...apart].map(
    ([part, number]): Fragment =>
      isCondition(part)
        ? { headers: conditions.headersFor(part, chosen, newRoom()) ?? {} }
        : (fragments(part)[number] ?? {}),
  );
  // Not by assigning: that would drop a header named `__proto__`.
  const headers = Object.fromEntries(pieces.flatMap((piece) => Object.entries(piece.headers ?? {})));
  const parts: Fragment = Object.assign({}, ...pieces);
  const { address = "", method = "GET", path = "/", from = ANYWHERE } = parts;
  const { tls, client_certificate, token, session, webhook, user_agent } = parts;
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
    ...(webhook && { webhook }),
  };
}
