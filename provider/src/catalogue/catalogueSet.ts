import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";
import type * as Declare from "./declareSet";

export interface CatalogueSetArgs {
  /** The catalogue; the path is relative to the program's working directory, as in `readFileSync`. */
  readonly file: string;
  /** The name of the change set on the server. Default: the resource's name. */
  readonly set?: string;
}

/**
 * All objects of a YAML file as one resource, with one request and one transaction for all of them. See
 * docs/changesets.md. Objects that are removed from the file are deleted; destroying the resource deletes all
 * of its objects.
 *
 * @example
 * ```ts
 * const prod = new tunnels.CatalogueSet("prod", { file: "tunnels.yaml" });
 * export const authtoken = prod.tokens.apply((tokens) => tokens["tunnel_credential/agent"]);
 * ```
 */
export class CatalogueSet extends Resource {
  /** The name of the change set. */
  declare readonly set: pulumi.Output<string>;
  /** The id of each object, by kind and key: `tls_edge/app`. */
  declare readonly ids: pulumi.Output<Readonly<Record<string, string>>>;
  /** The one-time secrets of credentials and API keys, by kind and key; a secret. */
  declare readonly tokens: pulumi.Output<Readonly<Record<string, string>>>;

  constructor(name: string, { file, set = name }: CatalogueSetArgs, options?: pulumi.CustomResourceOptions) {
    // Loaded when first used: contract and parser would slow the start of programs that need neither.
    const { declareSet }: typeof Declare = require("./declareSet");
    const declared = declareSet(file, options);
    const properties = ["set", "ids", "tokens", "digest"];
    const shape = {
      kind: "catalogue_set",
      type: "CatalogueSet",
      properties,
      secrets: ["tokens"],
    } as const;
    const args = { set, objects: declared.objects };
    // A set of another name cannot have the objects before the old one has released them.
    super(shape, name, args, { deleteBeforeReplace: true, ...declared.options });
  }

  /** Whether something is such a resource, for policies that ask by type. */
  static override isInstance(resource: unknown): resource is CatalogueSet {
    return isOfType(resource, "CatalogueSet");
  }
}
