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

/** How many letters have to be changed, added or removed to make one word of another (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
