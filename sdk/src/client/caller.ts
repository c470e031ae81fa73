import type { Caller } from "./generated";
import type { Transport } from "./transport";

/** Asks the server who owns the transport's API key. */
export const callerOf = async (transport: Transport): Promise<Caller> =>
  (await transport.request<Caller>("GET", "/caller")).body;
