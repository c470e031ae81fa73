import { isMoved, openQuestionOf } from "../meaning/access/changes";
import { unaffectedBy } from "../meaning/access/unaffected";
import { decisionsIn } from "../meaning/decision/decider";
import { type DecisionRequest, isLetIn, UNRECORDED } from "../meaning/decision/types";
import { Model, sameIn } from "../meaning/model";
import type { World } from "../meaning/world";
import type { TrafficEntry, TrafficLine } from "./line";
import type { TrafficReplay } from "./replayed";
import { Signers } from "./signers";
import { type Fate, Tally } from "./tally";

/** More than a file of a day has where gateways record networks; each is some kilobytes at most. */
const MOST_REMEMBERED = 20_000;

const COUNTED_ONLY = "Only their number is recorded.";

/**
 * Decides recorded requests before and after a change, and counts those whose fate differs. Equal requests
 * are decided once, and the lines are not kept.
 *
 * @param entries as `readTraffic` reads them
 * @throws Error as reading them does
 */
export async function replayTraffic(
  entries: AsyncIterable<TrafficEntry> | Iterable<TrafficEntry>,
  { before, after }: { readonly before: World; readonly after: World },
): Promise<TrafficReplay> {
  const replay = new Replay(before, after);
  const tally = new Tally(replay.nameOf);
  for await (const entry of entries) {
    if ("damaged" in entry) tally.damaged++;
    else tally.add(entry, "other" in entry ? OTHERS : replay.fateOf(entry));
  }
  return tally.result;
}

const OTHERS: Fate = { kind: "unknown", reason: COUNTED_ONLY };

class Replay {
  readonly #signers: Signers;
  readonly #decide: (before: DecisionRequest, after: DecisionRequest) => Fate;
  readonly #fates = new Map<string, Fate>();

  constructor(before: World, after: World) {
    const same = sameIn(before, after);
    const models = [new Model(before, same), new Model(after, same)] as const;
    this.#signers = new Signers(models);
    const [was, is] = [decisionsIn(models[0], before.ports), decisionsIn(models[1], after.ports)];
    const isUnaffected = unaffectedBy(...models);
    this.#decide = (asked, asks) => {
      const decided = { before: was.decide(asked), after: is.decide(asks) };
      const unsure = [decided.after, decided.before].find(({ outcome }) => outcome === "unknown");
      if (unsure)
        return isUnaffected(decided.before, decided.after)
          ? { kind: "same" }
          : { kind: "unknown", reason: openQuestionOf(unsure).replace(`\`${asks.address}\``, "the address") };
      const [letIn, letsIn] = [isLetIn(decided.before), isLetIn(decided.after)];
      const kind =
        letIn && !letsIn
          ? "refused"
          : letsIn && !letIn
            ? "opened"
            : letIn && isMoved(decided)
              ? "moved"
              : "same";
      return kind === "same" ? { kind } : { kind, example: { request: exampleOf(asked, asks), ...decided } };
    };
  }

  get nameOf() {
    return this.#signers.nameOf;
  }

  fateOf(line: TrafficLine): Fate {
    const key = keyOf(line);
    const known = this.#fates.get(key);
    if (known) return known;
    const shown = line.client_certificate;
    const [asked, asks] =
      shown === null || shown === UNRECORDED ? [shown, shown] : this.#signers.heldBy(shown);
    const question = questionOf(line);
    const fate = this.#decide(
      { ...question, client_certificate: asked },
      { ...question, client_certificate: asks },
    );
    if (this.#fates.size >= MOST_REMEMBERED) this.#fates.clear();
    this.#fates.set(key, fate);
    return fate;
  }
}

/** All that decisions look at. */
const keyOf = (line: TrafficLine): string =>
  JSON.stringify([
    line.address,
    line.host,
    line.method,
    line.path,
    line.from,
    line.client_certificate,
    line.token,
    line.session,
    line.user_agent,
    line.tls,
  ]);

/** Of connections without HTTP, a route could ask for what they never said. */
const questionOf = (line: TrafficLine): DecisionRequest => ({
  address: line.address,
  method: line.method ?? UNRECORDED,
  host: line.host ?? UNRECORDED,
  path: line.path ?? UNRECORDED,
  from: line.from,
  headers: UNRECORDED,
  user_agent: line.user_agent,
  token: line.token,
  session: line.session,
  // The default, which examples need not name.
  ...(line.tls !== "1.3" && { tls: line.tls }),
});

/** The request of an example has a certificate of an authority that one of the worlds knows, if there is one. */
const exampleOf = (asked: DecisionRequest, asks: DecisionRequest): DecisionRequest =>
  isOfKnown(asked) || !isOfKnown(asks) ? asked : asks;

const isOfKnown = ({ client_certificate: shown }: DecisionRequest): boolean =>
  typeof shown === "object" && shown !== null && shown.authority !== "other";
