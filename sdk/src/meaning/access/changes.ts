import { oncePer } from "../../contract/core/once";
import { type Decider, type Decision, type DecisionRequest, isLetIn } from "../judgement/types";
import { unionOf } from "../networks/networkSet";
import { isMuchWider } from "../networks/width";
import { canonical, isObject } from "../values";
import { familyOf } from "./addresses";
import { type Combination, combinations, exampleOf, type Pieces, Trial } from "./combinations";
import type { Choices, Part } from "./fragments";
import { MAX_AT_AN_ADDRESS, type Room } from "./room";

/** A request, and what happens to it in both worlds. */
export interface Example {
  readonly request: DecisionRequest;
  readonly before: Decision;
  readonly after: Decision;
  /** All of it in one line, with names in place of ids; only of findings. */
  readonly sentence?: string;
}

/** Requests to an address whose decision a change alters. */
export interface AccessChange {
  /**
   * The address that decides now: a hostport, and the route if there is one. If none does, the one that
   * decided before.
   */
  readonly address: string;
  /** The address that decided before; null if none did. */
  readonly was: string | null;
  readonly example: Example;
}

export interface Opened extends AccessChange {
  /** Whether it opened, without a certificate, a token or a session, for all of IPv4 or all of IPv6. */
  readonly everyone: boolean;
  /** Whether nobody served this name or path before. */
  readonly new: boolean;
}

/** Requests that opened for one reason: the check that refused them before. */
export interface OpenedPiece extends Opened {
  /** Whether the same requests come from many more addresses than before; see `isMuchWider`. */
  readonly wide: boolean;
  /** Whether the same callers were let in before, by another version of TLS or as another user agent. */
  readonly sameCallers: boolean;
}

/** What a change does to the requests of one area. Each list has one entry for each reason. */
export interface Changes {
  readonly opened: readonly OpenedPiece[];
  readonly closed: readonly AccessChange[];
  readonly moved: readonly AccessChange[];
  /** An ordinary request. */
  readonly ordinary: Example | undefined;
  /** Reasons why some requests are not decided. */
  readonly unknown: ReadonlySet<string>;
  readonly combinations: number;
}

export function changesIn(
  before: Decider,
  after: Decider,
  pieces: Pieces,
  { isNew, room }: { readonly isNew: boolean; readonly room: Room },
): Changes {
  const callers = new Callers(before, after, pieces, room);
  const opened = new Map<string, OpenedPiece>();
  const [closed, moved] = [new Map<string, AccessChange>(), new Map<string, AccessChange>()];
  const unknown = new Set<string>();
  let ordinary: Example | undefined;
  let count = 0;
  const changeOf = (combination: Combination): AccessChange => {
    const request = exampleOf(pieces, combination.chosen);
    return {
      address: combination.after.address ?? combination.before.address ?? "",
      was: combination.before.address,
      example: { request, before: before.decide(request), after: after.decide(request) },
    };
  };
  for (const combination of combinations(before, after, new Trial(pieces, room))) {
    if (room.evaluations < 0 || count++ === MAX_AT_AN_ADDRESS) break;
    ordinary ??= changeOf(combination).example;
    const undecided = [combination.after, combination.before].find(({ outcome }) => outcome === "unknown");
    const [was, is] = [isLetIn(combination.before), isLetIn(combination.after)];
    if (undecided) unknown.add(openQuestionOf(undecided));
    else if (is && !was) {
      const reason = reasonOf(combination.before);
      const known = opened.get(reason);
      if (known && weightOf(known) === MAX_WEIGHT) continue;
      const found = callers.of(combination);
      if (!known || weightOf(found) > weightOf(known))
        opened.set(reason, { ...changeOf(combination), ...found, new: isNew });
    } else if (was && !is) {
      if (!closed.has(reasonOf(combination.after)))
        closed.set(reasonOf(combination.after), changeOf(combination));
    } else if (was && is && isMoved(combination)) {
      const key = `${combination.before.outcome} ${combination.after.outcome}`;
      if (!moved.has(key)) moved.set(key, changeOf(combination));
    }
  }
  if (room.evaluations < 0 || count > MAX_AT_AN_ADDRESS) unknown.add(TOO_MANY);
  return {
    opened: [...opened.values()].sort((a, b) => weightOf(b) - weightOf(a)),
    closed: [...closed.values()],
    moved: [...moved.values()],
    ordinary,
    unknown,
    combinations: Math.min(count, MAX_AT_AN_ADDRESS),
  };
}

