import { type Decider, type Decision, type DecisionRequest, isLetIn } from "../decision/types";
import { canonical, isObject } from "../values";
import { familyOf } from "./addresses";
import { type Choices, type Combination, combinations, exampleOf, type Pieces, Trial } from "./combinations";

/** A request, and what happens to it in both worlds. */
export interface Example {
  readonly request: DecisionRequest;
  readonly before: Decision;
  readonly after: Decision;
}

/** Requests to an address that a change decides otherwise. */
export interface AccessChange {
  /** What decides now: a hostport, and the route if there is one. If nothing does, what decided before. */
  readonly address: string;
  /** What decided before; null if nothing did. */
  readonly was: string | null;
  readonly example: Example;
}

export interface Opened extends AccessChange {
  /** Whether it opened, without a certificate, a token or a session, for all of IPv4 or all of IPv6. */
  readonly everyone: boolean;
  /** Whether nobody served this name or path before. */
  readonly new: boolean;
}

/** What a change does to the requests of one area. */
export interface Changes {
  opened: Opened | undefined;
  closed: AccessChange | undefined;
  moved: AccessChange | undefined;
  /** Why some requests are not decided. */
  readonly unknown: Set<string>;
  combinations: number;
}

/** @param most combinations that may be tried */
export function changesIn(
  before: Decider,
  after: Decider,
  pieces: Pieces,
  { isNew, most }: { readonly isNew: boolean; readonly most: number },
): Changes {
  const found: Changes = {
    opened: undefined,
    closed: undefined,
    moved: undefined,
    unknown: new Set(),
    combinations: 0,
  };
  const tried = new Set<string>();
  const trial = new Trial(pieces);
  const changeOf = (one: Combination): AccessChange => ({
    address: one.after.address ?? one.before.address ?? "",
    was: one.before.address,
    example: { request: exampleOf(pieces, one.chosen), before: one.before, after: one.after },
  });
  for (const one of combinations(before, after, trial)) {
    if (found.combinations === most) {
      found.unknown.add(TOO_MANY);
      return found;
    }
    found.combinations++;
    const undecided = [one.after, one.before].find(({ outcome }) => outcome === "unknown");
    const [was, is] = [isLetIn(one.before), isLetIn(one.after)];
    if (undecided) found.unknown.add(undecided.sentence);
    else if (is && !was) {
      found.opened ??= { ...changeOf(one), everyone: false, new: isNew };
      if (!found.opened.everyone && isForEveryone(one.chosen, after, new Trial(pieces), tried))
        found.opened = { ...changeOf(one), everyone: true, new: isNew };
    } else if (was && !is) found.closed ??= changeOf(one);
    else if (was && is && !found.moved && isMoved(one)) found.moved = changeOf(one);
  }
  return found;
}

const TOO_MANY = "more combinations of requests would have to be tried than the limit allows";

/** Parts that say who asks. Their first piece is that nobody says so. */
const WHO = ["client_certificate", "token", "session"] as const;

/** Whether such requests are let in from all of a family of addresses, whoever asks. */
function isForEveryone(chosen: Choices, after: Decider, trial: Trial, tried: Set<string>): boolean {
  if (WHO.some((part) => chosen.get(part))) return false;
  const others = [...chosen].filter(([part]) => part !== "from");
  const key = others.sort().join(" ");
  if (tried.has(key)) return false;
  tried.add(key);
  const admitted = trial.pieces.fragments("from").map(({ from = "" }, number) => {
    trial.begin(new Map(others).set("from", number));
    return { family: familyOf(from), is: isLetIn(after.decide(trial)) };
  });
  return (["v4", "v6"] as const).some((family) => {
    const those = admitted.filter((one) => one.family === family);
    return those.length > 0 && those.every(({ is }) => is);
  });
}

/** Whether other backends answer, or with another status. */
const isMoved = ({ before, after }: Combination): boolean =>
  before.status !== after.status || endsOf(before.goes_to) !== endsOf(after.goes_to);

const known = new WeakMap<object, string>();

/** Where traffic goes, without what backends are called. */
function endsOf(target: Decision["goes_to"]): string {
  if (target === null) return "";
  const text = known.get(target) ?? canonical(withoutNames(target));
  known.set(target, text);
  return text;
}

function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (!isObject(value)) return value;
  const isNameless = value.kind !== "missing" && value.kind !== "unknown";
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "name" || !isNameless)
      .map(([name, one]) => [name, name === "labels" ? one : withoutNames(one)]),
  );
}
