import { type Checked, inputsOf, Lifecycle, type Properties, targetOf } from "../core";
import { holdersBehind, hostportsOf, type Wanted } from "./hostports";
import type { Operation } from "./operation";

/** The steps of one kind of resource in an operation: the lifecycle, with what every host does around it. */
export class Steps {
  readonly lifecycle: Lifecycle;

  constructor(
    private readonly operation: Operation,
    kind: string,
  ) {
    this.lifecycle = new Lifecycle(targetOf(kind));
  }

  /** The hostports that properties declare. */
  served = (properties: Properties): string[] => hostportsOf(this.lifecycle.definition, properties, this.operation.host.isUnknown);

  /**
   * Checks offline what is declared, and shows the warnings.
   *
   * @param recorded the properties declared before, with their defaults; empty for a new resource
   * @param isReplacement whether the same was checked already, beside the object that it replaces
   */
  async check(urn: string | undefined, recorded: Properties, news: Properties, isReplacement: boolean): Promise<Checked> {
    const { host, hostports } = this.operation;
    const checked = this.operation.offline(() => this.lifecycle.check(recorded, news, host.isUnknown));
    if (!isReplacement) for (const warning of checked.warnings) await host.warn(warning, urn);
    if (urn !== undefined) hostports.note(urn, this.served(checked.inputs));
    return checked;
  }

  /** The part of recorded outputs that a program declares. */
  inputsOf = (outputs: Properties): Properties => inputsOf(this.lifecycle.definition, outputs);

  /** The hostports that a change adds. None for explicit accounts: the state does not say which server their edges are on. */
  wantedBy(olds: Properties, news: Properties, isItself: Wanted["isItself"]): Wanted {
    const before = new Set(this.served(olds));
    const hostports = this.operation.isAccount ? [] : this.served(news).filter((hostport) => !before.has(hostport));
    return { hostports, isItself, recorded: this.operation.stateOfStack };
  }

  /**
   * In a preview with `validateOnServer`: sends the change as a dry run, so that the server's refusals show now.
   *
   * @param id the object that is changed or replaced; undefined for a new one
   */
  async dryRun(id: string | undefined, olds: Properties, news: Properties): Promise<void> {
    const { operation } = this;
    if (!operation.validatesOnServer || !operation.knowsServer) return;
    const wanted = this.wantedBy(olds, news, (resource) => resource.id === id);
    await operation.withServer(async (transport) => {
      try {
        await this.lifecycle.dryRun(transport, id, olds, news, operation.host.isUnknown);
      } catch (error) {
        // The server refuses a hostport that another edge holds. The run moves it if that edge is in this stack.
        if ((await holdersBehind(error, wanted)).length === 0) throw error;
      }
    });
  }

  /** @param intent names the resource in its program and state, the same in each run that tries to create it */
  create(intent: string | undefined, desired: Properties): Promise<{ id: string; outputs: Properties }> {
    const { operation } = this;
    const { isRecorded } = operation;
    const wanted = this.wantedBy({}, desired, () => false);
    return operation.withServer((transport) =>
      operation.hostports.movingHostports(transport, wanted, () => this.lifecycle.create(transport, desired, { intent, isRecorded })),
    );
  }

  /** The object as it is now, or undefined when it is gone. Without anything recorded, all of it. */
  read(id: string, recorded: Properties): Promise<{ outputs: Properties; inputs: Properties } | undefined> {
    return this.operation.withServer((transport) => this.lifecycle.read(transport, id, recorded));
  }

  update(id: string, recorded: Properties, desired: Properties): Promise<Properties> {
    const { operation } = this;
    const wanted = this.wantedBy(recorded, desired, (resource) => resource.id === id);
    return operation.withServer((transport) =>
      operation.hostports.movingHostports(transport, wanted, () => this.lifecycle.update(transport, id, recorded, desired)),
    );
  }

  delete(id: string, recorded: Properties): Promise<void> {
    return this.operation.withServer((transport) => this.lifecycle.delete(transport, id, recorded));
  }
}
