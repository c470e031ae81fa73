import { ApiError, AuthenticationError, ConnectionError, TimeoutError, UnexpectedAnswerError } from "@tunnelplane/sdk";
import { camelCase, ERRORS } from "@tunnelplane/sdk/contract";
import type { Settings } from "./settings";

/**
 * An error in the form that Pulumi's host for dynamic providers prints. For refresh and delete the host prints
 * `${error}: ${error.stack}` on a line of its own, before the message. So `toString` and `stack` make a readable line.
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

/** Names in brackets are the user's own keys and stay as they are. */
const fieldInCamelCase = (field: string): string =>
  field.replace(/\[[^\]]*\]|[^[]+/g, (part) => (part.startsWith("[") ? part : camelCase(part)));
