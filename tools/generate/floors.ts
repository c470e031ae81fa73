import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { FLOORS }: { FLOORS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> } =
  require("../scripts/floors.cjs");

const PAGES = "docs/architecture";
const PLACE = /(<!-- floors of (\S+) -->\n)[\s\S]*?(<!-- end of floors -->)/g;

/** The pages on architecture, with the floors that the import rules check in the places that ask for them. */
export const floorPages = (root: string): [string, string][] =>
  readdirSync(join(root, PAGES)).map((name) => {
    const path = `${PAGES}/${name}`;
    const text = readFileSync(join(root, path), "utf8");
    return [
      path,
      text.replace(PLACE, (_, begin: string, part: string, end: string) => begin + planOf(part) + end),
    ];
  });

/** A row for each room, from the top floor to the bottom. */
function planOf(part: string): string {
  const floors = FLOORS[part];
  if (!floors) throw new Error(`There are no floors of ${part}: name them in tools/scripts/floors.cjs`);
  const rows = floors.flatMap((rooms, index) =>
    Object.entries(rooms).map(
      ([room, task]) =>
        `| ${floors.length - index} | \`${room}${room.includes(".") ? "" : "/"}\` | ${task} |\n`,
    ),
  );
  return `\n| Floor | Room | Task |\n|---|---|---|\n${rows.join("")}\n`;
}
