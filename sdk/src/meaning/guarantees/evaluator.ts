import { Claims } from "../access/areas";
import type { Example } from "../access/changes";
import { combinations, type Pieces, Trial } from "../access/combinations";
import { Cutter } from "../access/pieces";
import { MAX_AT_AN_ADDRESS, newRoom } from "../access/room";
import { decisionsIn } from "../decision/decider";
import { type Decider, type Decision, isLetIn } from "../judgement/types";
import type { Model } from "../model";
import { nameOf } from "../names";
import { holdsUnknown } from "../values";
import {
  coveredAreas,
  coveredExample,
  coveredPieces,
  type Declared,
  declaredIn,
  lacksCredential,
  predicatesOf,
} from "./covered";
import type { Guarantee } from "./guarantee";

/** A guarantee over the requests of two worlds. */
export interface Evaluation {
  /** How many declared addresses it covers in the world after. */
  readonly covered: number;
  /** A request that breaks it after the change; `isNew` says whether it did not break it before. */
  readonly broken?: Example & { readonly isNew: boolean };
  /** Why some of its requests could not be decided, with the first address. */
  readonly unproved?: string;
}

interface Search {
  readonly wasCovered: boolean;
  readonly onlyNew: boolean;
}

/** Evaluates guarantees by the same proof of samples that compares worlds. */
export class GuaranteeEvaluator {
  readonly #cutter = new Cutter();
  readonly #claims: { readonly before: Claims; readonly after: Claims };
  readonly #declared: Declared;
  readonly #deciders: readonly [before: Decider, after: Decider];

  /**
   * @param before the same as `after` to evaluate one world
   * @param room for all that it evaluators
   */
  constructor(
    before: Model,
    private readonly after: Model,
    private readonly room = newRoom(),
  ) {
    const claims = new Claims(after, after.world.ports);
    const decider = decisionsIn(after, after.world.ports);
    const isSame = before === after;
    this.#claims = { before: isSame ? claims : new Claims(before, before.world.ports), after: claims };
    this.#declared = declaredIn(this.#claims.before, this.#claims.after);
    this.#deciders = [isSame ? decider : decisionsIn(before, before.world.ports), decider];
  }

  /** @param onlyNew whether to look only for requests that did not break it before */
  evaluate(guarantee: Guarantee, { onlyNew = false } = {}): Evaluation {
    const { before, after } = this.#claims;
    const covered = new Set<string>();
    let unproved = guarantee.addresses.some(isPattern) ? this.#missing : undefined;
    let broken: Evaluation["broken"];
    for (const { area, isCovered } of coveredAreas(guarantee, this.#declared, before, after)) {
      const { edges, address } = area.after;
      if (edges.length > 0) covered.add(address ?? area.address);
      if (broken || !isCovered.after) continue;
      const { pieces, reasons } = this.#cutter.cutArea(area.texts, this.#deciders, predicatesOf(guarantee));
      if (pieces) {
        const found = this.#search(guarantee, coveredPieces(guarantee, pieces), reasons, {
          wasCovered: isCovered.before,
          onlyNew,
        });
        broken = found;
      }
      const [reason] = reasons;
      if (reason !== undefined) unproved ??= `At \`${area.address}\`: ${reason}`;
    }
    return {
      covered: covered.size,
      ...(broken && { broken }),
      ...(unproved !== undefined && { unproved }),
    };
  }

  #search(
    guarantee: Guarantee,
    pieces: Pieces,
    reasons: Set<string>,
    { wasCovered, onlyNew }: Search,
  ): Evaluation["broken"] {
    let count = 0;
    if (pieces.fragments("from").length === 0) return undefined;
    for (const { before, after, chosen } of combinations(...this.#deciders, new Trial(pieces, this.room))) {
      if (this.room.evaluations < 0 || count++ === MAX_AT_AN_ADDRESS) break;
      if (after.outcome === "unknown") reasons.add(after.steps.at(-1)?.sentence ?? after.sentence);
      const breaks = (decision: Decision) =>
        breaksIt(guarantee, decision) && !lacksCredential(guarantee, decision, chosen);
      if (!breaks(after)) continue;
      const isNew = !wasCovered || (before.outcome !== "unknown" && !breaks(before));
      if (onlyNew && !isNew) continue;
      const request = coveredExample(guarantee, pieces, chosen);
      const [was, is] = this.#deciders.map((decider) => decider.decide(request));
      return { request, before: was ?? before, after: is ?? after, isNew };
    }
    if (this.room.evaluations < 0 || count > MAX_AT_AN_ADDRESS) reasons.add(TOO_MANY);
    return undefined;
  }

  /** Any address that a pattern covers may be among those that are not known. */
  get #missing(): string | undefined {
    const { after } = this;
    const edge = after.edges.find(({ fields }) => holdsUnknown(fields.hostports));
    if (edge) return `Not all hostports of ${nameOf(edge)} are known yet.`;
    return after.partial && !after.world.knowsEdges ? "Not all objects are known here." : undefined;
  }
}

const isPattern = ({ host, port }: Guarantee["addresses"][number]): boolean =>
  host.includes("*") || port === undefined;

const TOO_MANY = "More combinations of requests would have to be tried than the limit allows.";

const breaksIt = ({ expect }: Guarantee, decision: Decision): boolean =>
  decision.outcome !== "unknown" && isLetIn(decision) === (expect === "refused");
