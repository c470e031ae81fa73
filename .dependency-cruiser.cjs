/** Imports go one way: sdk ← provider, sdk ← server. Provider and server meet over HTTP only. */
const only = (name, from, to, comment) => ({ name, severity: "error", comment, from: { path: from }, to: { path: to } });

module.exports = {
  forbidden: [
    only("sdk-stands-alone", "^sdk/", "^(server|provider|examples)/", "The contract and the client know nobody."),
    only("sdk-without-pulumi", "^sdk/", "node_modules/@pulumi", "The client serves programs that have no Pulumi."),
    only("server-knows-the-sdk-only", "^server/", "^(provider|examples)/", "The server meets the provider over HTTP."),
    only("provider-knows-the-sdk-only", "^provider/", "^(server|examples)/", "The provider meets the server over HTTP."),
    only(
      "core-knows-no-host",
      "^provider/src/core/",
      "^provider/src/(?!core/)|node_modules/@pulumi",
      "The core can stand under another host than the dynamic provider.",
    ),
    only("contract-needs-no-client", "^sdk/src/contract/", "^sdk/src/(client|resources)/", "The contract is data."),
    { name: "no-circular", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.tools.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["require", "node", "default", "types"] },
  },
};
