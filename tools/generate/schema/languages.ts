import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The package.json of the plugin. */
export const manifest = JSON.parse(readFileSync(join(__dirname, "../../../plugin/package.json"), "utf8")) as {
  readonly license: string;
  readonly homepage: string;
  readonly repository: { readonly url: string };
};

const [, owner = "", name = ""] =
  /github\.com\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(manifest.repository.url) ?? [];
/** Where the repository is on GitHub. */
export const repository = { owner, name };

/** The names of generated packages in each language. */
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
    // A repository of its own, as Go wants it.
    importBasePath: `github.com/${owner}/pulumi-tunnelplane-go`,
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
    basePackage: "io.github",
    buildFiles: "none",
    // The second holds the annotations of the generated code, which Pulumi's own package asks for at run time
    // only.
    dependencies: { "com.pulumi:pulumi": "1.20.0", "com.google.code.findbugs:jsr305": "3.0.2" },
  },
};
