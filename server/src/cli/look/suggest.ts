import { distanceOf } from "@tunnelplane/sdk/contract";

/** Names longer than this are not compared: what was typed may be anything. */
const LONGEST = 64;

/** `; did you mean …?` with the known name that is most like a word, or nothing where none is like it. */
export function suggestion(word: string, known: readonly string[]): string {
  if (word.length > LONGEST) return "";
  const [best] = known
    .map((name) => ({ name, distance: name.startsWith(word) && word.length > 2 ? 0 : distanceOf(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(name.length, word.length) / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best ? `; did you mean "${best.name}"?` : "";
}
