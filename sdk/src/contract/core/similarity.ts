import { present } from "./narrow";

/** How many characters have to be added, removed or replaced to make one text of another (Levenshtein distance). */
export function distanceOf(a: string, b: string): number {
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
