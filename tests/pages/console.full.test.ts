import type { Page } from "playwright-core";
import { HAS_BROWSER, LOOKS, RealBrowser, type Tab } from "../support/browser";
import { execute } from "../support/databases";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";
import { expectSound, signIn } from "./onConsole";
import { picture } from "./screenshots";
import { type ConsoleWorld, fillForConsole } from "./world";

describe("The console at /console", () => {
  let server: ServerProcess;
  let refusing: StandInServer;
  before(async () => {
    // Refuses events in a way that is tried again, for a day; the test makes a dead letter of one, as that
    // day would.
    refusing = await StandInServer.start((_request, response) =>
      response.writeHead(422).end("this log is not welcome"),
    );
    server = await ServerProcess.start({
      args: ["--event-endpoint", `monitoring_service=${refusing.url}`, "--allow-private-targets"],
    });
  });

  if (!HAS_BROWSER) return void it.skip("skipped: there is no Chromium on this machine");

  describe("in Chromium, on a store of 10,000 objects,", () => {
    let world: ConsoleWorld;
    let browser: RealBrowser;
    let tab: Tab;
    let page: Page;

    before(async () => {
      world = await fillForConsole(server);
      browser = await RealBrowser.start();
      tab = await browser.open(`${server.url}/console`, LOOKS.light);
      page = tab.page;
    });

    const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();

    it("a key is kept in memory only: a reload forgets it", async () => {
      await signIn(page, server.apiKey);
      await heading("Exposure");
      await page.reload();
      await page.getByLabel("API key").waitFor();
      await signIn(page, server.apiKey);
      await heading("Exposure");
      const kept = await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])",
      );
      expect(kept).not.to.contain(server.apiKey);
    });

    it("every address is a row that says who may connect and what is asked, page by page", async () => {
      const row = page.getByRole("row", { name: /^app\.example\.com:443/ });
      await row.waitFor();
      expect(await row.innerText())
        .to.contain("192.0.2.0/24")
        .and.to.contain("client certificate")
        .and.to.contain("shared by weight");
      await picture(page, "console-exposure");
      await page.getByText("100 shown, and there are more").waitFor();
      await page.getByRole("button", { name: "Show more" }).click();
      await page.getByText("200 shown, and there are more").waitFor();
    });

    it("the path to an address is drawn in the order in which a request goes", async () => {
      await page.getByLabel("Find an address").fill("app.example.com:443");
      await page.getByRole("button", { name: "Show its path" }).click();
      await heading("app.example.com:443");
      expect(await page.locator(".path .step").allInnerTexts()).to.deep.equal([
        ...["Clients", "Edge", "Client certificate", "deny, inbound", "Backend", "May be served by"],
      ]);
      await page.locator(".path").getByText("of Partners CA").waitFor();
      await page.getByText("95 %").waitFor();
      await picture(page, "console-path");
    });

    const form = (on: Page) => on.getByRole("region", { name: "Ask about a request" });

    it("asks what happens to a request: the server's decision with its steps, and what the address asks for", async () => {
      const asked = form(page);
      const decision = asked.locator(".decision");
      await asked.getByLabel("From this IP address").fill("198.51.100.7");
      await asked.getByRole("button", { name: "Ask" }).click();
      await decision
        .getByText("Closed: A client certificate is asked for, and the caller has none.")
        .waitFor();
      expect(await asked.getByLabel("Client certificate").locator("option").allInnerTexts()).to.deep.equal([
        ...["none", "of Partners CA", "of another authority"],
      ]);
      await asked.getByLabel("Client certificate").selectOption("of Partners CA");
      await asked.getByLabel("From this IP address").fill("192.0.2.7");
      await asked.getByRole("button", { name: "Ask" }).click();
      await decision.getByText("Answered: It is let in, and goes to its backend.").waitFor();
      expect(await asked.locator(".decision > ol > li > :last-child").allInnerTexts()).to.deep.equal([
        ...["hostports", "tls_termination", "mutual_tls", "ip_restriction", "policies", "backend"],
      ]);
      await decision.getByText("95 %").waitFor();
      await asked.getByRole("heading").evaluate((heading) => heading.scrollIntoView());
      await picture(page, "console-ask");
      // A TLS edge reads no request.
      for (const name of ["Method", "Path", "Token", "Signed in", "User agent"])
        expect(await asked.getByLabel(name).count(), name).to.equal(0);
    });

    it("asks for a path, a token and a session with keys alone", async () => {
      await page.goto(`${server.url}/console#/address/${encodeURIComponent("www.example.com:443/admin")}`);
      await heading("www.example.com:443/admin");
      const asked = form(page);
      expect(await asked.getByLabel("Path").inputValue()).to.equal("/admin");
      await asked.getByLabel("Address", { exact: true }).focus();
      for (const _ of ["Method", "Path", "From"]) await page.keyboard.press("Tab");
      await page.keyboard.type("198.51.100.7");
      await page.keyboard.press("Enter");
      await asked.getByText("Sent to sign in with 302: Users have to sign in with").waitFor();
      for (const _ of ["Certificate", "Token", "User agent", "Signed in"]) await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await asked.getByText("The user is signed in.").waitFor();
      await asked.getByLabel("Path").fill("/");
      await page.keyboard.press("Enter");
      await asked.getByText("Not found with 404: No route takes the path.").waitFor();
    });

    it("shows the server's sentence where a field is wrong, and takes it away with the next answer", async () => {
      const asked = form(page);
      const problem = asked.getByRole("alert");
      await asked.getByLabel("From this IP address").fill("nowhere");
      await page.keyboard.press("Enter");
      await problem.getByText("must be an IP address").waitFor();
      expect(await asked.locator(".decision").innerText()).to.equal("");
      await asked.getByLabel("From this IP address").fill("");
      await page.keyboard.press("Enter");
      await problem.getByText("must not be empty").waitFor();
      tab.errors.splice(0); // the refused requests, which Chromium counts as errors
      await asked.getByLabel("From this IP address").fill("2001:db8::1");
      await page.keyboard.press("Enter");
      await asked.getByText("No route takes the path.").first().waitFor();
      expect(await asked.locator(".problem").textContent()).to.equal("");
    });

    it("an object shows its fields, and a backend the thousands of edges that refer to it", async () => {
      await page.getByRole("link", { name: "Objects" }).click();
      await heading("Objects");
      await page.getByRole("link", { name: "Tunnel-group backends" }).click();
      await page.getByRole("link", { name: "blue", exact: true }).click();
      await heading("Tunnel-group backend blue");
      await page.getByText("service").first().waitFor();
      await page
        .getByRole("region", { name: "Objects that refer to blue" })
        .getByText("backend.backend_id")
        .first()
        .waitFor();
      await page.getByText("100 shown, and there are more").waitFor();
      await picture(page, "console-object");
    });

    it("dead letters are counted, and each says what the service answered", async () => {
      await page.getByRole("link", { name: "Deliveries" }).click();
      await heading("Deliveries");
      await untilDead();
      await page.reload();
      await signIn(page, server.apiKey);
      await page.getByRole("link", { name: "our audit trail" }).click();
      await page.getByText("this log is not welcome").waitFor();
      await picture(page, "console-deliveries");
      await page.getByRole("link", { name: "Delivered", exact: true }).click();
      await page.getByText("There are none of these.").waitFor();
    });

    it("the audit log and the gateways are there, newest change and rejected edges first", async () => {
      await page.getByRole("link", { name: "Audit log" }).click();
      await heading("Audit log");
      await page.getByText("API key created").first().waitFor();
      await picture(page, "console-audit");
      await page.getByRole("link", { name: "Gateways" }).click();
      await page.getByRole("link", { name: "berlin-1" }).click();
      await heading("Gateway berlin-1");
      expect(
        await page
          .getByRole("region", { name: "Edges, rejected ones first" })
          .getByRole("row")
          .nth(1)
          .innerText(),
      ).to.contain("rejected");
      await picture(page, "console-gateway");
    });

    it("works with keys alone: Tab reaches the sections, Enter opens one, and its heading has the focus", async () => {
      await page.goto(`${server.url}/console#/audit`);
      await heading("Audit log");
      await page.locator(".skip").focus();
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement?.textContent")).to.equal("Exposure");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await heading("Guarantees");
      await page.waitForFunction("document.activeElement?.tagName === 'H1'");
      expect(await page.getByRole("link", { name: "Guarantees" }).getAttribute("aria-current")).to.equal(
        "page",
      );
    });

    for (const [look, options] of Object.entries(LOOKS))
      it(`every page breaks no rule of axe, whatever is opened on it, and never has to be scrolled sideways (${look})`, async () => {
        const seen = await browser.open(`${server.url}/console`, options);
        await signIn(seen.page, server.apiKey);
        const press = (name: string | RegExp) => seen.page.getByRole("button", { name }).first().click();
        const opened: Record<string, () => Promise<void>> = {
          exposure: async () => {},
          "address/app.example.com%3A443": async () => {
            if (look !== "light") await picture(seen.page, `console-path-${look}`);
            await form(seen.page).getByLabel("From this IP address").fill("198.51.100.7");
            await press("Ask");
            await form(seen.page).getByText("Closed:").waitFor();
          },
          guarantees: async () => {
            if (look === "light") await picture(seen.page, "console-guarantees");
            await seen.page.getByText("The way of this request").first().click();
          },
          "objects/tls_edge": async () => {},
          [`object/edges/tls/${world.edge}`]: async () => {},
          [`object/edges/tls/${world.edge}/ip_restriction`]: async () => {},
          [`object/${world.route}`]: async () => {},
          "object/edges/nothing": async () => {},
          audit: () => press("the new object"),
          "gateway/berlin-1": async () => {},
          tunnels: async () => {},
          endpoints: async () => {},
          agents: async () => {
            await press("Stop the session of build farm");
            await seen.page.getByRole("dialog").waitFor();
          },
          me: async () => {},
        };
        for (const [where, open] of Object.entries(opened)) {
          await seen.page.goto(`${server.url}/console#/${where}`);
          await seen.page.locator("main:not([aria-busy]) h1").waitFor();
          await open();
          await expectSound(seen.page, `${look} ${where}`);
          await seen.page.keyboard.press("Escape");
        }
        await seen.close();
      });

    it("shows a member what members may see, and nothing of admins", async () => {
      const { page: other } = await browser.open(`${server.url}/console`, LOOKS.light);
      await signIn(other, world.member);
      await other.getByRole("heading", { level: 1, name: "Exposure" }).waitFor();
      expect(await other.locator("header nav a").allInnerTexts()).to.deep.equal([
        "Exposure",
        "Guarantees",
        "Objects",
        "Gateways",
        "Agents",
      ]);
    });

    it("says whose key it is, with role and scopes, and shows a viewer deliveries, but not the audit log", async () => {
      const rest = new Rest(server.url, server.apiKey);
      const bot = (await rest.post("/bot_users", { name: "reviews", role: "viewer" })).body;
      const scopes = ["read", "tls_edge:write"];
      const key = (await rest.post("/api_keys", { owner_id: bot.id, scopes })).body.token;
      const { page: other } = await browser.open(`${server.url}/console`, LOOKS.light);
      await signIn(other, key);
      await other.getByText("reviews (viewer; scopes: read, tls_edge:write)").waitFor();
      expect(await other.locator("header nav a").allInnerTexts())
        .to.include("Deliveries")
        .and.not.to.include("Audit log");
    });

    it("shows one project at a time, which its address keeps over a reload, and no switch to a key of one project", async () => {
      const rest = new Rest(server.url, server.apiKey);
      const inShop = { "tunnelplane-project": "shop" };
      await rest.post("/projects", { name: "shop" });
      await rest.post("/backends/static", { address: "shop.example.com:80" }, inShop);
      const { page: other } = await browser.open(`${server.url}/console#/objects/ip_policy`, LOOKS.light);
      const project = other.getByLabel("Project", { exact: true });
      const title = (name: string) => other.getByRole("heading", { level: 1, name }).waitFor();
      await signIn(other, server.apiKey);
      await title("Objects");
      expect(await project.inputValue()).to.equal("default");
      await project.selectOption("shop");
      await title("Objects");
      const address = other.url();
      expect(address).to.contain("?project=shop#/objects");
      await other.goto(`${address}/static_backend`);
      await other.reload();
      await signIn(other, server.apiKey);
      await other.getByText("shop.example.com:80").waitFor();
      await other.getByText("1 in all").waitFor();
      expect(await project.inputValue()).to.equal("shop");
      await other.getByRole("link", { name: "admin (admin)" }).click();
      await title("Who I am");
      const roles = other.getByRole("region", { name: "Roles in projects" });
      for (const name of ["default admin", "shop admin"]) await roles.getByRole("row", { name }).waitFor();
      const bot = (await rest.post("/bot_users", { name: "deploys" }, inShop)).body;
      const key = (await rest.post("/api_keys", { owner_id: bot.id }, inShop)).body.token;
      await other.goto(`${server.url}/console?project=default`);
      await signIn(other, key);
      await other.getByText("deploys (member)").waitFor();
      expect(await project.count()).to.equal(0);
      expect(other.url()).not.to.contain("project=");
    });

    it("asks no other server for anything, and no script or policy complained", () => {
      expect(
        tab.requests.filter((address) => !address.startsWith(server.url) && !address.startsWith("data:")),
      ).to.deep.equal([]);
      expect(tab.errors).to.deep.equal([]);
    });

    async function untilDead(): Promise<void> {
      const rest = new Rest(server.url, server.apiKey);
      const isRefused = async () =>
        (await rest.get(`/event_destinations/${world.destination}/deliveries`)).body.deliveries.some(
          ({ last_error }: { last_error: string | null }) => last_error !== null,
        );
      while (!(await isRefused())) await new Promise((resolve) => setTimeout(resolve, 50));
      await execute(server.data, "update delivery set status = 'dead'");
    }
  });
});
