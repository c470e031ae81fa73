import type { Page } from "playwright-core";
import type { Json } from "../support/api/expect";
import { HAS_BROWSER, type Tab } from "../support/browser";
import { expectSound, OnConsole } from "./onConsole";
import { picture } from "./screenshots";

(HAS_BROWSER ? describe : describe.skip)("The search of the console, in Chromium,", () => {
  let on: OnConsole;
  let tab: Tab;
  let page: Page;
  const made = { edge: "", site: "", route: "", policy: "", rule: "" };

  before(async () => {
    on = await OnConsole.start();
    const create = async (path: string, body: Json, name: string) =>
      (await on.create(path, body, on.rest, name)).id;
    made.policy = await create("/ip_policies", { description: "our offices" }, "offices");
    made.rule = await create(
      "/ip_policy_rules",
      { ip_policy_id: made.policy, cidr: "192.0.2.0/24", action: "allow" },
      "berlin",
    );
    made.edge = await create(
      "/edges/tls",
      { hostports: ["door.example.com:443"], ip_restriction: { ip_policy_ids: [made.policy] } },
      "partners-door",
    );
    made.site = await create("/edges/https", { hostports: ["www.example.com:443"] }, "site");
    made.route = await create(
      `/edges/https/${made.site}/routes`,
      { ...{ match_type: "path_prefix", match: "/admin" }, user_agent_filter: { deny: ["^harvester/"] } },
      "admins",
    );
    tab = await on.open();
    page = tab.page;
  });

  const field = (on = page) => on.getByRole("combobox", { name: "Search" });
  const options = (on = page) => on.getByRole("option");
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const hasFocus = (of: string) => page.waitForFunction(`document.activeElement?.matches("${of}")`);

  it("opens with / from anywhere, but not where one types", async () => {
    await page.keyboard.press("/");
    await hasFocus("#search");
    await page.keyboard.type("10/8");
    expect(await field().inputValue()).to.equal("10/8");
    await field().fill("");
    await page.getByLabel("Find an address").fill("");
    await page.keyboard.type("/x");
    expect(await page.getByLabel("Find an address").inputValue()).to.equal("/x");
  });

  it("shows as one types what fits: its type and name first, then its id and the text that was found", async () => {
    await field().fill("oor.exam");
    await options().first().waitFor();
    expect((await options().allInnerTexts()).map((text) => text.split("\n"))).to.deep.equal([
      ["TLS edge", "partners-door", made.edge, "hostports: door.example.com:443"],
    ]);
    await page.getByText("1 found").waitFor();
    expect(await field().getAttribute("aria-expanded")).to.equal("true");
    await picture(page, "console-search");
  });

  it("arrow keys choose a result, Enter opens it, and its page has the focus", async () => {
    await field().fill("example.com");
    await page.getByText("2 found").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = page.getByRole("option", { selected: true });
    expect(await field().getAttribute("aria-activedescendant")).to.equal(await chosen.getAttribute("id"));
    expect(await chosen.count()).to.equal(1);
    const isDoor = (await chosen.innerText()).includes("partners-door");
    await page.keyboard.press("Enter");
    await heading(isDoor ? "TLS edge partners-door" : "HTTPS edge site");
    await hasFocus("h1");
    expect(await field().inputValue()).to.equal("");
    expect(await options().count()).to.equal(0);
  });

  it("Enter at once opens the best as soon as it is found, also where it is a route, a module or a rule", async () => {
    for (const [text, title] of [
      ["/admin", "HTTPS edge route admins"],
      ["harvester", "user_agent_filter of admins"],
      ["192.0.2.77", "IP policy rule berlin"],
      [made.policy.slice(-12), "IP policy offices"],
    ] as const) {
      await page.keyboard.press("/");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await heading(title);
    }
  });

  it("Escape closes the list, and then goes back to where one was", async () => {
    await page.getByRole("link", { name: "Guarantees", exact: true }).focus();
    await page.keyboard.press("/");
    await page.keyboard.type("site");
    await options().first().waitFor();
    await page.keyboard.press("Escape");
    expect(await options().first().isVisible()).to.equal(false);
    await hasFocus("#search");
    await page.keyboard.press("Escape");
    await hasFocus("a[href='#/guarantees']");
  });

  it("a click opens a result", async () => {
    await field().fill("offices");
    await options().filter({ hasText: "IP policy" }).first().click();
    await heading("IP policy offices");
  });

  it("an older answer that comes late never replaces a later one", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/search\?q=door/, async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/search\?q=door/);
    await field().fill("door");
    await asked;
    await field().fill("/admin");
    await options().filter({ hasText: "admins" }).waitFor();
    const late = page.waitForResponse(/\/search\?q=door/);
    release();
    await (await late).finished();
    expect(await options().filter({ hasText: "partners-door" }).count()).to.equal(0);
    expect(await options().filter({ hasText: "admins" }).count()).to.equal(1);
    await page.unroute(/\/search\?q=door/);
  });

  it("says that nothing fits, and shows the server's sentence with its cure where it refuses", async () => {
    await field().fill("nothing has this");
    await page.getByText("Nothing that you may see has “nothing has this” in it.").waitFor();
    await field().fill("a\u0001b");
    await page.locator(".search").getByText("q must hold no control characters").waitFor();
    tab.errors.splice(0); // the refused request, which Chromium counts as an error
    await field().fill("");
  });

  it("stays in the window, in light, in dark and on a phone, and breaks no rule of axe", async () => {
    for (const look of ["light", "dark", "phone"] as const) {
      const seen = await on.open("exposure", on.server.apiKey, look);
      await field(seen.page).fill("example");
      await options(seen.page).first().waitFor();
      await seen.page.keyboard.press("ArrowDown");
      await expectSound(seen.page, look);
      const isInside = "document.querySelector('.panel').getBoundingClientRect().right <= innerWidth";
      expect(await seen.page.evaluate(isInside), look).to.equal(true);
      await seen.close();
    }
  });

  it("had no error of a script or of the policy for browsers", () => expect(tab.errors).to.deep.equal([]));
});
