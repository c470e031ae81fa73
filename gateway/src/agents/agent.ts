import type { Connection, ServerChannel } from "ssh2";
import type { Bind } from "./bindAddress";
import { bound, type Outlet } from "./bounds";
import type { Bound } from "./declared";

const MAX_CHANNELS = 1000; // of one connection
const OPEN_MS = 10_000;
/** How long the application behind an agent is believed to be as it was. */
const BELIEVED_MS = 5000;

/** The connection of an agent, which all of its binds share. */
export interface Client {
  readonly connection: Connection;
  readonly outlet: Outlet;
  /** Channels that are open. */
  channels: number;
}

/** What an agent has bound: takes connections for an application, by one channel for each. */
export class Agent implements Bound {
  /** Whether the application took the last connection; undefined where none was tried. */
  #isUp: boolean | undefined;
  #triedAt = 0;
  #doubtedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | undefined;

  /**
   * @param address and
   * @param port identify the forwarding to the client, exactly as it sent them
   */
  constructor(
    readonly bind: Bind,
    private readonly login: Pick<Bound, "projects">,
    private readonly client: Client,
    private readonly address: string,
    private readonly port: number,
  ) {}

  get projects(): readonly string[] {
    return this.login.projects;
  }

  /** The lower, the sooner it should get a new connection. */
  get rank(): number {
    const isDoubtful = this.#isUp === false || isRecent(this.#doubtedAt);
    return this.client.channels + (isDoubtful ? MAX_CHANNELS : 0);
  }

  /** Whether the application takes connections: as it was in the last five seconds, or asked now. */
  async isUp(): Promise<boolean> {
    if (this.#isUp !== undefined && isRecent(this.#triedAt)) return this.#isUp;
    this.#asking ??= this.open()
      .then(
        (channel) => {
          channel.on("error", () => undefined).close();
          return true;
        },
        () => this.#isUp !== false,
      )
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /** Notes that the application ended a connection without an answer: for a while, others come first. */
  doubt(): void {
    this.#doubtedAt = performance.now();
  }

  /** @throws if the application, or the agent, does not take the connection */
  open(): Promise<ServerChannel> {
    const { client } = this;
    if (client.channels >= MAX_CHANNELS) return Promise.reject(new Error("too many connections"));
    client.channels++;
    return new Promise<ServerChannel>((resolve, reject) => {
      const refuse = (error: Error) => {
        this.#note(false);
        reject(error);
      };
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        refuse(new Error("the agent does not answer"));
      }, OPEN_MS);
      client.connection.forwardOut(this.address, this.port, "127.0.0.1", 0, (error, channel) => {
        clearTimeout(late);
        if (error) {
          client.channels--;
          return refuse(error);
        }
        channel.once("close", () => {
          client.channels--;
        });
        try {
          bound(channel, client.outlet);
        } catch (tooSmall) {
          return refuse(tooSmall as Error);
        }
        this.#note(true);
        if (isLate) return void channel.destroy();
        return resolve(channel);
      });
    });
  }

  #note(isUp: boolean): void {
    this.#isUp = isUp;
    this.#triedAt = performance.now();
  }
}

const isRecent = (at: number): boolean => performance.now() - at < BELIEVED_MS;
