import {
  type Checked,
  inWords,
  type Lifecycle,
  lacksProject,
  nameIn,
  type Plan,
  type Properties,
  type Wire,
} from "../core";
import { updateToFollow, withLeaving } from "./apart";
import { mayCover, refusedAlone } from "./guarantees";
import { holdersBehind } from "./hostports";
import type { Kind } from "./kind";
import { InDoubt } from "./lost";
import { movesHere } from "./move";
import type { Operation } from "./operation";
import { IN_DOUBT } from "./partial";

/** Why an object changes whose declared properties do not. */
const LEFT = "modules that were to leave with others, which are not declared any more, leave now";

/** What a preview says about a resource of one kind. */
export class Preview {
  constructor(private readonly kind: Kind) {}

  /**
   * Checks the declared properties offline, and shows the warnings.
   *
   * @param recorded the properties declared before, with their defaults; empty for a new resource
   * @param isReplacement whether the same was checked already, beside the object that it replaces
   */
  async check(
    urn: string | undefined,
    recorded: Properties,
    news: Properties,
    isReplacement: boolean,
  ): Promise<Checked> {
    const { host, claims, openings } = this.kind.operation;
    const name = urn && nameIn(urn);
    const before = await this.kind.withoutApart(urn, undefined, recorded, news);
    const checked = this.kind.operation.offline(() =>
      this.kind.lifecycle.check(before, news, host.isUnknown, name),
    );
    const moved = this.kind.lifecycle.ownerIn(checked.inputs);
    const change = { kind: this.kind.name, of: moved, recorded: before, desired: checked.inputs };
    if (checked.problems.length === 0 && urn !== undefined && !isReplacement)
      for (const gap of openings.gaps({ urn, ...change })) await host.warn(gap, urn);
    if (!isReplacement) for (const warning of checked.warnings) await host.warn(warning, urn);
    const isThere = !isReplacement && Object.keys(recorded).length > 0;
    if (urn === undefined) return checked;
    claims.note(urn, this.kind.claims(checked.inputs), isThere ? this.kind.claims(recorded) : undefined);
    const objects = [urn, this.kind.operation.owners.get(urn), moved];
    const refusal = await this.kind.declareModules(urn, objects, checked.inputs);
    return refusal === undefined ? checked : { ...checked, problems: [...checked.problems, refusal] };
  }

  /**
   * How a change of the object with an id will be carried out. A resource that the program moved here from a
   * provider of another server or project is replaced, with nothing in the way of the new object.
   *
   * @throws where only the address of the server or the name of the project changed
   */
  async plan(
    id: string,
    recorded: Properties,
    desired: Properties,
    urn: string | undefined,
    intent: string | undefined,
  ): Promise<Plan & { readonly moves: boolean }> {
    const { host } = this.kind.operation;
    const { definition } = this.kind.lifecycle;
    if (id === IN_DOUBT) return new InDoubt(this.kind).plan(urn, recorded);
    const moves = await movesHere(
      this.kind.operation,
      { id, type: definition.type, named: this.kind.named(id), urn },
      recorded,
    );
    const before = withLeaving(this.kind.operation, urn, recorded, desired);
    const isLeft = before !== recorded;
    const plan = this.kind.operation.offline(() => this.kind.lifecycle.plan(before, desired, host.isUnknown));
    if (moves || plan.replaces.length > 0) this.kind.operation.replacing.add(id);
    if (moves) return { ...plan, moves, replaces: [...plan.replaces, "provider"], takesOver: false };
    for (const reason of [...plan.reasons, ...(plan.notes ?? [])]) await host.warn(reason, urn);
    if (intent !== undefined) this.kind.operation.current.set(intent, id);
    if (plan.takesOver && urn !== undefined) this.kind.operation.replaced.set(urn, id);
    if (plan.replaces.length === 0) {
      this.kind.noteModules(id, desired);
      const refusal = urn && (await this.kind.declareModules(urn, [id], desired));
      if (refusal) throw new Error(refusal);
      const staying = await this.kind.withoutApart(urn, id, recorded, desired);
      const follows = updateToFollow(this.kind.operation, { definition, urn }, staying, desired);
      this.kind.operation.openings.note({ definition, id, follows }, staying, desired);
    }
    return { ...plan, moves, reasons: isLeft ? [...plan.reasons, LEFT] : plan.reasons };
  }

  /**
   * In a preview with `validateOnServer`: sends the change as a dry run, so that the server's refusals show
   * now. Those of guarantees are warnings.
   *
   * @param id the object that is changed or replaced; undefined for a new one
   * @param intent as for a creation
   */
  async dryRun(
    urn: string | undefined,
    id: string | undefined,
    olds: Properties,
    news: Properties,
    intent?: string,
  ): Promise<void> {
    const { operation } = this.kind;
    if (!operation.validatesOnServer || !operation.knowsServer || id === IN_DOUBT) return;
    const wanted = this.kind.wantedBy(olds, news, (resource) => resource.id === id);
    await operation.withServer(async (transport) => {
      try {
        const before = await this.kind.withoutApart(urn, id, olds, news);
        const answer = await this.kind.lifecycle.dryRun(
          transport,
          id,
          before,
          news,
          operation.host.isUnknown,
        );
        await warnOfFindings(operation, this.kind.lifecycle, answer, { olds, news }, urn);
        // Other objects of the program will exist after the run.
        const isToBeThere =
          Array.isArray(news.addresses) && mayCover(news.addresses, operation.claims.hostports());
        if (!isToBeThere || answer?.covered !== 0) await this.kind.warnOfGuarantee(answer, urn);
      } catch (error) {
        if (await lacksProject(transport, error))
          return operation.warnOnce(
            `there is no project ${transport.project} at ${transport.baseUrl} for this API key yet, so the preview asks nothing about what belongs there`,
            urn,
          );
        const warning = refusedAlone(error);
        if (warning !== undefined)
          return operation.host.warn(`${this.kind.lifecycle.definition.type}: ${warning}`, urn);
        // The run hands the value over.
        if ((await this.kind.ownBehind(error, intent)) !== undefined) return;
        // The server refuses a hostport that another edge holds. The run moves it if that edge is in this
        // stack.
        if ((await holdersBehind(error, wanted)).length === 0) throw error;
      }
    }, `preview ${this.kind.name}`);
  }
}

/** Findings that a preview shows of one resource. */
const MAX_WARNINGS = 5;

/** Warns of what a change by itself does to callers; a review judges the whole program. */
async function warnOfFindings(
  { host }: Operation,
  lifecycle: Lifecycle,
  answer: Wire | undefined,
  { olds, news }: { readonly olds: Properties; readonly news: Properties },
  urn: string | undefined,
): Promise<void> {
  const found = lifecycle.unsaid(answer, olds, news, host.isUnknown, urn && nameIn(urn));
  const { type } = lifecycle.definition;
  for (const finding of found.slice(0, MAX_WARNINGS))
    await host.warn(`${type}: if applied alone: ${inWords(finding)}`, urn);
  const more = found.length - MAX_WARNINGS;
  if (more > 0)
    await host.warn(
      `${type}: if applied alone, ${more} more findings of high severity: a review shows all`,
      urn,
    );
}
