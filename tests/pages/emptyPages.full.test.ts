import type { Page } from "playwright-core";
import { HAS_BROWSER, LOOKS } from "../support/browser";
import { expectSound, OnConsole, signIn, violationsOn } from "./onConsole";

const WIDTHS = {
  phone: LOOKS.phone,
  1440: { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  1920: { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" },
} as const;
/** Each page of a new server, and words of what it says to do next. */
const PAGES: Readonly<Record<string, string>> = {
  exposure: "new tunnels.TlsEdge",
  "address/app.example.com%3A443": "Nothing is served at this address.",
  guarantees: "new tunnels.Guarantee",
  "objects/ip_policy": "new tunnels.IpPolicy",
  deliveries: "new tunnels.EventDestination",
  gateways: "tunnelplane-gateway run",
  agents: "An agent is stock OpenSSH",
  tunnels: "No agent is connected.",
  endpoints: "No gateway serves a hostport now.",
  audit: "Rows are only ever added",
  "audit/kind=guarantee": "Take a filter away",
  sessions: "People sign in where the server has an identity provider",
  me: "Roles in projects",
  "object/edges/tls/edgtls_000000000000000000000000000": "There is no TLS edge",
};

(HAS_BROWSER ? describe : describe.skip)("A console that has nothing to show, in Chromium,", () => {
  let on: OnConsole;
  before(async () => {
    on = await OnConsole.start();
  });

  for (const [look, options] of Object.entries(WIDTHS)) {
    it(`says on each page what to do next, soundly and without anything to scroll sideways (${look})`, async () => {
      const { page, close } = await on.browser.open(on.at(""), options);
      await page.getByLabel("API key").waitFor();
      expect(await violationsOn(page), "signing in").to.deep.equal([]);
      await signIn(page, on.server.apiKey);
      for (const [where, words] of Object.entries(PAGES)) {
        await page.goto(on.at(where));
        await page.locator("main").getByText(words).first().waitFor();
        await expectSound(page, where);
        expect(
          await page.evaluate("document.querySelector('main').clientWidth / innerWidth"),
          where,
        ).to.be.above(0.95);
      }
      await close();
    });
  }

  describe("shows an error as the server says it, with what to do:", () => {
    let page: Page;
    before(async () => {
      ({ page } = await on.browser.open(on.at(""), LOOKS.light));
    });

    const alert = () => page.getByRole("alert");
    const alertOf = async (...words: string[]) => {
      for (const one of words) await alert().getByText(one).first().waitFor();
      expect(await violationsOn(page)).to.deep.equal([]);
    };
    /** Answers what a page asks for in the place of the server. */
    const answering = (status: number, headers: Record<string, string>, body: string) =>
      page.route("**/guarantees?*", (route) => route.fulfill({ status, headers, body }));
    const open = (section: string) =>
      page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: section }).click();
    /** The page is there as soon as the server answers again. */
    const again = async () => {
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("No guarantee is declared yet.").waitFor();
      await open("Exposure");
      await page.getByRole("heading", { level: 1, name: "Exposure" }).waitFor();
    };

    it("a key that is not known", async () => {
      await signIn(page, "tpk_wrong");
      await alertOf("This API key is not known here", "A deleted key does not come back", "TP_1101");
      await signIn(page, on.server.apiKey);
      await page.getByRole("heading", { level: 1, name: "Exposure" }).waitFor();
    });

    it("an object that does not exist, with the id under which the log has the request", async () => {
      await page.goto(on.at("object/ip_policies/ipp_000000000000000000000000000"));
      await page.getByRole("heading", { level: 1, name: "There is nothing here" }).waitFor();
      await alertOf("There is no IP policy", "Correct the id.", "TP_1300");
      expect(await alert().innerText()).to.match(/op_\w{27}/);
      await page.goto(on.at("exposure"));
      await page.getByRole("heading", { level: 1, name: "Exposure" }).waitFor();
    });

    it("a server that does not answer", async () => {
      await page.route("**/guarantees?*", (route) => route.abort());
      await open("Guarantees");
      await page.getByRole("heading", { level: 1, name: "The server does not answer" }).waitFor();
      await alertOf("check that the server runs");
      await again();
    });

    it("too many requests, and when the next one is taken", async () => {
      const body = { error_code: "TP_1700", status_code: 429, msg: "Too many requests", details: {} };
      await answering(429, { "retry-after": "7" }, JSON.stringify(body));
      await open("Guarantees");
      await page.getByRole("heading", { level: 1, name: "Too many requests" }).waitFor();
      await alertOf("The server takes requests of yours again in 7 s.");
      await again();
    });

    it("a fault of the server, and of a proxy before it", async () => {
      const body = {
        ...{ error_code: "TP_1800", status_code: 500, msg: "It failed" },
        details: { operation_id: "op_7" },
      };
      await answering(500, {}, JSON.stringify(body));
      await open("Guarantees");
      await page.getByRole("heading", { level: 1, name: "The server failed" }).waitFor();
      await alertOf("It failed", "op_7");
      await again();
      await answering(502, {}, "<html>");
      await open("Guarantees");
      await alertOf("The server, or a proxy before it, answers 502");
      await again();
    });

    it("what the role or the scopes of a key do not allow, and whose key it is", async () => {
      const bot = await on.create("/bot_users", { name: "builder" });
      const scopes = ["ip_policy:read"];
      const { token } = await on.create("/api_keys", { owner_id: bot.id, scopes });
      const other = await on.open("exposure", token as string);
      await other.page.getByRole("heading", { level: 1, name: "You may not see this" }).waitFor();
      const said = other.page.locator("main").getByRole("alert");
      await said.getByText("it lacks the scope").waitFor();
      await said.getByText("You are builder (member; scopes: ip_policy:read)").waitFor();
      await other.page.goto(on.at("audit"));
      await said.getByText("Only admins may see the audit log; the role of this API key is member").waitFor();
      await other.close();
    });
  });
});
