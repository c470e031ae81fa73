import { ApiError, AuthenticationError, ConnectionError, TimeoutError, UnexpectedAnswerError } from "@tunnelplane/sdk";
import { camelCase, ERRORS } from "@tunnelplane/sdk/contract";
import type { Settings } from "./settings";

/**
 * An error as the dynamic provider's host prints it. For refresh and delete the host prints
 * `${error}: ${error.stack}` on a line of its own beside the message, so these say what that line is good for.
 */
export class Failure extends Error {
  constructor(message: string, step: string) {
    super(message);
    this.stack = `${step} failed and left the state as it was; the reason is below`;
  }

  override toString(): string {
    return "tunnelplane";
  }
}

/** One line: what went wrong, where, and what to do. */
export function describe(error: unknown, settings: Settings | undefined): string {
  if (error instanceof AuthenticationError) {
    return `${settings?.baseUrl} refused the API key from ${settings?.sources.apiKey}: ${error.message}`;
  }
  if (error instanceof ApiError && error.code === ERRORS.unsupported_version.code) {
    return `${settings?.baseUrl} speaks another version of the API than this package: ${error.message}`;
  }
  if (error instanceof ApiError) {
    const field = error.field && fieldInCamelCase(error.field);
    return `${error.message} (${[field, error.code, error.operationId].filter(Boolean).join(", ")})`;
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof UnexpectedAnswerError) {
    const cure = error instanceof ConnectionError ? "; is the server running?" : ";";
    return `${error.message}${cure} The address comes from ${settings?.sources.baseUrl}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Names outside of brackets are the contract's; inside they are the user's own. */
const fieldInCamelCase = (field: string): string =>
  field.replace(/\[[^\]]*\]|[^[]+/g, (part) => (part.startsWith("[") ? part : camelCase(part)));