const TOO_MANY = "more combinations of requests would have to be tried than the limit allows";

/** The check that refused a request. */
const reasonOf = ({ by, outcome }: Decision): string => (by ? `${by.kind} ${by.field}` : outcome);

type Admitted = Pick<OpenedPiece, "everyone" | "wide" | "sameCallers">;

/** Examples with the most weight represent the others. */
const weightOf = ({ everyone, wide, sameCallers }: Admitted): number =>
  (sameCallers ? 0 : 3) + (everyone ? 2 : wide ? 1 : 0);
const MAX_WEIGHT = 5;

/** Parts that say who asks. Their first piece is that nobody says so. */
const WHO = ["client_certificate", "token", "session", "webhook"] as const;
/** Checks of the software that callers use, and not of who they are. */
const TOOLS = new Set(["tls_termination", "user_agent_filter"]);

/** Says for how many callers requests opened. */
class Callers {
  readonly #trial: Trial;
  readonly #known = new Map<string, Pick<Admitted, "everyone" | "wide">>();

  constructor(
    private readonly before: Decider,
    private readonly after: Decider,
    private readonly pieces: Pieces,
    room: Room,
  ) {
    this.#trial = new Trial(pieces, room);
  }

  of({ chosen, before }: Combination): Admitted {
    const rest = [...chosen].filter(([part]) => part !== "from").sort();
    const key = rest.join(" ");
    const known = this.#known.get(key) ?? this.#sourcesOf(rest);
    this.#known.set(key, known);
    return { ...known, sameCallers: TOOLS.has(before.by?.field ?? "") && this.#hadOtherTools(chosen) };
  }

  /** The networks from which such requests are let in, in both worlds. */
  #sourcesOf(rest: readonly (readonly [Part, number])[]): Pick<Admitted, "everyone" | "wide"> {
    const admitted = this.pieces.fragments("from").map(({ from = "", networks }, number) => {
      const isIn = (decider: Decider) => {
        this.#trial.begin(new Map(rest).set("from", number));
        return isLetIn(decider.decide(this.#trial));
      };
      return { family: familyOf(from), networks, was: isIn(this.before), is: isIn(this.after) };
    });
    const isAnonymous = WHO.every((part) => !new Map(rest).get(part));
    const everyone = (["v4", "v6"] as const).some((family) => {
      const those = admitted.filter((source) => source.family === family);
      return those.length > 0 && those.every(({ is }) => is);
    });
    const sources = (side: "was" | "is") =>
      unionOf(admitted.flatMap((source) => (source[side] && source.networks) || []));
    const wide = admitted.some(({ was }) => was) && isMuchWider(sources("was"), sources("is"));
    return { everyone: isAnonymous && everyone, wide };
  }

  #hadOtherTools(chosen: Choices): boolean {
    const numbers = (part: Part) => this.pieces.fragments(part).keys();
    for (const tls of numbers("tls"))
      for (const agent of numbers("header user-agent")) {
        this.#trial.begin(new Map(chosen).set("tls", tls).set("header user-agent", agent));
        if (isLetIn(this.before.decide(this.#trial))) return true;
      }
    return false;
  }
}

/** Whether a request that both worlds let in goes to other backends, or gets another status. */
export const isMoved = ({ before, after }: Pick<Example, "before" | "after">): boolean =>
  before.status !== after.status ||
  before.outcome !== after.outcome ||
  endsOf(before.goes_to) !== endsOf(after.goes_to);

/** The destination of traffic, without the names of backends. */
const endsOf = (target: Decision["goes_to"]): string => (target === null ? "" : textOf(target));

const textOf = oncePer((target: object) => canonical(withoutNames(target)));

/** Why a request is not decided, in the words of the step that could not decide. */
export const openQuestionOf = ({ steps, sentence }: Decision): string => steps.at(-1)?.sentence ?? sentence;

function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (!isObject(value)) return value;
  const isNameless = value.kind !== "missing" && value.kind !== "unknown";
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "name" || !isNameless)
      .map(([name, member]) => [name, name === "labels" ? member : withoutNames(member)]),
  );
}
