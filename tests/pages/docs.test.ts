import { expect } from "chai";
import { HAS_BROWSER, LOOKS, RealBrowser } from "../support/browser";
import { ServerProcess } from "../support/server";
import { picture } from "./screenshots";

describe("The API reference at /docs", () => {
  let server: ServerProcess;
  before(async () => {
    server = await ServerProcess.start();
  });
  after(() => server.stop());

  it("needs no API key, and its policy for browsers lets nothing of other servers and no inline script in", async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.status).to.equal(200);
    expect(page.headers.get("content-type")).to.equal("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy)
      .to.contain("default-src 'none'")
      .and.to.contain("script-src 'self';")
      .and.to.contain("frame-ancestors 'none'");
    expect(policy).not.to.match(/unsafe|https?:|\*/);
    expect(page.headers.get("x-content-type-options")).to.equal("nosniff");
  });

  it("is sent again only when it has changed, and compressed where that is understood", async () => {
    const address = `${server.url}/docs/redoc.js`;
    const first = await fetch(address, { headers: { "accept-encoding": "gzip" } });
    expect(first.headers.get("content-encoding")).to.equal("gzip");
    expect((await first.text()).length).to.be.greaterThan(500_000);
    const again = await fetch(address, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).to.deep.equal([304, ""]);
  });

  if (!HAS_BROWSER) {
    it("skipped: there is no Chromium on this machine", function () {
      this.skip();
    });
    return;
  }

  it("shows every group of operations with examples in Chromium, without other servers and without complaints", async () => {
    const browser = await RealBrowser.start();
    try {
      const { page, requests, errors } = await browser.open(`${server.url}/docs`, LOOKS.light);
      await page.getByRole("heading", { name: "TLS edges", exact: false }).first().waitFor();
      const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
        tags: Record<string, string>[];
      };
      const menu = await page.locator("[role=menuitem], li[role=menuitem]").allInnerTexts();
      for (const tag of document.tags) expect(menu.join("\n")).to.contain(tag["x-displayName"] ?? tag.name);
      await page.getByRole("heading", { name: "Create a TLS edge" }).scrollIntoViewIfNeeded();
      await page.getByText("app.example.com:443").filter({ visible: true }).first().waitFor();
      await picture(page, "docs");
      expect(
        requests.filter((address) => !address.startsWith(server.url) && !/^(data|blob):/.test(address)),
      ).to.deep.equal([]);
      expect(errors).to.deep.equal([]);
    } finally {
      await browser.close();
    }
  });
});
