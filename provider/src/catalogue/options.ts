import type * as pulumi from "@pulumi/pulumi";

/** What all resources of a catalogue are declared with, for example an account as `provider`. */
export type CatalogueOptions = Omit<pulumi.CustomResourceOptions, "aliases" | "id" | "import" | "urn">;
