import { Transport } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import { startTracing, traced, tracing } from "@tunnelplane/sdk/tracing";
import {
  ACCOUNT_API_KEY,
  ACCOUNT_BASE_URL,
  ACCOUNT_PROJECT,
  type AccountWords,
  type ConfigLookup,
  chosenProject,
  isAccount,
  resolveSettings,
  type Settings,
  validatesOnServer,
} from "./accountSettings";
import { type Holder, holdersIn } from "./claim";
import { Claims } from "./claims";
import { describe } from "./describe";
import { MovingHostports } from "./hostports";
import { DeclaredModules } from "./modules";
import { Openings } from "./openings";
import { isOf, type RecordedResource, recordedResources } from "./stateBackend";

/** The part of the lifecycle that each host does in its own way. */
export interface Host {
  /** The npm package, for reports of mistakes in it. */
  readonly packageName: string;
  /** The name that its programs use for a server with a key; by default an account. */
  readonly account?: AccountWords;
  /** Whether a value is not known before the run. */
  isUnknown(value: unknown): boolean;
  /** Shows a warning in the preview or run in progress. */
  warn(text: string, urn: string | undefined): Promise<void>;
  /** Shows information that is not a warning. */
  inform(text: string, urn: string | undefined): Promise<void>;
}

/** The settings that say which server is asked, and about which project. */
const SERVER = [
  ...[ACCOUNT_BASE_URL, ACCOUNT_API_KEY, ACCOUNT_PROJECT],
  ...["tunnelplane:baseUrl", "tunnelplane:apiKey", "tunnelplane:project"],
];

/** How long each request does what a server asks with `Retry-After`. */
const PATIENCE_MS = 5 * 60_000;

/** How long a span waits to be sent: the engine ends this process as soon as the last step is done. */
const SOON_MS = 1;

/** A transport, and what to do when a server asks it to wait. */
interface Reached {
  readonly transport: Transport;
  onWait: (() => void) | undefined;
}

/** One transport per server, key and project, for the life of the process, so that connections are reused. */
const transports = new Map<string, Reached>();

/** One operation of the engine (a preview, a run) on one stack, as a provider's process serves it. */
export class Operation {
  readonly claims = new Claims();
  readonly hostports = new MovingHostports(this.claims);
  /** How `pulumi --stack` names the stack, once that is known. */
  stack = "";
  /**
   * The URN of the provider that this process serves; undefined for the default provider if the host does not
   * know its name.
   */
  provider: string | undefined;
  /**
   * Modules, by kind and id of their object, and change sets that the program is known to declare in this
   * run. Several resources may declare the same one after another, such as the old and the new name of a
   * renamed resource. The engine deletes the old one at the end, which must not take the module away.
   */
  readonly declared = new Set<string>();
  /**
   * Modules that resources of their own declare, by the URN of the object's resource, as far as the program
   * told; by their names in the contract.
   */
  readonly modulesApart = new Map<string, readonly string[]>();
  /** The routes of edges that keep callers out, and their modules, by the URN of the edge's resource. */
  readonly guards = new Map<string, readonly string[]>();
  /** The resources of the objects that modules belong to, as far as the program told; all by their URNs. */
  readonly owners = new Map<string, string>();
  readonly modules = new DeclaredModules((value) => this.host.isUnknown(value));
  /** The ids of the objects whose unique values this operation hands over to new ones, by URN. */
  readonly replaced = new Map<string, string>();
  /** The ids of the objects that the program's resources have by now, by their intents. */
  readonly current = new Map<string, string>();
  /** The ids of the edges, routes and policies of which this run has made a part. */
  readonly wholes = new Set<string>();
  /** The ids of objects that the engine replaces in this run. */
  readonly replacing = new Set<string>();
  /** The objects that this operation deletes, by the intents of their resources and their ids. */
  readonly deleted = new Set<string>();
  readonly openings = new Openings((value) => this.host.isUnknown(value));
  /** The URNs of resources that are in the state and were checked in this run. */
  readonly #present = new Set<string>();
  /** The state at the first time that this run needed it; read once. */
  #recorded: Promise<readonly RecordedResource[]> | undefined;
  #holders: Promise<ReadonlyMap<string, Holder>> | undefined;
  #config: ConfigLookup = () => undefined;
  /** Warnings that are shown once. */
  readonly #warned = new Set<string>();
  /** The errors of requests that steps share, as far as one step has reported them. */
  readonly #reported = new WeakSet<object>();

  constructor(readonly host: Host) {}

  configure(config: ConfigLookup): void {
    this.#config = config;
  }

