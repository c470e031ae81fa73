import { createHash } from "node:crypto";

/** The host's part of a creation: with it, a lost answer or a killed run still makes one object only. */
export interface Creation {
  /** Names the resource in its program and state; the same in each run that tries to create it. */
  readonly intent?: string;
  /** Whether the state held an object with this id when the run began. */
  isRecorded(id: string): Promise<boolean>;
}

/** What a creation of this request is for. Others like it, before, made objects that are gone or belong to the state already. */
export const idempotencyKeyOf = (intent: string, request: unknown, earlier: number): string => hash([intent, request, earlier]);

/** 128 bits, to keep the state small. */
export const intentOf = (state: string, urn: string): string => hash([state, urn]).slice(0, 22);

const hash = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64url");
