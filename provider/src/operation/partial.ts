import { ApiError, ConnectionError, NEVER_SENT } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import type { Properties } from "../core";

/** The id in the state of a resource whose creation got no answer: nobody knows whether it has an object. */
export const IN_DOUBT = "in-doubt";

/** A step that may have been carried out, or was in part: the object exists in this state. */
export class PartialFailure extends Error {
  constructor(
    reason: unknown,
    readonly object: { readonly id: string; readonly outputs: Properties; readonly inputs: Properties },
  ) {
    super(messageOf(reason), { cause: reason });
  }
}

/**
 * A mark in the outputs of a step that was carried out in part: the inputs that the engine records beside
 * them are not those of the object.
 */
export const PARTLY = { __partly: true } as const;

/** Whether outputs have this mark. */
export const isPartly = ({ __partly }: Properties): boolean => __partly === true;

/** The partial failure behind an error that was put in words. */
export const partialFailureIn = (error: unknown): PartialFailure | undefined =>
  error instanceof PartialFailure
    ? error
    : error instanceof Error && error.cause !== undefined
      ? partialFailureIn(error.cause)
      : undefined;

/** Whether the server may have carried out a request that failed: a refusal changes nothing. */
export function isInDoubt(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500;
  const { code = "" } = (error instanceof ConnectionError ? error.cause : {}) as { code?: string };
  return !NEVER_SENT.has(code);
}
