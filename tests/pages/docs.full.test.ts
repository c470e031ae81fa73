import type { Locator, Page } from "playwright-core";
import { HAS_BROWSER, LOOKS, RealBrowser, type Tab } from "../support/browser";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";
import { expectSound, violationsOn } from "./onConsole";
import { picture } from "./screenshots";

describe("The API reference at /docs", () => {
  let server: ServerProcess;
  let rest: Rest;
  before(async () => {
    server = await ServerProcess.start();
    rest = new Rest(server.url, server.apiKey);
  });

  for (const [path, parts] of Object.entries({ docs: /"(docs\/[\w.]+)"/g, console: /"(console\/[\w.]+)"/g }))
    it(`and /${path} need no key, and their policy for browsers forbids inline scripts and styles, other servers and frames`, async () => {
      const page = await fetch(`${server.url}/${path}`);
      expect(page.status).to.equal(200);
      expect(page.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy)
        .to.contain("default-src 'none'")
        .and.to.contain("script-src 'self';")
        .and.to.contain("require-trusted-types-for 'script'")
        .and.to.contain("frame-ancestors 'none'");
      expect(policy).not.to.match(/unsafe|https?:|\*|sha256/);
      expect(page.headers.get("x-content-type-options")).to.equal("nosniff");
      for (const [, name = ""] of (await page.text()).matchAll(parts))
        expect((await fetch(`${server.url}/${name}`)).status, name).to.equal(200);
    });

  it("is sent again only when it has changed, and compressed where that is understood", async () => {
    const address = `${server.url}/docs/main.mjs`;
    const first = await fetch(address, { headers: { "accept-encoding": "gzip" } });
    expect(first.headers.get("content-encoding")).to.equal("gzip");
    expect(await first.text()).to.contain("openapi.json");
    const again = await fetch(address, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).to.deep.equal([304, ""]);
  });

  if (!HAS_BROWSER) return void it.skip("skipped: there is no Chromium on this machine");

  describe("in Chromium,", () => {
    let browser: RealBrowser;
    let tab: Tab;
    let page: Page;
    before(async () => {
      browser = await RealBrowser.start();
      tab = await browser.open(`${server.url}/docs`, {
        ...LOOKS.light,
        viewport: { width: 1440, height: 900 },
      });
      page = tab.page;
    });

    const heading = (on: Page, name: string) => on.getByRole("heading", { level: 1, name }).waitFor();
    const operation = (name: string): Locator => page.getByRole("region", { name, exact: true });
    const go = (on: Page, hash: string) => on.goto(`${server.url}/docs#${hash}`);

    it("the first page leads to every resource, and to the console", async () => {
      await heading(page, "API reference");
      const { tags } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
        tags: { name: string }[];
      };
      for (const { name } of tags)
        expect(await page.locator(`nav a[href="#${name}"]`).count(), name).to.equal(1);
      await page.getByRole("link", { name: "Console" }).click();
      await page.getByLabel("API key").waitFor();
      await page.goBack();
      await heading(page, "API reference");
    });

    it("a resource has an address, and so has each of its operations", async () => {
      await go(page, "TlsEdge");
      await heading(page, "TLS edges");
      expect(await page.locator(".operation").count()).to.equal(20);
      await go(page, "createHttpsEdgeRoute");
      await heading(page, "HTTPS edge routes");
      await operation("Create an HTTPS edge route").waitFor();
      await go(page, "deleteTlsEdge");
      await heading(page, "TLS edges");
      expect(await page.evaluate("document.activeElement.id")).to.equal("deleteTlsEdge-title");
    });

    it("navigation, words and code stand side by side on a wide screen", async () => {
      await go(page, "createTlsEdge");
      const lefts = await Promise.all(
        [
          page.locator("nav"),
          operation("Create a TLS edge").locator(".words"),
          operation("Create a TLS edge").locator(".code"),
        ].map(async (one) => (await one.boundingBox())?.x ?? 0),
      );
      expect(lefts)
        .to.deep.equal([...new Set(lefts)].sort((a, b) => a - b))
        .and.to.have.lengthOf(3);
      await picture(page, "docs");
    });

    it("one choice of a language shows every sample in it", async () => {
      const create = operation("Create a TLS edge");
      expect(await create.locator(".samples pre").innerText()).to.contain(
        'curl "$TUNNELPLANE_BASE_URL/edges/tls"',
      );
      await create.getByRole("button", { name: "Python" }).click();
      expect(await create.locator(".samples pre").innerText()).to.contain("from urllib.request import");
      expect(await operation("Delete a TLS edge").locator(".samples pre").innerText()).to.contain(
        'method="DELETE"',
      );
      await create.getByRole("button", { name: "TypeScript" }).click();
      expect(await create.locator(".samples pre").innerText()).to.contain("api.tlsEdges.create({");
    });

    it("fields of modules are unfolded with their types, limits and defaults", async () => {
      const create = operation("Create a TLS edge");
      await create.getByText("Fields of tls_termination").click();
      // The page fills in the fields after it has opened their place.
      await create.getByText("The lowest TLS version that is accepted.").waitFor();
      expect(await create.locator(".words").innerText())
        .to.contain('"1.2", "1.3"')
        .and.to.contain("The lowest TLS version that is accepted.");
    });

    it("a search finds calls by their words and by the fields that they take", async () => {
      await page.getByLabel("Search").fill("user_agent replace");
      await page.locator('nav a[href="#replaceHttpsEdgeRouteUserAgentFilter"]').waitFor();
      await page.getByLabel("Search").fill("hostports create");
      await page.locator('nav a[href="#createTlsEdge"]').waitFor();
      await page.getByLabel("Search").fill("no such call");
      await page.getByText("No call has these words.").waitFor();
      await page.getByLabel("Search").fill("");
    });

    it("a write is tried as a dry run: the answer is shown, and nothing is stored", async () => {
      await go(page, "createIpPolicy");
      const create = operation("Create an IP policy");
      await create.getByText("Try as a dry run").click();
      await create.getByLabel("API key").fill(server.apiKey);
      await create.getByLabel("Body").fill('{ "description": "only tried" }');
      await create.getByRole("button", { name: "Send as a dry run" }).click();
      await create.getByText("nothing was kept").waitFor();
      expect(await create.locator(".answer").innerText())
        .to.contain("201")
        .and.to.contain("only tried");
      expect((await rest.get("/ip_policies")).body.ip_policies).to.deep.equal([]);
    });

    it("a deletion is tried as a dry run too, a read for real, and a refusal is shown as the server says it", async () => {
      const { id } = (await rest.post("/ip_policies", { description: "stays" })).body as { id: string };
      const remove = operation("Delete an IP policy");
      await remove.getByText("Try as a dry run").click();
      await remove.getByRole("textbox", { name: "id" }).fill(id);
      await remove.getByRole("button", { name: "Send as a dry run" }).click();
      await remove.getByText("nothing was kept").waitFor();
      const get = operation("Get an IP policy");
      await get.getByText("Try", { exact: true }).click();
      await get.getByRole("textbox", { name: "id" }).fill(id);
      await get.getByRole("button", { name: "Send" }).click();
      await get.getByText(`"stays"`).waitFor();
      expect(tab.errors).to.deep.equal([]);
      await get.getByRole("textbox", { name: "id" }).fill("ipp_none");
      await get.getByRole("button", { name: "Send" }).click();
      await get.locator(".answer .problem").getByText("ipp_none").waitFor();
      tab.errors.splice(0); // the refusal, which Chromium counts as an error
    });

    it("what has neither a dry run nor only reads cannot be sent", async () => {
      await go(page, "testEventDestination");
      const call = page.locator("#testEventDestination");
      await call.getByText("This call has no dry run").waitFor();
      expect(await call.locator("form, .trial").count()).to.equal(0);
    });

    it("the key is kept in memory alone: a reload forgets it", async () => {
      await go(page, "getCaller");
      const caller = page.locator("#getCaller");
      await caller.getByText("Try", { exact: true }).click();
      expect(await caller.locator("input[type=password]").inputValue()).to.equal(server.apiKey);
      const kept = await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])",
      );
      expect(kept).not.to.contain(server.apiKey);
      await page.reload();
      await page.locator("#getCaller").getByText("Try", { exact: true }).click();
      expect(await page.locator("#getCaller input[type=password]").inputValue()).to.equal("");
    });

    it("all of that asks no other server, and breaks no rule of its policy", () => {
      expect(
        tab.requests.filter((address) => !/^(data|blob):/.test(address) && !address.startsWith(server.url)),
      ).to.deep.equal([]);
      expect(tab.errors).to.deep.equal([]);
    });

    for (const [look, options] of Object.entries(LOOKS))
      it(`it is accessible and fits (${look})`, async () => {
        const own = await browser.open(`${server.url}/docs#IpPolicy`, options);
        await heading(own.page, "IP policies");
        for (const unfolded of [".words > details > summary", ".example > summary", ".trial > summary"])
          for (const summary of await own.page.locator(unfolded).all()) await summary.click();
        await expectSound(own.page, "IP policies");
        const paper = await own.page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
        expect(String(paper)).to.match(look === "dark" ? /rgb\(\d{1,2}, / : /rgb\(2\d\d, /);
        await go(own.page, "");
        await heading(own.page, "API reference");
        expect(await violationsOn(own.page)).to.deep.equal([]);
        expect(own.errors).to.deep.equal([]);
        await own.close();
      });
  });
});
