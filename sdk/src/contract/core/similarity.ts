import { present } from "./narrow";

/**
 * How many characters have to be added, removed or replaced to make one text of another (Levenshtein
 * distance).
 */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = present(row[j]) + (char === b[j] ? 0 : 1);
      next.push(Math.min(replaced, present(row[j + 1]) + 1, present(next[j]) + 1));
    }
    row = next;
  }
  return present(row[b.length]);
}

/** Names longer than this are not compared, because the text may be anything. */
const MAX_LENGTH = 64;
const MAX_NAMED = 3;

/**
 * The end of a sentence about a misspelled name: `; did you mean "…"?` with the known names that are most
 * like it. Empty if none is. A part of a name counts as its beginning or end, so that "users" means
 * "bot-users".
 */
export function didYouMean(written: string, known: readonly string[], quote = '"'): string {
  if (written.length > MAX_LENGTH) return "";
  const word = written.toLowerCase();
  const near = known.flatMap((name) => {
    const other = name.toLowerCase();
    if (word.length > 2 && (other.startsWith(word) || other.endsWith(word))) return [{ name, distance: 0 }];
    const most = Math.max(1, Math.floor(Math.min(other.length, word.length) / 3));
    if (Math.abs(other.length - word.length) > most) return [];
    const distance = distanceOf(word, other);
    return distance <= most ? [{ name, distance }] : [];
  });
  const least = Math.min(...near.map(({ distance }) => distance));
  const best = near.filter(({ distance }) => distance === least).slice(0, MAX_NAMED);
  return best.length > 0
    ? `; did you mean ${best.map(({ name }) => `${quote}${name}${quote}`).join(" or ")}?`
    : "";
}
