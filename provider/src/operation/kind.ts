import { ConflictError } from "@tunnelplane/sdk";
import { camelCase, modulesOf } from "@tunnelplane/sdk/contract";
import { inputsOf, intentOf, Lifecycle, type Properties, targetOf } from "../core";
import { withLeaving, withoutModulesApart } from "./apart";
import { type Claim, claimsOf, isHostport } from "./claim";
import { warningsAbout } from "./guarantees";
import type { Wanted } from "./hostports";
import type { Operation } from "./operation";
import { IN_DOUBT } from "./partial";
import { stateBackend } from "./stateBackend";

/** A kind of resource in an operation: its lifecycle, and what preview and run of it share. */
export class Kind {
  readonly lifecycle: Lifecycle;

  /** @param name as in `https_edge` or `https_edge.route` */
  constructor(
    readonly operation: Operation,
    readonly name: string,
  ) {
    this.lifecycle = new Lifecycle(targetOf(name));
  }

  claims = (properties: Properties): Claim[] =>
    claimsOf(this.lifecycle.definition, properties, this.operation.host.isUnknown);

  /**
   * Why a run cannot give a checked resource its unique values, as far as the program and the stack's state
   * tell.
   *
   * @param declares whether the program declares another resource; undefined where that is not known. By
   *   default, waits for that
   */
  refusals = (
    urn: string,
    declares: (urn: string) => Promise<boolean | undefined> = this.operation.claims.declares,
  ): Promise<string[]> =>
    this.operation.claims.refusals({
      urn,
      definition: this.lifecycle.definition,
      declares,
      // Without the state, leave this to the run.
      holders: () => this.operation.holders().catch(() => new Map()),
    });

  /** The part of recorded outputs that a program declares. */
  inputsOf = (outputs: Properties): Properties => inputsOf(this.lifecycle.definition, outputs);

  /** Notes the modules that the program declares for an object; answers why not where others declare them. */
  async declareModules(
    urn: string,
    objects: readonly (string | undefined)[],
    properties: Properties,
  ): Promise<string | undefined> {
    const { definition } = this.lifecycle;
    const { refusal, warning } = this.operation.modules.note(this.name, definition, objects, urn, properties);
    if (warning !== undefined) await this.operation.warnOnce(warning, urn);
    return refusal;
  }

  /** Notes the modules that the program declares for an object. */
  noteModules(id: string, desired: Properties): void {
    const { name: kind, operation } = this;
    const declared = modulesOf(this.lifecycle.definition).filter(
      (module) => desired[camelCase(module)] !== undefined,
    );
    for (const module of kind.includes(".") ? [kind] : declared.map((name) => `${kind}.${name}`))
      operation.declared.add(`${module} ${id}`);
  }

  /** Recorded properties without the modules that this object's resource gives to others. */
  withoutApart(
    urn: string | undefined,
    id: string | undefined,
    recorded: Properties,
    desired: Properties,
    isRun = false,
  ): Promise<Properties> {
    const { definition } = this.lifecycle;
    const before = withLeaving(this.operation, urn, recorded, desired);
    return withoutModulesApart(this.operation, { definition, urn, id }, before, desired, isRun);
  }

  /** The hostports that a change adds. */
  wantedBy(olds: Properties, news: Properties, isItself: Wanted["isItself"]): Wanted {
    const before = new Set(this.claims(olds).map(({ id }) => id));
    const hostports = this.claims(news).filter((claim) => isHostport(claim) && !before.has(claim.id));
    return { hostports, isItself, holders: this.operation.holders };
  }

  /** Warns of a guarantee that does not hold, or has nothing to guard. */
  async warnOfGuarantee(answer: object | undefined, urn: string | undefined): Promise<void> {
    if (this.name !== "guarantee" || !answer) return;
    for (const warning of warningsAbout(answer)) await this.operation.host.warn(warning, urn);
  }

  /**
   * The id of the resource's own object, if the server refused a value because that one holds it, or one that
   * it was to replace in an earlier run.
   */
  async ownBehind(error: unknown, intent: string | undefined): Promise<string | undefined> {
    if (!(error instanceof ConflictError) || intent === undefined) return undefined;
    const recorded = await this.operation.stateOfStack().catch(() => []);
    const backend = stateBackend(process.env);
    const own = recorded.filter(
      ({ urn, id }) => id !== undefined && id !== IN_DOUBT && intentOf(backend, urn) === intent,
    );
    const holder = own.find(({ id }) => error.message.includes(`(${id?.split("/").at(-1)})`));
    return holder && (own.find((one) => !one.delete) ?? holder).id;
  }

  named = (id: string): string => `${this.lifecycle.definition.title} ${id}`;
}
