import type { Transport } from "@tunnelplane/sdk";
import { ApiError, ConnectionError, TimeoutError } from "@tunnelplane/sdk";
import type * as Catalogues from "@tunnelplane/sdk/catalogue";
import { expectLocation, recordOfLocation } from "../core";
import { type DeclaredSet, type RecordedSet, SetLifecycle } from "../core/setLifecycle";
import { movesHere } from "./move";
import type { Operation } from "./operation";

export type { DeclaredSet, RecordedSet };

/** More operations than these are only counted. */
const MAX_SHOWN = 200;

/** The steps of a catalogue as one resource: its lifecycle, with the work around it that every host needs. */
export class SetSteps {
  readonly #lifecycle = new SetLifecycle();

  constructor(private readonly operation: Operation) {}

  /**
   * How many objects an apply would change; undefined if no server is known or answers, so that the engine's
   * own diff must do.
   *
   * @param recorded the set in the state; only its objects are ever deleted
   * @param urn the resource at which to show each object's change; without it, none is shown
   */
  async plan(
    declared: DeclaredSet,
    recorded: Pick<RecordedSet, "ids">,
    urn?: { readonly of: string | undefined },
  ): Promise<number | undefined> {
    const { host, knowsServer } = this.operation;
    if (!knowsServer) return undefined;
    return this.operation.withServer(async (transport) => {
      try {
        const { operations } = await this.#lifecycle.plan(transport, declared, recorded);
        if (urn && operations.length > 0) {
          // Loaded here: the reader of catalogues comes with these words, and would slow the start of runs.
          const { countsOf, linesOf }: typeof Catalogues = require("@tunnelplane/sdk/catalogue");
          const shown = operations.slice(0, MAX_SHOWN).flatMap(linesOf);
          if (operations.length > MAX_SHOWN) shown.push(`and ${operations.length - MAX_SHOWN} more`);
          await host.inform(
            [`${declared.set}: ${countsOf(operations, "planned")}`, ...shown].join("\n"),
            urn.of,
          );
        }
        return operations.length;
      } catch (error) {
        if (!(error instanceof ConnectionError || error instanceof TimeoutError)) throw inLines(error);
        if (urn)
          await this.operation.warnOnce(
            `${error.message}, so the preview shows only what the catalogue changes`,
            urn.of,
          );
        return undefined;
      }
    }, "preview catalogue_set");
  }

  /**
   * @param intent names the resource in its program and state, the same in each run that tries to create it
   */
  create = (declared: DeclaredSet, intent: string | undefined): Promise<RecordedSet> => {
    this.operation.declared.add(keyOf(declared));
    return this.#run("create", async (transport) => {
      const location = await recordOfLocation(transport);
      return { ...(await this.#lifecycle.create(transport, declared, intent)), ...location };
    });
  };

  /** The set as it is now; undefined if it is gone. */
  read = (recorded: RecordedSet): Promise<RecordedSet | undefined> =>
    this.#runOn("read", recorded, (transport) => this.#lifecycle.read(transport, recorded));

  update = (recorded: RecordedSet, declared: DeclaredSet, intent: string | undefined): Promise<RecordedSet> =>
    this.#runOn("update", recorded, async (transport) => {
      const location = await recordOfLocation(transport);
      return { ...(await this.#lifecycle.update(transport, recorded, declared, intent)), ...location };
    });

  /** Leaves a set that another resource of the program declares by now. */
  delete = async (recorded: RecordedSet): Promise<void> => {
    if (this.operation.declared.has(keyOf(recorded))) return;
    await this.#runOn("delete", recorded, (transport) => this.#lifecycle.delete(transport, recorded));
  };

  /**
   * Whether the program moved a set here from a provider of another server or project. Throws if only the
   * settings changed.
   */
  movesHere = (recorded: RecordedSet, urn: string | undefined): Promise<boolean> =>
    movesHere(
      this.operation,
      { id: recorded.set, type: "CatalogueSet", named: named(recorded), urn },
      { ...recorded },
    );

  #runOn<T>(step: string, recorded: RecordedSet, work: (transport: Transport) => Promise<T>): Promise<T> {
    return this.#run(step, async (transport) => {
      await expectLocation(transport, named(recorded), { ...recorded });
      return work(transport);
    });
  }

  #run<T>(step: string, work: (transport: Transport) => Promise<T>): Promise<T> {
    return this.operation.withServer(async (transport) => {
      try {
        return await work(transport);
      } catch (error) {
        throw inLines(error);
      }
    }, `${step} catalogue_set`);
  }
}

const keyOf = ({ set }: { readonly set: string }): string => `set ${set}`;
const named = ({ set }: RecordedSet): string => `the change set ${set}`;

/** Faults of objects become a line each. */
function inLines(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.faults.length === 0) return error;
  const { faults, faultCount } = error;
  const lines = faults.map(({ key, field, msg }) => `  ${[key, field, msg].filter(Boolean).join(" ")}`);
  const more = faultCount > faults.length ? [`  and ${faultCount - faults.length} more`] : [];
  return new Error(
    ["the server refuses the catalogue, and nothing is changed:", ...lines, ...more].join("\n"),
  );
}
