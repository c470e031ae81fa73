import { newId } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { HAS_BROWSER, LOOKS, RealBrowser } from "../support/browser";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";
import { violationsOn } from "./axe";
import { picture } from "./screenshots";

const SINCE = "2026-11-27T08:00:00Z";
const IP = "192.0.2.9";

(HAS_BROWSER ? describe : describe.skip)("The console's page of agents, in Chromium,", () => {
  let server: ServerProcess;
  let browser: RealBrowser;
  let keys: { member: string; viewer: string };
  /** The sessions of the admin's agent and of the member's. */
  let [adminSession, ownSession] = ["", ""];

  before(async () => {
    server = await ServerProcess.start();
    browser = await RealBrowser.start();
    const rest = new Rest(server.url, server.apiKey);
    const edge = (await rest.post("/edges/https", { hostports: ["app.example.com:443"] })).body;
    const keyOf = async (name: string, role: string) => {
      const { id } = (await rest.post("/bot_users", { name, role })).body;
      return (await rest.post("/api_keys", { owner_id: id })).body.token as string;
    };
    keys = { member: await keyOf("ada", "member"), viewer: await keyOf("eve", "viewer") };
    const farm = (await rest.post("/credentials", { description: "build farm" })).body;
    const own = (await new Rest(server.url, keys.member).post("/credentials", { description: "laptop" }))
      .body;
    [adminSession, ownSession] = [newId("ts"), newId("ts")];
    const labels = ["bind:service=web", "bind:color=blue"];
    const { status, text } = await rest.put("/gateways/berlin-1/status", {
      sequence: 1,
      edges: [{ id: edge.id, state: "applied" }],
      agents: [
        ...[
          { session: adminSession, credential: farm.id, bind: ["bind:app.example.com:443"] },
          { session: ownSession, credential: own.id, bind: labels, binds: [labels] },
        ].map((one) => ({ address: IP, since: SINCE, client: "SSH-2.0-OpenSSH_9.9", ...one })),
      ],
    });
    expect(status, text).to.equal(204);
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  /** The page, as the holder of a key sees it. */
  async function opened(key: string, look: keyof typeof LOOKS = "light"): Promise<Page> {
    const { page } = await browser.open(`${server.url}/console#/agents`, LOOKS[look]);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    return page;
  }
  const region = (page: Page, name: string) => page.getByRole("region", { name });

  for (const look of Object.keys(LOOKS) as (keyof typeof LOOKS)[])
    it(`shows sessions, what they bind, and what is served, soundly (${look})`, async () => {
      const page = await opened(server.apiKey, look);
      const sessions = await region(page, "Sessions of agents").innerText();
      for (const text of [adminSession, ownSession, IP, "SSH-2.0-OpenSSH_9.9"])
        expect(sessions).to.contain(text);
      const bound = await region(page, "What agents bind").innerText();
      expect(bound).to.contain("https://app.example.com").and.to.contain("service=web, color=blue");
      const served = region(page, "Hostports that gateways serve").getByRole("link", {
        name: "https://app.example.com",
      });
      expect(await served.getAttribute("href")).to.equal("#/address/app.example.com%3A443");
      expect(await violationsOn(page)).to.deep.equal([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).to.equal(true);
      if (look === "light") await picture(page, "console-agents");
    });

  it("shows a member the sessions of their own credentials, and ends one of them", async () => {
    const page = await opened(keys.member);
    const sessions = region(page, "Sessions of agents");
    expect(await sessions.innerText())
      .to.contain(ownSession)
      .and.not.to.contain(adminSession);
    await sessions.getByRole("button", { name: `Stop the session ${ownSession}` }).click();
    await sessions.getByText("stopped").waitFor();
    const { status } = await new Rest(server.url, keys.member).get(`/tunnel_sessions/${ownSession}`);
    expect(status).to.equal(404);
  });

  it("has no buttons for viewers", async () => {
    const page = await opened(keys.viewer);
    expect(await region(page, "Sessions of agents").innerText()).to.contain(adminSession);
    expect(await page.getByRole("button", { name: /the session ts_/ }).count()).to.equal(0);
  });

  it("says why where the server refuses to end a session, and lets one try again", async () => {
    const page = await opened(server.apiKey);
    const stop = page.getByRole("button", { name: `Restart the session ${adminSession}` });
    const other = newId("ts");
    await page.route(`**/tunnel_sessions/${adminSession}/restart`, (route) =>
      route.continue({ url: route.request().url().replace(adminSession, other) }),
    );
    await stop.click();
    await page.getByRole("alert").getByText("There is no tunnel session").waitFor();
    expect(await stop.isEnabled()).to.equal(true);
  });
});
