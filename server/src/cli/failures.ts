import { CommanderError } from "commander";

/** There is nothing of that name or id. */
export class MissingObjectError extends Error {}

/** The command line is wrong: it names something that does not exist, or lacks what it needs. */
export class UsageError extends Error {}

/** The command has no API key. */
export class NoKeyError extends Error {
  constructor(
    message = "there is no API key; set TUNNELPLANE_API_KEY, pass --api-key, or run tunnelplane login",
  ) {
    super(message);
  }
}

/**
 * The answer of a command is no, and it has printed why: a difference, a check that failed, a caller not let
 * in.
 */
export class NegativeAnswer extends Error {
  constructor(readonly exitCode: number = 1) {
    super();
  }
}

/** The exit codes of commands. The documentation is made from this. */
export const EXIT_CODES = {
  0: "it is done; diff: there is no difference; ask: the caller is let in",
  1: "it failed, or the server refused it; diff: there are differences; doctor: something is wrong; ask: also where other commands end with 3 or 4",
  2: "the command line is wrong",
  3: "there is no such object; apply: it has findings that --fail-on names, and was not done; ask: the caller is not let in; guarantees --check: an enforced one does not hold",
  4: "the server cannot be reached, or refuses the API key; or there is no API key; ask: whether the caller is let in is not known",
} as const;

/** A change that has findings at or above the severity of --fail-on: it was not made. */
export class RefusedByFindings extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof NegativeAnswer) return error.exitCode;
  if (error instanceof UsageError) return 2;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const {
    AuthenticationError,
    ConnectionError,
    NotFoundError,
    PermissionError,
    TimeoutError,
  }: typeof import("@tunnelplane/sdk") = require("@tunnelplane/sdk");
  if ([MissingObjectError, NotFoundError, RefusedByFindings].some((type) => error instanceof type)) return 3;
  if (
    [ConnectionError, TimeoutError, NoKeyError, AuthenticationError, PermissionError].some(
      (type) => error instanceof type,
    )
  )
    return 4;
  return 1;
}
