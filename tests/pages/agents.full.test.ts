import { newId } from "@tunnelplane/sdk/contract";
import type { Page } from "playwright-core";
import { HAS_BROWSER } from "../support/browser";
import { Rest } from "../support/rest";
import { OnConsole } from "./onConsole";
import { picture } from "./screenshots";

const IP = "203.0.113.7";
/** What an agent may call itself, and bind. */
const MARKUP = "<img src=x onerror=alert(1)>";

(HAS_BROWSER ? describe : describe.skip)("Agents in the console, in Chromium,", () => {
  let on: OnConsole;
  const made = { farm: "", laptop: "", member: "", viewer: "", reader: "", edge: "" };

  before(async () => {
    on = await OnConsole.start();
    const create = on.create.bind(on);
    const keyOf = async (owner_id: string, scopes: string[] = []): Promise<string> =>
      String((await create("/api_keys", { owner_id, scopes })).token);
    const ada = (await create("/bot_users", { name: "ada" })).id;
    made.member = await keyOf(ada);
    made.reader = await keyOf(ada, ["read"]);
    made.viewer = await keyOf((await create("/bot_users", { name: "reviews", role: "viewer" })).id);
    made.farm = (await create("/credentials", { description: "build farm" })).id;
    const adas = new Rest(on.server.url, made.member);
    made.laptop = (await create("/credentials", { description: "Ada's laptop" }, adas)).id;
    await create("/backends/tunnel_group", { description: "blue ones", labels: { color: "blue" } });
    const shop = { description: "the shop", hostports: ["app.example.com:443"] };
    made.edge = (await create("/edges/https", shop)).id;
  });

  interface Agent {
    readonly credential: string;
    readonly bind: readonly string[];
    readonly address?: string;
    readonly client?: string;
  }
  async function report(gateway: string, agents: readonly Agent[]): Promise<string[]> {
    const all = agents.map((one) => ({
      ...{ session: newId("ts"), address: IP, since: "2026-01-02T03:04:05Z" },
      ...{ client: "SSH-2.0-OpenSSH_9.9", ...one },
    }));
    const edges = [{ id: made.edge, state: "applied" }];
    const answer = await on.rest.put(`/gateways/${gateway}/status`, { edges, agents: all });
    expect(answer.status, answer.text).to.equal(204);
    return all.map(({ session }) => session);
  }
  /** Two agents at two gateways: the build farm's, and the member's laptop. */
  async function twoAgents(): Promise<{ farm: string; laptop: string }> {
    const bind = ["bind:app.example.com:443", "bind:color=blue"];
    const [farm = ""] = await report("berlin-1", [{ credential: made.farm, bind }]);
    const [laptop = ""] = await report("paris-1", [
      { credential: made.laptop, bind: ["bind:nobody.example.com:443"], address: "198.51.100.9" },
    ]);
    return { farm, laptop };
  }
  const open = (key: string, where: string) => on.open(where, key);
  const row = (page: Page, name: string | RegExp) =>
    page.getByRole("region", { name: /^Agents|^The agent/ }).getByRole("row", { name });
  const isThere = async (session: string) =>
    (await on.rest.get(`/tunnel_sessions/${session}`)).status === 200;
  const focused = (page: Page) => page.evaluate("document.activeElement?.textContent");

  it("each agent is a row: its credential by name, what it has bound, its gateway, address, time and client", async () => {
    const { farm } = await twoAgents();
    const { page, errors, close } = await open(on.server.apiKey, "agents");
    const seen = row(page, /^build farm/);
    for (const text of [made.farm, "app.example.com:443", "color=blue", "berlin-1", IP, farm])
      await seen.getByText(text, { exact: true }).first().waitFor();
    await seen.getByText("SSH-2.0-OpenSSH_9.9").waitFor();
    expect(await seen.locator("time").getAttribute("datetime")).to.equal("2026-01-02T03:04:05.000Z");
    await picture(page, "console-agents");
    await seen.getByRole("link", { name: "app.example.com:443" }).click();
    await page.getByRole("heading", { level: 1, name: "app.example.com:443" }).waitFor();
    await page.goto(on.at(`gateway/berlin-1`));
    await page.getByRole("link", { name: farm }).click();
    await page.getByRole("heading", { level: 1, name: "An agent" }).waitFor();
    await row(page, /^build farm/).waitFor();
    expect(errors).to.deep.equal([]);
    await close();
  });

  it("what an agent calls itself and binds stays a text, and never becomes a part of the page", async () => {
    const [session = ""] = await report("oslo-1", [
      { credential: made.farm, bind: [`bind:name=${MARKUP}`], client: `SSH-2.0-${MARKUP}`, address: MARKUP },
    ]);
    const { page, errors, close } = await open(on.server.apiKey, `agents/${session}`);
    for (const text of [`name=${MARKUP}`, `SSH-2.0-${MARKUP}`, MARKUP])
      await row(page, /^build farm/)
        .getByText(text, { exact: true })
        .waitFor();
    await page.getByRole("button", { name: /^Stop/ }).click();
    await page.getByRole("dialog").getByText(`lets this credential in from ${MARKUP}`).waitFor();
    expect(await page.locator("img").count()).to.equal(0);
    expect(errors).to.deep.equal([]);
    await close();
    await report("oslo-1", []);
  });

  it("tunnels say what sends requests to them, and endpoints which hostports are served now, by which edge", async () => {
    const { farm, laptop } = await twoAgents();
    const { page, close } = await open(on.server.apiKey, "agents");
    await page.getByRole("link", { name: "Tunnels", exact: true }).click();
    const tunnel = (name: string | RegExp) =>
      page.getByRole("region", { name: "Tunnels, newest first" }).getByRole("row", { name });
    await tunnel(/^app\.example\.com:443/)
      .getByText("https")
      .waitFor();
    await tunnel(/^color=blue/)
      .getByText("blue ones")
      .waitFor();
    await tunnel("a hostport that no edge serves").getByRole("link", { name: laptop }).waitFor();
    await page.getByRole("link", { name: "Endpoints", exact: true }).click();
    const endpoint = page
      .getByRole("region", { name: "Endpoints, newest first" })
      .getByRole("row", { name: /^app\.example\.com:443/ });
    expect(await endpoint.innerText())
      .to.contain("HTTPS edge")
      .and.to.contain(made.edge);
    await endpoint.getByRole("link", { name: farm }).waitFor();
    const section = page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Agents" });
    expect(await section.getAttribute("aria-current")).to.equal("page");
    await endpoint.getByRole("link", { name: "the shop" }).click();
    await page.getByRole("heading", { level: 1, name: "HTTPS edge the shop" }).waitFor();
    await close();
  });

  it("a session is stopped only after a question, which Cancel, Escape and another page answer with no", async () => {
    const { farm } = await twoAgents();
    const { page, close } = await open(on.server.apiKey, "agents");
    const whose = `Stop the session of build farm from ${IP}`;
    const stop = page.getByRole("button", { name: whose });
    const question = page.getByRole("dialog", { name: `${whose}?` });
    const noes = [
      () => question.getByRole("button", { name: "Cancel" }).click(),
      () => page.keyboard.press("Escape"),
      () => page.keyboard.press("Enter"), // Cancel has the focus
    ];
    for (const no of noes) {
      await stop.click();
      await question.getByText(`for a minute no gateway lets this credential in from ${IP}`).waitFor();
      await no();
      await question.waitFor({ state: "detached" });
      expect(await focused(page)).to.equal("Stop");
    }
    await stop.click();
    await page.evaluate("location.hash = '#/endpoints'");
    await page.getByRole("heading", { level: 1, name: "Endpoints" }).waitFor();
    expect(await question.count()).to.equal(0);
    await page.goBack();
    expect(await isThere(farm)).to.equal(true);
    await stop.click();
    await question.getByRole("button", { name: "Stop" }).click();
    await row(page, /^build farm/)
      .getByText("stopped")
      .waitFor();
    expect(await isThere(farm)).to.equal(false);
    expect(await focused(page)).to.equal("stopped");
    await close();
  });

  it("a member sees and restarts agents of its own credentials alone", async () => {
    const { farm, laptop } = await twoAgents();
    const { page, close } = await open(made.member, "agents");
    await page.getByText("1 in all").waitFor();
    await row(page, /^Ada's laptop/)
      .getByRole("button", { name: /^Restart/ })
      .click();
    const question = page.getByRole("dialog", { name: "Restart the session of Ada's laptop" });
    await question.getByText("comes back by itself").waitFor();
    await question.getByRole("button", { name: "Restart" }).click();
    await row(page, /^Ada's laptop/)
      .getByText("restarted")
      .waitFor();
    expect([await isThere(laptop), await isThere(farm)]).to.deep.equal([false, true]);
    await close();
  });

  it("a viewer, and a key that may only read, see no buttons that end a session", async () => {
    const { laptop } = await twoAgents();
    for (const key of [made.viewer, made.reader])
      for (const where of ["agents", `agents/${laptop}`]) {
        const { page, close } = await open(key, where);
        await row(page, /^Ada's laptop/).waitFor();
        expect(await page.locator("main button:visible").allInnerTexts(), where).to.deep.equal([]);
        await close();
      }
  });

  it("where the server refuses to end a session, the question stays and shows the server's sentence", async () => {
    const { farm } = await twoAgents();
    const { page, close } = await open(on.server.apiKey, `agents/${farm}`);
    await on.rest.post(`/tunnel_sessions/${farm}/restart`, {});
    const seen = row(page, /^build farm/);
    await seen.getByRole("button", { name: /^Stop/ }).click();
    const question = page.getByRole("dialog");
    await question.getByRole("button", { name: "Stop" }).click();
    await question.getByRole("alert").getByText("it is over, or was never there").waitFor();
    await page.keyboard.press("Escape");
    expect(await seen.innerText()).not.to.contain("stopped");
    await close();
  });
});
