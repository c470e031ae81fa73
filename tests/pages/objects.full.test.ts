import type { Page } from "playwright-core";
import type { Json } from "../support/api/expect";
import { HAS_BROWSER, type Tab } from "../support/browser";
import { Rest } from "../support/rest";
import { OnConsole } from "./onConsole";

(HAS_BROWSER ? describe : describe.skip)("Edges and their changes in the console, in Chromium,", () => {
  let on: OnConsole;
  let tab: Tab;
  let page: Page;
  const made = { edge: "", route: "", backend: "", site: "", policy: "" };

  before(async () => {
    on = await OnConsole.start();
    const create = async (path: string, body: Json) => (await on.create(path, body)).id;
    made.policy = await create("/ip_policies", { description: "our offices" });
    await create("/ip_policy_rules", { ip_policy_id: made.policy, cidr: "192.0.2.0/24", action: "allow" });
    const bot = await create("/bot_users", { name: "builder" });
    const { token } = await on.create("/api_keys", { owner_id: bot });
    const builder = new Rest(on.server.url, token as string);
    await builder.patch(`/ip_policies/${made.policy}`, { description: "all offices", metadata: "v2" });
    made.backend = await create("/backends/tunnel_group", { description: "blue", labels: { color: "blue" } });
    made.edge = await create("/edges/tls", {
      hostports: ["door.example.com:443"],
      backend: { backend_id: made.backend },
      ip_restriction: { ip_policy_ids: [made.policy] },
    });
    await builder.patch(`/edges/tls/${made.edge}`, { metadata: "v2" });
    made.site = await create("/edges/https", { description: "site", hostports: ["www.example.com:443"] });
    const at = `/edges/https/${made.site}/routes`;
    made.route = await create(at, {
      match_type: "path_prefix",
      match: "/admin",
      description: "admins",
      backend: { backend_id: made.backend },
      oidc: {
        issuer: "https://id.example.com",
        client_id: "site",
        client_secret: "never shown in a console",
        scopes: ["openid"],
      },
    });
    await create(at, { match_type: "exact_path", match: "/health" });
    await create("/event_destinations", {
      target: { monitoring_service: { api_key: "never shown in a console", service: "tunnels" } },
    });
    await create("/guarantees", {
      ...{ description: "nobody enters by the door", expect: "refused" },
      ...{ addresses: ["door.example.com:443"], mode: "report" },
    });
    const credential = await create("/credentials", { description: "build farm" });
    await on.rest.put("/gateways/berlin-1/status", {
      edges: [{ id: made.edge, state: "applied" }],
      agents: [
        {
          ...{ credential, bind: ["bind:color=blue"], address: "198.51.100.7" },
          since: "2026-01-02T03:04:05Z",
        },
      ],
    });
    tab = await on.open();
    page = tab.page;
  });

  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().click();
  const open = (where: string) => page.goto(on.at(where.slice(1)));
  const at = () => new URL(page.url()).hash;

  it("an edge leads to its routes, a route to its modules and its addresses, and each leads back", async () => {
    await open(`/object/edges/https/${made.site}`);
    await heading("HTTPS edge site");
    const routes = page.getByRole("region", { name: "Routes of the edge" });
    expect(await routes.getByRole("row", { name: "/admin" }).innerText())
      .to.contain("all paths that begin with it")
      .and.to.contain("admins")
      .and.to.contain(made.route);
    expect(await routes.getByRole("row", { name: "/health" }).innerText()).to.contain("this path alone");
    await follow("/admin");
    await heading("HTTPS edge route admins");
    const route = `#/object/edges/https/${made.site}/routes/${made.route}`;
    expect(at()).to.equal(route);
    await follow("oidc");
    await heading("oidc of admins");
    expect(at()).to.equal(`${route}/oidc`);
    expect(await page.locator("main").innerText())
      .to.contain("https://id.example.com")
      .and.to.contain("secret, not shown")
      .and.not.to.contain("never shown");
    await follow("admins");
    await heading("HTTPS edge route admins");
    await follow("www.example.com:443/admin");
    await heading("www.example.com:443/admin");
    await follow("admins");
    await heading("HTTPS edge route admins");
    await follow("site");
    await heading("HTTPS edge site");
  });

  it("says of each module whether it is on and what it does, and which one is not set", async () => {
    await open(`/object/edges/tls/${made.edge}`);
    await heading("TLS edge door.example.com:443");
    const modules = page.getByRole("region", { name: "Modules of door.example.com:443" });
    expect(await modules.getByRole("row", { name: "ip_restriction" }).innerText())
      .to.contain("on")
      .and.to.contain(made.policy);
    expect(await modules.getByRole("row", { name: "mutual_tls" }).innerText())
      .to.contain("not set")
      .and.to.contain("Requires client certificates");
    await open(`/object/edges/tls/${made.edge}/mutual_tls`);
    await heading("mutual_tls of door.example.com:443");
    await page.getByText("not set in the TLS edge").waitFor();
  });

  it("a list has the name of each object first, and its id second", async () => {
    await open("/objects/tunnel_group_backend");
    const row = page.getByRole("row", { name: /^blue/ });
    expect((await row.innerText()).split(/\s+/).slice(0, 3)).to.deep.equal([
      ...["blue", made.backend, "color=blue"],
    ]);
  });

  it("the page of an address says which gateway serves it, which agent is there and since when, and takes a question", async () => {
    await open("/address/door.example.com%3A443");
    const serving = page.getByRole("region", { name: "Gateways and agents of door.example.com:443" });
    await serving.getByText("berlin-1 serves it, and an agent is there, since").waitFor();
    expect(
      await serving.locator("time").evaluateAll((all) => all.map((one) => one.getAttribute("datetime"))),
    ).to.include("2026-01-02T03:04:05Z");
    expect(await serving.getByRole("row", { name: "berlin-1" }).innerText())
      .to.contain("build farm")
      .and.to.contain("from 198.51.100.7");
    const asked = page.getByRole("region", { name: "Ask about a request" });
    expect(await asked.getByLabel("Address", { exact: true }).inputValue()).to.equal("door.example.com:443");
    await asked.getByLabel("From this IP address").fill("203.0.113.9");
    await page.keyboard.press("Enter");
    await asked.getByRole("link", { name: "ip_restriction" }).click();
    await heading("ip_restriction of door.example.com:443");
  });

  it("the page of an address that no gateway serves says what to do", async () => {
    await open("/address/www.example.com%3A443%2Fadmin");
    await page.getByText("No gateway has reported its edge").waitFor();
    await page.getByText("tunnelplane-gateway run").waitFor();
  });

  const filters = () => page.getByRole("search", { name: "Filter the audit log" });
  /** Asks for what is chosen, and waits until another page stands in the place of this one. */
  const show = async (): Promise<void> => {
    const before = await page.locator("main h1").elementHandle();
    await filters().getByRole("button", { name: "Show" }).click();
    await before?.waitForElementState("hidden");
  };
  const rows = () => page.getByRole("region", { name: "The audit log" }).getByRole("row");

  it("the audit log is filtered by who made a change, its kind and what it did; the address keeps that", async () => {
    await open("/audit");
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
    await page.goto(on.at(`audit/object_id=${made.policy}`));
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
    tab.errors.splice(0); // the refused filter, which Chromium counts as an error
  });

  it("a broken guarantee shows the caller, how it gets through, and who changed that last", async () => {
    await page.goto(on.at(`guarantees`));
    await page.getByText("1 in all: 1 broken").waitFor();
    const row = page.getByRole("row", { name: "nobody enters by the door" });
    expect(await row.innerText())
      .to.contain("broken")
      .and.to.contain("reported only")
      .and.to.match(/door\.example\.com:443 from [\d.]+, without certificate, token or session/);
    await row.getByText("The way of this request").click();
    await row.getByRole("link", { name: "door" }).first().waitFor();
    await row.getByText("Who changed this last").click();
    await row.getByText("TLS edge updated").waitFor();
    expect(await row.innerText()).to.match(/builder, .*: TLS edge updated/);
  });

  it("had no error of a script or of the policy for browsers", () => expect(tab.errors).to.deep.equal([]));
});