  /**
   * Whether the settings are those of one account among others, so that the same hostport may exist on
   * another server.
   */
  get isAccount(): boolean {
    return isAccount(this.#config);
  }

  /**
   * Whether the address and the key of the server and the project are known. In a preview, they may come from
   * another resource.
   */
  get knowsServer(): boolean {
    return SERVER.every((key) => !this.host.isUnknown(this.#config(key)));
  }

  /** The name of the chosen project; undefined if the server chooses it. */
  get project(): string | undefined {
    return chosenProject(this.#config, process.env)?.value;
  }

  /** Whether previews ask the server. Throws if that setting is neither true nor false. */
  get validatesOnServer(): boolean {
    return validatesOnServer(this.#config, process.env, this.host.account);
  }

  /**
   * Notes a resource, and returns whether this is the check of a replacement: the engine checks it again,
   * without the old object.
   */
  isReplacement(urn: string | undefined, isNew: boolean): boolean {
    if (urn === undefined) return false;
    if (!isNew) this.#present.add(urn);
    return isNew && this.#present.has(urn);
  }

  /**
   * Runs a step against the server. Any error becomes one line.
   * @param step what traces call it: what it does, and with which kind of resource
   */
  withServer<T>(run: (transport: Transport, settings: Settings) => Promise<T>, step = "look up"): Promise<T> {
    startTracing("tunnelplane-pulumi", SOON_MS);
    // The run that a pipeline traces, if it does.
    const traceparent = tracing()?.current() ? undefined : process.env.TRACEPARENT;
    return traced(step, { traceparent }, () => this.#withServer(run));
  }

  async #withServer<T>(run: (transport: Transport, settings: Settings) => Promise<T>): Promise<T> {
    let settings: Settings | undefined;
    try {
      // The default server must not be used for one that is not known: it would get the other one's key.
      if (!this.knowsServer)
        throw new Error(
          "the server's address, the API key or the project is not known yet, so nothing can be asked of it",
        );
      settings = this.#settings();
      const reached = reach(settings);
      reached.onWait = () => this.#sayThatItWaits(reached.transport);
      return await run(reached.transport, settings);
    } catch (error) {
      const isReported = error instanceof Error && this.#reported.has(error);
      if (error instanceof Error) this.#reported.add(error);
      throw new Error(
        isReported
          ? `not done: ${settings?.baseUrl} could not be asked, see the first error`
          : describe(error, settings),
        {
          cause: error,
        },
      );
    }
  }

  /** Once: a long run would else look as if it hung. */
  #sayThatItWaits({ baseUrl }: Transport): void {
    if (this.#warned.has("waits")) return;
    this.#warned.add("waits");
    const text = `${baseUrl} answers more slowly than this run asks (Retry-After): requests go one after the other, and each waits for up to ${PATIENCE_MS / 60_000} minutes`;
    this.host.inform(text, undefined).catch(() => undefined);
  }

  /** Runs a step that needs no server. An error there is a bug in the package. */
  offline<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw new Error(`${describe(error, undefined)} (a bug in ${this.host.packageName}; please report it)`, {
        cause: error,
      });
    }
  }

  /** Warns once that the run would fail because there is no API key. */
  async warnOfMissingKey(urn: string | undefined): Promise<void> {
    if (!this.knowsServer) return;
    try {
      this.#settings();
    } catch (error) {
      await this.warnOnce(messageOf(error), urn);
    }
  }

  /** Shows a warning at the first resource that it is about. */
  async warnOnce(text: string, urn: string | undefined): Promise<void> {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    await this.host.warn(text, urn);
  }

  /** Whether there are an address and an API key to ask with. */
  get canAsk(): boolean {
    try {
      return this.knowsServer && this.#settings() !== undefined;
    } catch {
      return false;
    }
  }

  /** The resources in the state of the stack. Throws if the state cannot be read. */
  stateOfStack = (): Promise<readonly RecordedResource[]> => {
    this.#recorded ??= recordedResources(this.stack);
    return this.#recorded;
  };

  /** The resources in the state that hold unique values on this provider's server, by the ids of claims. */
  holders = (): Promise<ReadonlyMap<string, Holder>> => {
    this.#holders ??= this.stateOfStack().then((recorded) =>
      holdersIn(recorded, (resource) => isOf(resource, this.provider)),
    );
    return this.#holders;
  };

  /**
   * Whether the stack held an object before this run. In doubt the creation fails: if it went on, there could
   * be a second object, or two resources with one object.
   */
  isRecorded = async (id: string): Promise<boolean> => {
    try {
      return (await this.stateOfStack()).some((resource) => resource.id === id);
    } catch (error) {
      const [reason] = messageOf(error).split("\n");
      throw new Error(
        `an earlier run created ${id} with the same properties, and the stack's state, which tells whether a resource has it, could not be read (${reason}). Put \`pulumi\` on the PATH and run again, or delete ${id} if nothing uses it`,
        { cause: error },
      );
    }
  };

  #settings = (): Settings => resolveSettings(this.#config, process.env, this.host.account);
}

function reach(settings: Settings): Reached {
  const { baseUrl, apiKey, identity, project } = settings;
  const key = [baseUrl, apiKey ?? identity?.source, project].join(" ");
  const known = transports.get(key);
  if (known) return known;
  const patience = { ms: PATIENCE_MS, onWait: () => reached.onWait?.() };
  const reached: Reached = { transport: new Transport({ ...settings, patience }), onWait: undefined };
  transports.set(key, reached);
  return reached;
}
