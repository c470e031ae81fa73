/** Bodies and answers of operations that are no resources: server, OpenAPI and client follow from them. */

export * from "./caller";
export * from "./changeSets";
export * from "./decisions";
export * from "./deliveries";
export * from "./exposure";
export * from "./gateways";
export * from "./journal";
export * from "./login";
export * from "./references";
export * from "./search";
export type { Shape } from "./shape";
export * from "./token";
export * from "./users";
