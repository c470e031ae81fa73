/** What generated packages are called in each language. */
export const languages = {
  nodejs: {
    packageName: "@tunnelplane/pulumi-native",
    packageDescription: "Declare tunnels with Pulumi, by the native provider of tunnelplane",
    dependencies: { "@pulumi/pulumi": "^3.216.0" },
    respectSchemaVersion: true,
  },
  python: {
    packageName: "pulumi_tunnelplane",
    requires: { pulumi: ">=3.165.0,<4.0.0" },
    pyproject: { enabled: true },
    respectSchemaVersion: true,
  },
  go: {
    importBasePath: "tunnelplane.dev/pulumi-tunnelplane/sdk/go/tunnelplane",
    rootPackageName: "tunnelplane",
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: {
    rootNamespace: "Pulumi",
    namespaces: { tunnelplane: "Tunnelplane" },
    packageReferences: { Pulumi: "3.*" },
    respectSchemaVersion: true,
  },
  java: {
    basePackage: "dev",
    buildFiles: "gradle",
    dependencies: { "com.pulumi:pulumi": "1.16.0" },
  },
};
