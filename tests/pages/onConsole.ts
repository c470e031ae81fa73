import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import type { Json } from "../support/api/expect";
import { LOOKS, RealBrowser, type Tab } from "../support/browser";
import { Rest } from "../support/rest";
import { ServerProcess, type StartOptions } from "../support/server";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** The rules of axe that a page breaks, each with the first element that breaks it. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html))",
  );
}

export async function expectSound(page: Page, where: string): Promise<void> {
  expect(await violationsOn(page), where).to.deep.equal([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where).to.equal(true);
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Open the console" }).click();
}

export class OnConsole {
  private constructor(
    readonly server: ServerProcess,
    readonly browser: RealBrowser,
    readonly rest = new Rest(server.url, server.apiKey),
  ) {}

  static async start(options?: StartOptions): Promise<OnConsole> {
    return new OnConsole(await ServerProcess.start(options), await RealBrowser.start());
  }

  async create(path: string, body: Json, by = this.rest, name = ""): Promise<Json & { id: string }> {
    const answer = await by.post(path, body, { "tunnelplane-name": name });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  }

  at = (where: string): string => `${this.server.url}/console#/${where}`;

  async open(where = "exposure", key = this.server.apiKey, look: keyof typeof LOOKS = "light"): Promise<Tab> {
    const tab = await this.browser.open(this.at(where), LOOKS[look]);
    await signIn(tab.page, key);
    await tab.page.locator("main:not([aria-busy]) > h1").waitFor();
    return tab;
  }
}
