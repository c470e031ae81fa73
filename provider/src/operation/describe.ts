import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  TimeoutError,
  UnexpectedAnswerError,
} from "@tunnelplane/sdk";
import { camelCase, ERRORS, messageOf } from "@tunnelplane/sdk/contract";
import { ElsewhereError } from "../core";
import type { Settings } from "./accountSettings";
import { PartialFailure } from "./partial";

/** One line: what went wrong, where, and what to do. */
export function describe(error: unknown, settings: Settings | undefined): string {
  if (error instanceof PartialFailure) return describe(error.cause, settings);
  if (error instanceof AuthenticationError) {
    const what = settings?.identity ? "identity token" : "API key";
    return `${settings?.baseUrl} refused the ${what} from ${settings?.sources.apiKey}: ${error.message}`;
  }
  if (error instanceof ApiError && error.code === ERRORS.unsupported_version.code) {
    return `${settings?.baseUrl} speaks another version of the API than this package: ${error.message}`;
  }
  if (error instanceof ApiError) {
    const field = error.field && fieldInCamelCase(error.field);
    return `${error.message} (${[field, error.code, error.operationId].filter(Boolean).join(", ")})`;
  }
  if (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof UnexpectedAnswerError
  ) {
    const cure = error instanceof ConnectionError ? "; is the server running?" : ";";
    return `${error.message}${cure} The address comes from ${settings?.sources.baseUrl}`;
  }
  if (error instanceof ElsewhereError) {
    const { setting } = error.places;
    const source = setting === "address" ? settings?.sources.baseUrl : settings?.sources.project;
    return `${error.message}. The ${setting} comes from ${source}`;
  }
  return messageOf(error);
}

/** Names in brackets are the user's own keys and stay as they are. */
const fieldInCamelCase = (field: string): string =>
  field.replace(/\[[^\]]*\]|[^[]+/g, (part) => (part.startsWith("[") ? part : camelCase(part)));
