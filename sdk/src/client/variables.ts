import type * as Similarity from "../contract/core/similarity";

const PREFIX = "TUNNELPLANE_";

/** What clients read, in whichever program they are. */
const OF_CLIENTS = [
  "API_KEY",
  "BASE_URL",
  "PROJECT",
  "IDENTITY_TOKEN",
  "IDENTITY_TOKEN_FILE",
  "WORKLOAD_IDENTITY",
  "VALIDATE_ON_SERVER",
];

/**
 * A warning for each variable of the environment that looks like a setting of a program and is none.
 *
 * @param settings the variables that the program reads
 * @param isOurs whether a name, without `TUNNELPLANE_`, can be of this program only
 */
export function mistypedVariables(settings: readonly string[], isOurs: (name: string) => boolean): string[] {
  // Loaded here: programs that look for no mistyped variable load no part of the contract.
  const { didYouMean }: typeof Similarity = require("../contract/core/similarity");
  const known = [...settings.map((name) => name.slice(PREFIX.length)), ...OF_CLIENTS];
  return Object.keys(process.env).flatMap((variable) => {
    const name = variable.slice(PREFIX.length);
    if (!variable.startsWith(PREFIX) || known.includes(name)) return [];
    const meant = didYouMean(name, known, "").replace(/(mean | or )/g, `$1${PREFIX}`);
    return isOurs(name) || meant !== "" ? [`${variable} is not a setting and is ignored${meant}`] : [];
  });
}
