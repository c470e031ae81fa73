import { review, write } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { HAS_BROWSER, LOOKS, RealBrowser, type Tab } from "../support/browser";
import { Folder, previewOf, tlsEdge } from "./support";

const OFF = { mutualTls: { enabled: false, certificateAuthorityIds: [] } };
const preview = previewOf([
  tlsEdge("app", { before: {}, after: OFF }),
  tlsEdge("shop", { before: {}, after: { tlsTermination: { minVersion: "1.3" } } }),
]);

describe("The page of a review", () => {
  if (!HAS_BROWSER) {
    it("skipped: there is no Chromium for this machine; TUNNELPLANE_CHROMIUM may name one", function () {
      this.skip();
    });
    return;
  }

  const folder = new Folder();
  const file = folder.write("review.html", write(review(preview), "html"));
  let browser: RealBrowser;
  let tab: Tab;

  before(async () => {
    browser = await RealBrowser.start();
  });
  after(() => browser.close());
  after(() => folder.dispose());
  beforeEach(async () => {
    tab = await browser.open(file);
  });

  const shown = (what: string) => tab.page.locator(`${what}:visible`).allInnerTexts();

  it("asks nobody for anything, and runs without errors", async () => {
    expect(tab.requests).to.have.length(1);
    expect(tab.errors).to.deep.equal([]);
  });

  it("has a row with a drawing before and after for each address that changes", async () => {
    expect((await shown("#addresses h3")).map((text) => text.trim())).to.deep.equal(["app.example.com:443", "shop.example.com:443"]);
    expect(await tab.page.locator("#addresses svg").count()).to.equal(4);
  });

  it("shows findings of the chosen severities, and whatever holds a text", async () => {
    expect(await shown(".finding")).to.have.length(2);
    await tab.page.getByLabel("high").uncheck();
    expect((await shown(".finding")).join())
      .to.include("shop.example.com")
      .and.not.to.include("app.example.com");
    await tab.page.getByLabel("high").check();
    await tab.page.getByRole("searchbox").fill("SHOP");
    expect(await shown(".finding")).to.have.length(1);
    expect(await shown("#addresses h3")).to.have.length(1);
  });

  it("fits the width of a phone", async () => {
    const { page } = await browser.open(file, LOOKS.phone);
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(LOOKS.phone.viewport.width);
  });
});
