import { type Caller, callerOf, NotFoundError, type Transport } from "@tunnelplane/sdk";
import { ERRORS } from "@tunnelplane/sdk/contract";

/** There is no `GET /caller` at the address: it is another product, or a server of another version. */
export class NoCallerError extends Error {
  constructor(address: string) {
    super(
      `${address} cannot say who owns the API key and which server it is, so it is unclear whether an object was deleted, is hidden, or is elsewhere; upgrade the server to this package's version`,
    );
  }
}

/** Whether the route does not exist. An unknown project is answered 404 too, with the code of `not_found`. */
const isNoRoute = (error: unknown): boolean =>
  error instanceof NotFoundError && error.code !== ERRORS.not_found.code;

/** The caller behind each transport: requested once in the life of the process, even if that fails. */
const callers = new WeakMap<Transport, Promise<Caller>>();

/** Asks who owns the API key, and which server answers. Steps that ask at the same time share one request. */
export function knownCallerOf(transport: Transport): Promise<Caller> {
  let caller = callers.get(transport);
  if (!caller) {
    caller = callerOf(transport).catch((error: unknown) => {
      throw isNoRoute(error) ? new NoCallerError(transport.baseUrl) : error;
    });
    callers.set(transport, caller);
  }
  return caller;
}
