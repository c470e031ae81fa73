import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Page } from "playwright-core";
import { HAS_BROWSER, LOOKS, RealBrowser, type Tab } from "../support/browser";
import { tableOf } from "../support/table";
import { Site } from "./served";

const ROOT = join(__dirname, "../..");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
/** Colours are looked at in both; all else is the same in dark ones. */
const LOOKED_AT = { light: {}, dark: { runOnly: ["color-contrast", "link-in-text-block"] } };
/** The findings of axe in a part of a page, with folds open, and one piece of programs for each colour. */
const violations = (part: string, look: "light" | "dark"): string => `(async () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const seen = new Set();
  for (const piece of document.querySelectorAll("pre code span span")) {
    const colour = piece.getAttribute("style");
    if (seen.has(colour)) piece.remove();
    seen.add(colour);
  }
  const found = await axe.run(${JSON.stringify(part)}, ${JSON.stringify({ resultTypes: ["violations"], ...LOOKED_AT[look] })});
  return found.violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200));
})()`;
/** One page of each layout is looked at as a whole; of the others, what differs. */
const WHOLE = ["index.html", "tutorial.html", "reference/tls_edge.html"];
/** The narrowest text is on phones and, beside the list of pages, on laptops. */
const NARROW = { phone: 390, laptop: 1024 };
const WIDTHS = { ...NARROW, tablet: 834, desktop: 1440 };

