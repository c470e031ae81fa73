/** Starts and wires everything, and what its settings are made of. Other rooms import from here only. */

export type { AcmeSettings, DnsServer } from "../acme";
export { type Endpoints, parseEndpoints } from "../events";
export type { PortRange, ServerContext } from "../resources";
export { openContext } from "./context";
export { type RunningServer, type ServerOptions, startServer } from "./server";
