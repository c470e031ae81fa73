import type { Definition } from "../sdk/src/contract";
import { HEADER } from "./names";

/** The kinds as a type, so that a reference to a kind that does not exist does not compile. */
export const kindsType = (registry: readonly Definition[]): string =>
  `${HEADER}\n/** The kinds of objects. */\nexport type Kind =\n${registry.map(({ kind }) => `  | "${kind}"`).join("\n")};\n`;
