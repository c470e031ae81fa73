import type * as pulumi from "@pulumi/pulumi";

/** Options for all resources of a catalogue, for example an account as `provider`. */
export type CatalogueOptions = Omit<pulumi.CustomResourceOptions, "aliases" | "id" | "import" | "urn">;
