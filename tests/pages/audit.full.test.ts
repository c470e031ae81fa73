import { expect } from "chai";
import type { Page } from "playwright-core";
import { HAS_BROWSER } from "../support/browser";
import { Rest } from "../support/rest";
import { OnConsole, violationsOn } from "./onConsole";

(HAS_BROWSER ? describe : describe.skip)("Changes in the console, in Chromium,", () => {
  let on: OnConsole;
  let page: Page;
  let policy: string;

  before(async () => {
    on = await OnConsole.start();
    const made = on.create.bind(on);
    const bot = await made("/bot_users", { name: "builder" });
    const { token } = await made("/api_keys", { owner_id: bot.id });
    const builder = new Rest(on.server.url, token as string);
    policy = (await made("/ip_policies", { description: "our offices" })).id;
    await builder.patch(`/ip_policies/${policy}`, { description: "all offices", metadata: "v2" });
    const edge = (await made("/edges/tls", { description: "door", hostports: ["door.example.com:443"] })).id;
    const { id: backend } = await made("/backends/static", { address: "192.0.2.9:80" });
    await builder.patch(`/edges/tls/${edge}`, { backend: { backend_id: backend } });
    await made("/event_destinations", {
      description: "our audit trail",
      target: { monitoring_service: { api_key: "a key never shown in a console", service: "tunnels" } },
    });
    await made("/guarantees", {
      description: "nobody enters by the door",
      expect: "refused",
      addresses: ["door.example.com:443"],
      mode: "report",
    });
    ({ page } = await on.open("audit"));
  });
  after(() => on.stop());

  const filters = () => page.getByRole("search", { name: "Filter the audit log" });
  /** Asks for what is chosen, and waits until another page stands in the place of this one. */
  const show = async (): Promise<void> => {
    const before = await page.locator("main h1").elementHandle();
    await filters().getByRole("button", { name: "Show" }).click();
    await before?.waitForElementState("hidden");
  };
  const rows = () => page.getByRole("region", { name: "The audit log" }).getByRole("row");

  it("the audit log is filtered by who made a change, its kind and what it did; the address keeps that", async () => {
    await filters().getByLabel("By").fill("builder");
    await show();
    await page.getByText("2 in all").waitFor();
    await filters().getByLabel("Kind").selectOption("IP policy");
    await filters().getByLabel("Change").selectOption("updated");
    await show();
    await page.getByText("1 in all").waitFor();
    expect(page.url()).to.contain("principal=builder").and.to.contain("kind=ip_policy");
    expect(await rows().nth(1).innerText())
      .to.contain("IP policy updated")
      .and.to.contain("builder");
    await filters().getByLabel("Change").selectOption("deleted");
    await show();
    await page.getByText("No row is like that.").waitFor();
    await page.goBack();
    await page.getByText("1 in all").waitFor();
    expect(await filters().getByLabel("Kind").inputValue()).to.equal("ip_policy");
  });

  it("a row opens to show each field before and after the change", async () => {
    await rows().getByRole("button", { name: "description, metadata" }).click();
    const lines = page.locator(".lines");
    await lines.getByText("all offices").waitFor();
    expect((await lines.innerText()).replace(/\s+/g, " ")).to.match(
      /description before: our offices → after: all offices metadata before: empty → after: v2/,
    );
    expect(await violationsOn(page)).to.deep.equal([]);
    await rows().getByRole("button", { name: "description, metadata" }).click();
    expect(await lines.count()).to.equal(0);
  });

  it("a new object's row shows what it held, but no secret", async () => {
    await page.goto(on.at(`audit/kind=event_destination`));
    await page.getByText("1 in all").waitFor();
    await rows().getByRole("button", { name: "the new object" }).click();
    await page.getByText("target.monitoring_service.service").waitFor();
    await page.getByText("secret, not shown").waitFor();
    expect(await page.content()).not.to.contain("never shown");
  });

  it("the audit log is filtered by an object and a time", async () => {
    await page.goto(on.at(`audit/object_id=${policy}`));
    await page.getByText("2 in all").waitFor();
    await filters().getByLabel("Time").selectOption("Last hour");
    await show();
    await page.waitForURL(/time=1h/);
    await page.getByText("2 in all").waitFor();
    await filters().getByLabel("Time").selectOption("Between …");
    await filters().getByLabel("From").fill("2001-02-03T04:05:06");
    await filters().getByLabel("To", { exact: true }).fill("2001-02-03T04:05:07");
    await show();
    await page.getByText("No row is like that.").waitFor();
    await filters().getByLabel("To", { exact: true }).fill("2000-02-03T04:05:07");
    await show();
    await page.getByRole("alert").getByText("from must not be later than to").waitFor();
  });

  it("a broken guarantee shows the caller, how it gets through, and who changed that last", async () => {
    await page.goto(on.at(`guarantees`));
    await page.getByText("1 in all: 1 broken").waitFor();
    const row = page.getByRole("row", { name: "nobody enters by the door" });
    expect(await row.innerText()).to.match(
      /door\.example\.com:443 from [\d.]+, without certificate, token or session/,
    );
    await row.getByText("The way of this request").click();
    await row.getByRole("link", { name: "door" }).first().waitFor();
    await row.getByText("Who changed this last").click();
    await row.getByText("TLS edge updated").waitFor();
    expect(await row.innerText()).to.match(/builder, .*: TLS edge updated/);
    expect(await violationsOn(page)).to.deep.equal([]);
  });
});
