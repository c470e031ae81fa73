import type { Catalogue } from "../generated/catalogue";
import type * as Declare from "./declare";
import type { CatalogueOptions } from "./declare";

/**
 * Declares everything that a YAML file lists, see docs/catalogue.md. All mistakes of the file are
 * reported at once, each with its line and column, before anything is declared.
 *
 * @param file path of the file, relative to the program's working directory
 * @returns the resources by collection and name
 *
 * @example
 * ```ts
 * const { tunnelCredentials } = tunnels.catalogue("tunnels.yaml");
 * export const authtoken = tunnelCredentials.agent?.token;
 * ```
 */
export function catalogue(file: string, options?: CatalogueOptions): Catalogue {
  // Loaded on the first call: programs without a catalogue start faster without the contract and the parser.
  const { declare }: typeof Declare = require("./declare");
  return declare(file, options);
}