describe("The site", () => {
  let site: Site;
  before("build it; a link that leads nowhere fails the build", async () => {
    site = await Site.build();
  });

  it("has every page of the documentation, but those on how the code is built, and every example", () => {
    const written = execFileSync(
      "git",
      ["ls-files", "--cached", "--others", "--exclude-standard", "docs/*.md"],
      { cwd: ROOT, encoding: "utf8" },
    );
    const pages = written
      .split("\n")
      .filter((path) => path && !path.startsWith("docs/architecture/") && existsSync(join(ROOT, path)))
      // For Pulumi's registry.
      .filter((path) => !/^docs\/(_index|installation-configuration)[.]md$/.test(path))
      .map((path) =>
        path
          .slice("docs/".length)
          .replace(/(README|index)?\.md$/, (_, name) => (name ? "index.html" : ".html")),
      );
    const examples = readdirSync(join(ROOT, "examples")).map((name) => `examples/${name}.html`);
    expect(site.pages()).to.include.members([...pages, ...examples]);
    expect(pages).to.have.length.above(25);
  });

  it("is there for programs too: llms.txt, each page as Markdown, and the reference as one file", () => {
    const read = (path: string) => readFileSync(join(site.folder, path), "utf8");
    const listed = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    for (const page of site.pages().filter((path) => path !== "index.html"))
      expect(listed).to.include(page.replace(/html$/, "md"));
    expect(listed.filter((path) => !existsSync(join(site.folder, path)))).to.deep.equal([]);
    expect(read("tutorial.md")).to.match(/^# /);
    for (const page of [...listed, "reference.md"]) {
      const links = read(page)
        .replaceAll(/^ *```.*?^ *```$|`[^`\n]*`/gms, "")
        .matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g);
      const dead = [...links].filter(
        ([, to = ""]) => !existsSync(join(site.folder, posix.dirname(page), to)),
      );
      expect(dead, page).to.deep.equal([]);
    }
    for (const type of ["TLS edge", "event subscription"])
      expect(read("reference.md").toLowerCase()).to.contain(`\n# ${type.toLowerCase()}\n`);
  });

  it("names each page in its list of pages or as part of one", () => {
    const listed = site.text("tutorial.html");
    for (const page of [
      ...["concepts", "errors", "settings", "commands", "how-to/mutual-tls", "how-to/oidc"],
      ...["how-to/ssh-certificates", "how-to/event-pipelines", "how-to/guarantees"],
      ...["how-to/ends", "how-to/accounts", "how-to/roles", "how-to/teams", "how-to/move"],
      ...["how-to/ci", "how-to/ask", "how-to/traffic", "adopt", "policies", "gateway", "faq"],
      ...["glossary", "support", "examples/first-tunnel"],
    ])
      expect(listed, page).to.contain(`href="/${page}.html"`);
  });

  it("has no link to a heading that is not there", () => {
    const anchors = new Map(
      site
        .pages()
        .map((page) => [page, new Set([...site.text(page).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
    );
    const broken = site.pages().flatMap((page) =>
      [...site.text(page).matchAll(/ href="((?!\w+:)[^"#]*)#([^"]+)"/g)]
        .filter(([, path = "", anchor = ""]) => {
          const target = path === "" ? page : posix.join("/", posix.dirname(page), path).slice(1);
          const wanted = path.startsWith("/") ? path.slice(1) : target;
          return !anchors.get(wanted.replace(/(^|\/)$/, "$1index.html"))?.has(anchor);
        })
        .map(([link]) => `${page}:${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it("begins with the program of the README, and with what its preview and its review say", () => {
    const blocks = [
      ...readFileSync(join(ROOT, "docs/index.md"), "utf8").matchAll(/^```\w+\n.*?^```$/gms),
    ].map(([block]) => block);
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    expect(blocks.map((block) => readme.includes(block))).to.deep.equal([true, true, true]);
    expect(site.text("index.html")).to.match(/<img class="by-day"[^>]*alt="The console/);
  });

  it("searches without a service: the index is part of it", () => {
    const chunks = readdirSync(join(site.folder, "assets/chunks")).filter((name) =>
      name.includes("localSearchIndex"),
    );
    const index = chunks.map((name) => site.text(`assets/chunks/${name}`)).join("");
    for (const word of ["TP_1501", "mutual TLS", "recover", "listen"]) expect(index).to.contain(word);
  });

  it("loads nothing from elsewhere", () => {
    const foreign = site
      .pages()
      .flatMap((name) =>
        [
          ...site
            .text(name)
            .matchAll(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(https?:)?\/\/[^"]*"/g),
        ].map(([tag]) => `${name}: ${tag}`),
      );
    expect(foreign).to.deep.equal([]);
  });

  describe("in a browser", () => {
    let browser: RealBrowser;
    let tab: Tab;
    before(async function () {
      if (!HAS_BROWSER) {
        console.log("    Skipped: there is no browser; TUNNELPLANE_CHROMIUM names one");
        return this.skip();
      }
      browser = await RealBrowser.start();
    });
    afterEach(() => tab?.close());

    for (const look of ["light", "dark"] as const)
      it(`is sound by the rules of axe on ${look === "light" ? "pages with all that a page has" : "a page of each layout"}, in ${look} colours, with all folds open`, async () => {
        tab = await browser.open("about:blank", LOOKS[look]);
        await tab.page.addInitScript(AXE);
        const found: string[] = [];
        for (const page of look === "light" ? covering(site) : WHOLE) {
          await tab.page.goto(site.url(page));
          const part = WHOLE.includes(page) ? "html" : "main";
          for (const violation of await tab.page.evaluate<string[]>(violations(part, look)))
            found.push(`${page}: ${violation}`);
        }
        expect(found).to.deep.equal([]);
        expect(tab.errors).to.deep.equal([]);
      });

    it("fits on phones, tablets and laptops: no page and no table scrolls sideways, with all folds open", async () => {
      tab = await browser.open("about:blank");
      const still = await browser.open("about:blank", { javaScriptEnabled: false }); // scripts are most of the time
      const wide: string[] = [];
      for (const page of site.pages()) {
        const [on, widths] = WHOLE.includes(page) ? [tab.page, WIDTHS] : [still.page, NARROW];
        await on.goto(site.url(page));
        for (const [name, width] of Object.entries(widths)) {
          await on.setViewportSize({ width, height: 900 });
          for (const element of await on.evaluate<string[]>(TOO_WIDE))
            wide.push(`${page} on a ${name}: ${element}`);
        }
      }
      expect(wide).to.deep.equal([]);
    });

    it("folds what belongs to a module, and a deep link opens it, in the form of today and of before", async () => {
      const isOpen = "document.querySelector('#mutual_tls + details').open";
      const top = "document.querySelector('#mutual_tls').getBoundingClientRect().top";
      for (const [anchor, open] of [
        ["", false],
        ["#mutual_tls", true],
        ["#mutual-tls", true],
      ] as const) {
        tab = await browser.open(site.url(`reference/tls_edge.html${anchor}`));
        await tab.page.waitForFunction(`${isOpen} === ${open} && (!${open} || ${top} < 400)`);
        await tab.close();
      }
      tab = await browser.open(site.url("reference/tls_edge.html"));
      await tab.page.click(".VPDocAsideOutline a[href='#mutual_tls']");
      await tab.page.waitForFunction(isOpen);
    });

    it("finds guides before examples before the reference, by the words of its readers", async () => {
      tab = await browser.open(site.url("concepts.html"));
      const wrong: string[] = [];
      for (const [ask, first] of Object.entries(
        tableOf<Record<string, string[]>>(__dirname, "questions.yaml"),
      )) {
        const found = await results(tab.page, ask);
        if (!first.includes(found[0] ?? "")) wrong.push(`${ask}: ${found.slice(0, 4).join(", ")}`);
      }
      expect(wrong).to.deep.equal([]);
    });

    it("finds what stands inside a fold, and opens it", async () => {
      tab = await browser.open(site.url("concepts.html"));
      expect(await results(tab.page, "allowed_algorithms")).to.contain("reference/https_edge_route.html");
      await tab.page.click(".VPLocalSearchBox a[href*='https_edge_route.html#jwt_validation']");
      await tab.page.waitForFunction("document.querySelector('#jwt_validation + details')?.open");
    });
  });
});

/** Pages that have among them each kind of element, by its attributes, and each step between headings. */
function covering(site: Site): string[] {
  const seen = new Set<string>();
  return [...new Set([...WHOLE, ...site.pages()])].filter((page) => {
    const text = site.text(page).replaceAll(/vp-doc _\S*"/g, '"'); // the name of the page
    const elements = [...text.matchAll(/<(\w+)([^>]*)>(<\/)?/g)].map(([, tag, attributes = "", empty = ""]) =>
      [tag, empty, attributes.replaceAll(/\b(?!class|style|role|type)([\w-]+)="[^"]*"/g, "$1")].join(),
    );
    const headings = [...text.matchAll(/<h(\d)/g)].map(
      ([, level], at, all) => `${all[at - 1]?.[1]} to ${level}`,
    );
    const before = seen.size;
    for (const one of [...elements, ...headings]) seen.add(one);
    return seen.size > before;
  });
}

/** Elements that are wider than their place. Programs may scroll inside of their boxes. */
const TOO_WIDE = `(() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const { clientWidth, scrollWidth } = document.documentElement;
  const page = scrollWidth > clientWidth ? ["the page"] : [];
  const right = (element) => element.getBoundingClientRect().right;
  const tables = [...document.querySelectorAll("main table")].filter(
    (table) => right(table) > right(table.parentElement) + 1 || table.scrollWidth > table.clientWidth + 1,
  );
  return [...page, ...tables.map((table) => table.outerHTML.slice(0, 200))];
})()`;

async function results(page: Page, ask: string): Promise<string[]> {
  const input = page.locator("#localsearch-input");
  // A page that is not alive yet hears no key.
  while ((await input.count()) === 0) {
    await page.keyboard.press("Control+k");
    await page.waitForTimeout(100);
  }
  await input.fill("");
  await page.waitForFunction("document.querySelectorAll('.VPLocalSearchBox .result').length === 0");
  await input.fill(ask);
  await page.waitForSelector(".VPLocalSearchBox .result");
  const found = await page
    .locator(".VPLocalSearchBox a.result")
    .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href));
  return found.map((href) => new URL(href).pathname.slice(1));
}
