import { createHash } from "node:crypto";
import { AuthenticationError, BadRequestError, type Gateways, PermissionError } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { refusalToBind } from "@tunnelplane/sdk/meaning";
import { readKeptMap, writeWhole } from "../state/files";

/** While the server is down, agents that it allowed in this time may come back. */
const COME_BACK_MS = 15 * 60_000;
const MAX_KNOWN = 10_000;
const WRITE_EVERY_MS = 5000;

/** A credential that was allowed something. */
interface Known {
  readonly credential: string;
  readonly acl: readonly string[];
  readonly projects: readonly string[];
  /** When the server last allowed it, in milliseconds. */
  at: number;
  /** When it ends, in milliseconds; absent for never. */
  readonly end?: number | undefined;
}

const NOBODY = { allowed: false, credential: null, projects: [] };

interface Options {
  readonly gateways: Pick<Gateways, "authorize">;
  /** The file of agents that may come back while the server is down: hashes of keys and tokens, and ACLs. */
  readonly file: string;
  readonly warn: (message: string) => void;
}

/** Asks the server. While the server is down, agents that it allowed a short time ago may come back. */
export class ServerAuthority implements BindAuthority {
  readonly #known: Map<string, Known>;
  #isWritten = true;
  readonly #writes = new Job({
    name: "keep which agents may come back",
    everyMs: WRITE_EVERY_MS,
    work: () => this.#write(),
    onError: (error, message) => this.options.warn(`${message}: ${messageOf(error)}`),
  }).start();

  constructor(private readonly options: Options) {
    this.#known = readKeptMap(options.file);
  }

  async ask(proof: Proof, bind: readonly string[], address?: string): Promise<Verdict> {
    const key = hashOf(proof);
    try {
      const {
        allowed,
        credential,
        project_ids: projects,
        acl,
        expires_at: endsAt,
        reason,
      } = await this.options.gateways.authorize(proof, bind, address);
      const end = endsAt ? Date.parse(endsAt) : undefined;
      this.#isWritten = false;
      this.#known.delete(key);
      if (!credential) return { ...NOBODY, reason };
      const [oldest = ""] = this.#known.keys();
      if (this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
      this.#known.set(key, { credential: credential.id, acl, projects, at: Date.now(), end });
      return { allowed, credential: credential.id, projects, end, reason };
    } catch (error) {
      if (error instanceof BadRequestError) return { ...NOBODY, reason: error.message };
      const refused = error instanceof AuthenticationError || error instanceof PermissionError;
      this.options.warn(
        `the server could not be asked who may bind: ${messageOf(error)}${refused ? ". Use the API key of a bot of role gateway" : ""}`,
      );
      return this.#remembered(key, bind);
    }
  }

  #remembered(key: string, bind: readonly string[]): Verdict {
    const known = this.#known.get(key);
    const refuse = (reason: string): Verdict => ({
      ...NOBODY,
      credential: known?.credential ?? null,
      reason,
    });
    if (!known || Date.now() - known.at > COME_BACK_MS)
      return refuse(
        "the server does not answer, and did not allow this credential anything in the last 15 minutes",
      );
    const { credential, acl, projects, end } = known;
    if (end !== undefined && end <= Date.now()) return refuse(endedWords(credential, end));
    const refusal = refusalToBind(credential, acl, bind);
    if (refusal !== undefined) return refuse(refusal);
    return { allowed: true, credential, projects, end, reason: "" };
  }

  /**
   * Extends the time of these credentials, whose agents are connected: the server answers, and did not refuse
   * them.
   */
  confirm(credentials: ReadonlySet<string>): void {
    this.#isWritten = false;
    for (const known of this.#known.values()) if (credentials.has(known.credential)) known.at = Date.now();
  }

  /** Forgets that these were allowed. */
  forget(credentials: ReadonlySet<string> | "all"): void {
    this.#isWritten = false;
    for (const [key, { credential }] of this.#known)
      if (credentials === "all" || credentials.has(credential)) this.#known.delete(key);
  }

  stop(): void {
    void this.#writes.stop();
    this.#write();
  }

  #write(): void {
    if (this.#isWritten) return;
    writeWhole(this.options.file, JSON.stringify([...this.#known]));
    this.#isWritten = true;
  }
}

/** Why a credential allows nothing any more. @param end in milliseconds since 1970 */
export const endedWords = (credential: string, end: number): string =>
  `the credential ${credential} ended at ${new Date(end).toISOString()}`;

const hashOf = (proof: Proof): string =>
  createHash("sha256").update(JSON.stringify(proof)).digest("base64url");

/** How an agent proves who it is. */
export type Proof = { readonly token: string } | { readonly public_key: string };

export interface Verdict {
  readonly allowed: boolean;
  /** The credential's id; null if none fits. */
  readonly credential: string | null;
  /** Ids of the projects whose hostports and labels it may serve. */
  readonly projects: readonly string[];
  /** When the credential ends, in milliseconds since 1970; absent for never. */
  readonly end?: number | undefined;
  /** Why it is not allowed; empty if it is. */
  readonly reason: string;
}

/** Decides what an agent may bind. */
export interface BindAuthority {
  /**
   * @param bind `bind:HOST:PORT`, or `bind:KEY=VALUE` for each label; empty asks who it is
   * @param address of an agent that logs in or binds: one whose session was stopped is kept out for a while
   */
  ask(proof: Proof, bind: readonly string[], address?: string): Promise<Verdict>;
}
