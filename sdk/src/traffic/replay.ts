import { isMoved, openQuestionOf } from "../meaning/access/changes";
import { unaffectedBy } from "../meaning/access/unaffected";
import { decisionsIn } from "../meaning/decision/decider";
import {
  type Decider,
  type Decision,
  type DecisionRequest,
  isLetIn,
  UNRECORDED,
} from "../meaning/judgement/types";
import { pairOf } from "../meaning/model";
import type { World } from "../meaning/world";
import type { TrafficEntry, TrafficLine } from "./line";
import type { Changed, TrafficReplay } from "./replayed";
import { Signers } from "./signers";
import { type Cause, type Fate, Tally } from "./tally";

/** The limit of remembered lines, in characters: some 50,000 ordinary lines. */
const MAX_KEPT = 2 ** 24;

/** A reason may quote what a file says. */
const MAX_REASON_LENGTH = 300;

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
  const { tally } = replay;
  for await (const entry of entries) {
    if ("damaged" in entry) tally.damaged++;
    else tally.add(entry, "other" in entry ? tally.causeOf(OTHERS) : replay.causeFor(entry));
  }
  return tally.result;
}

const OTHERS: Fate = { kind: "unknown", reason: COUNTED_ONLY };

const SAME: Fate = { kind: "same" };

class Replay {
  readonly #signers: Signers;
  readonly #before: Decider;
  readonly #after: Decider;
  readonly #isUnaffected: (was: Decision, is: Decision) => boolean;
  readonly tally: Tally;
  /** Of each line without its hour and count. */
  readonly #causes = new Map<string, Cause>();
  #remembered = 0;

  constructor(before: World, after: World) {
    const models = pairOf(before, after);
    this.#signers = new Signers(models);
    this.#before = decisionsIn(models[0], before.ports);
    this.#after = decisionsIn(models[1], after.ports);
    this.#isUnaffected = unaffectedBy(...models);
    this.tally = new Tally(this.#signers.nameOf);
  }

  causeFor(line: TrafficLine): Cause {
    const key = keyOf(line);
    const known = this.#causes.get(key);
    if (known) return known;
    const cause = this.tally.causeOf(this.#decide(line));
    this.#remembered += key.length;
    if (this.#remembered > MAX_KEPT) {
      this.#causes.clear();
      this.#remembered = key.length;
    }
    this.#causes.set(key, cause);
    return cause;
  }

  #decide(line: TrafficLine): Fate {
    const shown = line.client_certificate;
    const [held, holds] =
      shown === null || shown === UNRECORDED ? [shown, shown] : this.#signers.heldBy(shown);
    const question = questionOf(line);
    const asked = { ...question, client_certificate: held };
    const asks = { ...question, client_certificate: holds };
    const before = this.#before.decide(asked);
    const after = this.#after.decide(asks);
    const unsure = [after, before].find(({ outcome }) => outcome === "unknown");
    if (unsure)
      return this.#isUnaffected(before, after) ? SAME : { kind: "unknown", reason: reasonOf(unsure, asks) };
    const kind = changeIn(before, after);
    return kind ? { kind, example: { request: exampleOf(asked, asks), before, after } } : SAME;
  }
}

function changeIn(before: Decision, after: Decision): Changed | undefined {
  const [letIn, letsIn] = [isLetIn(before), isLetIn(after)];
  if (letIn !== letsIn) return letIn ? "refused" : "opened";
  return letIn && isMoved({ before, after }) ? "moved" : undefined;
}

/** The same for all addresses that nothing here serves. */
const reasonOf = (unsure: Decision, { address }: DecisionRequest): string =>
  openQuestionOf(unsure).replace(`\`${address}\``, "the address").slice(0, MAX_REASON_LENGTH);

/** The fields that decisions read. */
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

/** A route could ask a connection without HTTP for something that it never sent. */
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
  // The signature of a service is in headers, which lines do not have.
  webhook: UNRECORDED,
  // The default, which examples need not name.
  ...(line.tls !== "1.3" && { tls: line.tls }),
});

/** If only one world knows the certificate, the example names its authority. */
const exampleOf = (asked: DecisionRequest, asks: DecisionRequest): DecisionRequest =>
  isOfKnown(asked) || !isOfKnown(asks) ? asked : asks;

const isOfKnown = ({ client_certificate: shown }: DecisionRequest): boolean =>
  typeof shown === "object" && shown !== null && shown.authority !== "other";
