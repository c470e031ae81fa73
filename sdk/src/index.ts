export { Collection, Entries, type ListOptions, Module } from "./client/collection";
export * from "./client/errors";
export type { Ref } from "./client/ref";
export { type Answered, type RequestOptions, Transport, type TransportOptions } from "./client/transport";
export * from "./resources";
