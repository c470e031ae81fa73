import { isIP } from "node:net";
import { isObject, type Kind, own } from "@tunnelplane/sdk/contract";
import { Budget, type Holder, isPublic, type RequestError, refusalForNow } from "../util";
import { threadsOf } from "./threads";
import { type Findings, type Purpose, validate } from "./validate";
import type { BodyToCheck } from "./validationWorker";

/**
 * Smaller bodies, in characters of JSON, are checked on the main thread. About thirty patterns of the largest
 * program fit into one; each takes 1.2 ms once the compiler is warm, and 30 ms the first time (measured
 * 2026-11-22 on 2 cores, Node 24).
 */
const SMALL = 400;
const MIB = 1024 * 1024;
/** The limit of one owner's bodies that wait to be checked, in characters of JSON: four of the largest. */
const MAX_OF_ONE = 4 * MIB;
const MAX_OF_ALL = 64 * MIB;

/**
 * Checks bodies against the contract; all but small ones in a thread of its own, so that no body delays other
 * requests. The bodies of one owner that wait are bounded.
 */
export class Validation {
  readonly #sizes = new Budget({ work: "bodies to check", size: MAX_OF_ALL });
  readonly #thread = threadsOf<BodyToCheck, Findings>({
    worker: "validationWorker",
    name: "validation",
    task: "checks bodies",
    work: "bodies to check",
    memory: { old: 256, young: 16 }, // chosen with room to spare for bodies of 1 MiB, not measured
  });

  /**
   * Refuses a body before it is read, if too much of its owner waits already: reading and parsing it would
   * cost memory for nothing.
   *
   * @param bytes how much of it is read: the length in its header, up to the limit of bodies; 0 without that
   *   header
   */
  refuseWhileFull(holder: Holder, bytes: number): void {
    if (this.#sizes.heldBy(holder) + bytes > MAX_OF_ONE) throw tooMuch();
  }

  /** @param allowPrivate whether this server reads from addresses that are not on the internet */
  constructor(private readonly allowPrivate = false) {}

  /**
   * @param holder whose body it is
   * @param gone aborts when nobody waits for the answer any more
   */
  async validate(holder: Holder, purpose: Purpose, body: unknown, gone?: AbortSignal): Promise<Findings> {
    const found = await this.#check(holder, purpose, body, gone);
    return this.allowPrivate ? found : withPrivateTargets(purpose, found);
  }

  async #check(holder: Holder, purpose: Purpose, body: unknown, gone?: AbortSignal): Promise<Findings> {
    const json = JSON.stringify(body);
    if (json.length <= SMALL) return validate(purpose, body);
    const giveBack = this.#sizes.take(holder, { amount: json.length, share: MAX_OF_ONE });
    if (typeof giveBack === "string") throw tooMuch();
    try {
      return await this.#thread.run(holder, { ...purpose, json }, { gone });
    } finally {
      giveBack();
    }
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}

const tooMuch = (): RequestError =>
  refusalForNow(
    "overloaded",
    `More than ${MAX_OF_ONE / MIB} MiB of bodies of this API key's owner wait to be checked; try again shortly`,
  );

/**
 * Adds a problem where a body has the server connect to an address that is not on the internet. Names are
 * looked at when it connects.
 */
export function withPrivateTargets({ kind, what }: Purpose, found: Findings): Findings {
  const path = own(ADDRESSES, kind);
  if (!path || (what !== "create" && what !== "update")) return found;
  const url = path.reduce<unknown>((at, name) => (isObject(at) ? own(at, name) : undefined), found.value);
  if (typeof url !== "string" || !URL.canParse(url) || !isPrivate(new URL(url))) return found;
  const message =
    'must begin with "https://" and be on the internet; an operator may allow others with --allow-private-targets';
  return { ...found, problems: [...found.problems, { error: "invalid_field", path, message }] };
}

/** Where bodies name an address that the server connects to. */
const ADDRESSES: { readonly [K in Kind]?: readonly string[] } = {
  workload_identity: ["issuer"],
  event_destination: ["target", "webhook", "url"],
};

function isPrivate({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return protocol !== "https:" || (isIP(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host));
}
