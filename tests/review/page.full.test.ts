import { review, write } from "@tunnelplane/pulumi/review";
import { HAS_BROWSER, LOOKS, RealBrowser, type Tab } from "../support/browser";
import { richPreview } from "./richPreview";
import { Folder, previewOf, step, tlsEdge } from "./support";

const ADDRESSES = [
  ...["app.example.com:443", "gone.example.com:443", "trial-of-the-new-shop.example.com:443"],
  ...["shop.example.com:443", "site.example.com:443/admin", "partners.example.com:443"],
];

describe("The page of a review", () => {
  if (!HAS_BROWSER)
    return void it.skip("skipped: there is no Chromium for this machine; TUNNELPLANE_CHROMIUM may name one");

  const folder = new Folder();
  const html = write(review(richPreview()), "html");
  const file = folder.write("review.html", html);
  let browser: RealBrowser;
  let tab: Tab;

  before(async () => {
    browser = await RealBrowser.start();
  });
  beforeEach(async () => {
    tab = await browser.open(file);
  });
  afterEach(() => tab.close());

  const shown = async (what: string) =>
    (await tab.page.locator(`${what}:visible`).allInnerTexts()).map((text) => text.trim());
  const search = (text: string) => tab.page.getByRole("searchbox").fill(text);

  it("asks nobody for anything, and runs without errors", async () => {
    await search("app");
    expect(html)
      .to.include("default-src 'none'")
      .and.not.to.match(/\b(src|href)="?https?:/);
    expect(tab.requests).to.have.length(1);
    expect(tab.errors).to.deep.equal([]);
  });

  it("has the most severe findings first, and the addresses that change in the same order", async () => {
    expect(await shown("#findings .severity")).to.deep.equal([
      ...["high", "high", "high", "high", "high"],
      ...["medium", "medium", "medium"],
      "low",
    ]);
    expect(await shown("#addresses h3")).to.deep.equal(ADDRESSES);
  });

  it("draws the path of traffic before and after, and marks changes", async () => {
    const app = tab.page.locator(".address", {
      has: tab.page.getByRole("heading", { name: "app.example.com:443", exact: true }),
    });
    const said = await app
      .locator("svg")
      .evaluateAll((drawings) => drawings.map((drawing) => drawing.getAttribute("aria-label")));
    expect(said).to.deep.equal([
      "Before: 203.0.113.0/24, then client certificate, then 90 % tunnels with release=old, 10 % tunnels with release=fresh",
      "After: every IPv4 address, then nothing is asked, then 90 % tunnels with release=fresh, 10 % tunnels with release=old",
    ]);
    expect(await app.locator(".before rect").count()).to.equal(3);
    expect(await app.locator(".after rect.changed").count()).to.equal(3);
    expect(await app.locator(".after rect.open").count()).to.equal(1);
    expect(await app.locator("tbody tr").allInnerTexts()).to.have.length(3);
    const gone = tab.page.locator(".address", { hasText: "gone.example.com:443" });
    expect(await gone.innerText()).to.include("Nobody serves it.");
  });

  it("filters by severity", async () => {
    await tab.page.getByLabel("high").uncheck();
    expect(await shown("#findings .severity")).to.deep.equal(["medium", "medium", "medium", "low"]);
    expect(await shown("#addresses h3"), "an address with a medium finding stays").to.deep.equal([
      ...["app.example.com:443", "shop.example.com:443", "site.example.com:443/admin"],
      "partners.example.com:443",
    ]);
    await tab.page.getByLabel("high").check();
    expect(await shown("#findings .severity")).to.have.length(9);
  });

  it("filters by text, in upper or lower case, and shows the count", async () => {
    await search("TLS-Raised");
    expect(await shown("#addresses h3")).to.deep.equal(["shop.example.com:443"]);
    expect(await shown("#findings article")).to.have.length(1);
    expect(await shown("#standing"), "a section with nothing to show").to.deep.equal([]);
    expect(await shown("#shown")).to.deep.equal(["2 of 16 shown"]);
    await search("nothing holds this");
    expect(await shown("article")).to.deep.equal([]);
    expect(await shown("#nothing")).to.deep.equal([
      "Nothing here is of the chosen severities and holds that text.",
    ]);
  });

  it("leads from a finding to its address", async () => {
    await tab.page
      .locator(".finding", { hasText: "tls-raised" })
      .getByRole("link", { name: "before and after" })
      .click();
    expect(await shown("article:target h3")).to.deep.equal(["shop.example.com:443"]);
  });

  it("fits the width of a phone, where drawings go down instead of across", async () => {
    const phone = await browser.open(file, LOOKS.phone);
    expect(await phone.page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(
      LOOKS.phone.viewport.width,
    );
    const box = await phone.page.locator("svg").first().boundingBox();
    expect(box?.height).to.be.greaterThan(box?.width ?? 0);
    await phone.close();
  });

  it("is dark where the reader's screen is", async () => {
    const dark = await browser.open(file, LOOKS.dark);
    const background = (page: Tab["page"]) =>
      page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await background(dark.page)).to.equal("rgb(15, 19, 24)");
    expect(await background(tab.page)).to.equal("rgb(255, 255, 255)");
    await dark.close();
  });

  it("is printed whole, without its filters, whatever is filtered", async () => {
    await search("shop");
    await tab.page.emulateMedia({ media: "print" });
    expect(await shown("#addresses h3")).to.deep.equal(ADDRESSES);
    expect(await shown("#filters")).to.deep.equal([]);
    expect((await tab.page.pdf()).subarray(0, 5).toString()).to.equal("%PDF-");
  });

  it("shows names as they are, whatever is in them", async () => {
    const evil = `<img src=x onerror=alert(1)>"'</script>`;
    const steps = [
      tlsEdge(evil, { before: {}, after: { mutualTls: { enabled: false } } }),
      step("IpPolicy", evil, { after: {} }),
    ];
    const page = await browser.open(folder.write("evil.html", write(review(previewOf(steps)), "html")));
    expect(await page.page.locator("img").count()).to.equal(0);
    expect(await page.page.locator("main").innerText()).to.include("<img src=x onerror=alert(1)>");
    expect([page.requests.length, page.errors]).to.deep.equal([1, []]);
    await page.close();
  });
});
