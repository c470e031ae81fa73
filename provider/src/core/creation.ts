import { createHash } from "node:crypto";

/**
 * The host's part of a creation. It makes sure that a lost answer or a killed run leads to one object only.
 */
export interface Creation {
  /** Identifies the resource by program and state; every run that tries to create it sends the same. */
  readonly intent?: string;
  /** The resource's name in its program, which the object keeps. */
  readonly name?: string;
  /** The id of the object whose unique values the new one takes over. */
  readonly replaces?: string | undefined;
  /** The parts that follow by requests of their own, and without which it serves nothing. */
  readonly closedWithout?: readonly string[] | undefined;
  /** Whether the state held an object with this id when the run began. */
  isRecorded(id: string): Promise<boolean>;
}

/** The idempotency key of a creation. */
export const idempotencyKeyOf = (intent: string, request: unknown): string => hash([intent, request]);

/** 128 bits, to keep the state small. */
export const intentOf = (state: string, urn: string): string => hash([state, urn]).slice(0, 22);

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url");
