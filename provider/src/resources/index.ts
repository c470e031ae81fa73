// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
export * from "./tunnelCredential";
export * from "./sshCredential";
export * from "./certificateAuthority";
export * from "./ipPolicy";
export * from "./ipPolicyRule";
export * from "./tunnelGroupBackend";
export * from "./failoverBackend";
export * from "./weightedBackend";
export * from "./httpResponseBackend";
export * from "./staticBackend";
export * from "./tlsEdge";
export * from "./httpsEdge";
export * from "./httpsEdgeRoute";
export * from "./eventDestination";
export * from "./eventSubscription";
export * from "./apiKey";
export * from "./botUser";
