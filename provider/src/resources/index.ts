// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
export * from "./tunnelCredential";
export * from "./sshCredential";
export * from "./sshCertificateAuthority";
export * from "./sshUserCertificate";
export * from "./sshHostCertificate";
export * from "./certificateAuthority";
export * from "./ipPolicy";
export * from "./ipPolicyRule";
export * from "./tunnelGroupBackend";
export * from "./tlsEdge";
