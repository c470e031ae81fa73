import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the README of each example as a page, because the site and its search read pages of this folder only.
 *
 * @returns the paths of the pages
 */
export function examplePages(docs: string): string[] {
  const examples = join(docs, "../examples");
  const folder = join(docs, "examples");
  const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, "README.md")));
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder))
    if (!names.includes(old.replace(/\.md$/, ""))) rmSync(join(folder, old));
  for (const name of names) {
    const page = join(folder, `${name}.md`);
    const text = readFileSync(join(examples, name, "README.md"), "utf8");
    // A page that is written anew is read anew, by another process too.
    if (!existsSync(page) || readFileSync(page, "utf8") !== text) writeFileSync(page, text);
  }
  return names.map((name) => `examples/${name}.md`);
}
