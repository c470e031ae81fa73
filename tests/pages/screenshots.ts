import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const ROOT = join(__dirname, "../..");
/** `TUNNELPLANE_SCREENSHOTS=docs` replaces the documentation's pictures; else git ignores the folder. */
const FOLDER = join(
  ROOT,
  process.env.TUNNELPLANE_SCREENSHOTS === "docs" ? "docs/images" : ".tunnelplane/screenshots",
);

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
