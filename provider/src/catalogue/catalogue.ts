import type { Catalogue } from "../generated/catalogue";
import type * as Declare from "./declare";
import type { CatalogueOptions } from "./options";

/**
 * Declares everything that a YAML file lists, see docs/catalogue.md. All mistakes of the file are
 * reported at once, each with its line and column, before anything is declared.
 *
 * @param file the file, seen from the program's working directory as by `readFileSync`
 * @returns the resources by collection and name
 *
 * @example
 * ```ts
 * const { tunnelCredentials } = tunnels.catalogue("tunnels.yaml");
 * export const authtoken = tunnelCredentials.agent?.token;
 * ```
 */
export function catalogue(file: string, options?: CatalogueOptions): Catalogue {
  // Loaded when first called: contract and parser would slow the start of programs that need neither.
  const { declare } = require("./declare") as typeof Declare;
  return declare(file, options);
}
