import type * as pulumi from "@pulumi/pulumi";
import { Resource } from "../host/resource";
import type * as Declare from "./declareSet";

export interface CatalogueSetArgs {
  /** The catalogue, seen from the program's working directory as by `readFileSync`. */
  readonly file: string;
  /** The name of the change set on the server. Default: the resource's name. */
  readonly set?: string;
}

/**
 * Everything that a YAML file lists, as one resource: one request and one transaction for all its objects. See
 * docs/changesets.md. What left the file is deleted; destroying the resource deletes its objects.
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
    const { declaredObjects } = require("./declareSet") as typeof Declare;
    const shape = { kind: "catalogue_set", type: "CatalogueSet", properties: ["set", "ids", "tokens", "digest"], secrets: ["tokens"] };
    super(shape, name, { set, objects: declaredObjects(file) }, options);
  }
}
