import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { atEndOfFile } from "./endOfFile";

const { locateBrowser } = require("../../tools/scripts/browser.cjs") as {
  locateBrowser(): { readonly program: string; readonly env: Record<string, string> } | undefined;
};

/** Whether there is a browser: `npm test` unpacks Chromium on Linux; `TUNNELPLANE_CHROMIUM` names another. */
export const HAS_BROWSER = locateBrowser() !== undefined;

export const LOOKS = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  phone: {
    ...{ viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true },
    deviceScaleFactor: 2,
  },
} as const satisfies Record<string, BrowserContextOptions>;

/** A page in a window of its own, with its requests and errors. */
export interface Tab {
  readonly page: Page;
  readonly requests: string[];
  /** Errors of scripts, refusals of the content security policy, and other errors in the console. */
  readonly errors: string[];
  close(): Promise<void>;
}

export class RealBrowser {
  private constructor(private readonly browser: Browser) {}

  /** @throws Error if there is no browser; check `HAS_BROWSER` first */
  static async start(): Promise<RealBrowser> {
    const found = locateBrowser();
    if (!found)
      throw new Error("There is no browser; `node tools/scripts/setup.cjs browser` unpacks one on Linux");
    const browser = await chromium.launch({
      executablePath: found.program,
      timeout: 0,
      // Root cannot use the sandbox, and some containers have little shared memory. The tests open only their
      // own pages.
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
      env: { ...process.env, ...found.env },
    });
    atEndOfFile(() => browser.close());
    return new RealBrowser(browser);
  }

  /** Opens a page, an address or a file's path, in a window that shares nothing with others. */
  async open(where: string, options: BrowserContextOptions = LOOKS.light): Promise<Tab> {
    const context = await this.browser.newContext(options);
    context.setDefaultTimeout(0); // a busy machine takes its time; a test ends after ten minutes
    const page = await context.newPage();
    const requests: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(/^\w+:/.test(where) ? where : pathToFileURL(where).href);
    return { page, requests, errors, close: () => context.close() };
  }
}
