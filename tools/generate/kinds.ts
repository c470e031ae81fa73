import type { Definition } from "../../sdk/src/contract";
import { HEADER } from "./names";

/** Writes the kinds as a list and a type, so that a reference to an unknown kind does not compile. */
export const kindsType = (registry: readonly Definition[]): string =>
  `${HEADER}\n/** The kinds of objects. */\nexport const KINDS = [\n${registry.map(({ kind }) => `  "${kind}",`).join("\n")}\n] as const;\n\nexport type Kind = (typeof KINDS)[number];\n`;
