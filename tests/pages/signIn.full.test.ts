import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Page } from "playwright-core";
import { HAS_BROWSER, RealBrowser, type Tab } from "../support/browser";
import { execute } from "../support/databases";
import { newFolder } from "../support/folder";
import { CLIENT, IdentityProvider } from "../support/identityProvider";
import { Rest } from "../support/rest";
import { command, endOf, MOVABLE_CLOCK, ServerProcess } from "../support/server";

describe("Signing in with Chromium at an identity provider", () => {
  if (!HAS_BROWSER) return void it.skip("skipped: there is no Chromium on this machine");

  let folder: string;
  let provider: IdentityProvider;
  let server: ServerProcess;
  let browser: RealBrowser;
  let tabs: Tab[] = [];

  before(async () => {
    folder = newFolder();
    writeFileSync(join(folder, "secret"), `${CLIENT.secret}\n`);
    provider = await IdentityProvider.start();
    server = await start();
    browser = await RealBrowser.start();
  });
  afterEach(async () => {
    for (const tab of tabs) await tab.close();
    tabs = [];
  });

  const start = (env = {}) =>
    ServerProcess.start({
      env,
      args: [
        ...["--oidc-issuer", provider.url, "--oidc-client-id", CLIENT.id],
        ...["--oidc-client-secret-file", join(folder, "secret")],
      ],
    });

  async function open(address = `${server.url}/console`): Promise<Page> {
    const tab = await browser.open(address);
    tabs.push(tab);
    return tab.page;
  }
  const begin = (page: Page) => page.getByRole("link", { name: "Sign in" }).click();
  const isRefused = (page: Page) => page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  /** Signs in at the provider, and stops the browser before it brings the answer to the server. */
  async function answerFor(page: Page, name: string): Promise<URL> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Fetch.enable", { patterns: [{ urlPattern: "*/sign_in/callback*" }] });
    const brought = new Promise<URL>((resolve) => {
      devtools.on("Fetch.requestPaused", async ({ requestId, request }) => {
        await devtools.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
        await devtools.send("Fetch.disable");
        resolve(new URL(request.url));
      });
    });
    await begin(page);
    await provider.signIn(page, name);
    return brought;
  }

  /** Makes a user an admin of the account, in the database. */
  async function makeAdmin(name: string): Promise<void> {
    await execute(server.data, `update principal set role = 'admin' where subject = '${name}'`);
    await new Rest(server.url, server.apiKey).post("/workload_identities", {}); // the server forgets what it knows
  }

  it("leads from the console there and back, keeps the session over a reload, and ends with signing out", async () => {
    provider.groups.set("alice", ["/infra"]);
    const page = await open(`${server.url}/console#/audit`);
    await begin(page);
    await provider.signIn(page, "alice");
    await page.getByRole("heading", { name: "You have no role here yet" }).waitFor();
    await makeAdmin("alice");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
    await page.getByText("alice@example.com (admin)").waitFor();
    await page.getByRole("cell", { name: "Signed in" }).first().waitFor();
    const { users } = (await new Rest(server.url, server.apiKey).get("/users")).body;
    expect(users[0]).to.deep.include({ subject: "alice", groups: ["infra"], issuer: provider.url });
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    expect(kept).to.equal('[{},{},""]');
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You have signed out.").waitFor();
    await page.reload();
    await page.getByLabel("API key").waitFor();
  });

  it("lets an admin see who is signed in, and end a session", async () => {
    const [admin, other] = [await open(), await open()];
    for (const [page, name] of [
      [admin, "ada"],
      [other, "bert"],
    ] as const) {
      await begin(page);
      await provider.signIn(page, name);
      await page.getByRole("heading", { name: "You have no role here yet" }).waitFor();
    }
    await makeAdmin("ada");
    await admin.goto(`${server.url}/console#/sessions`);
    await admin.reload();
    await admin.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    await admin
      .getByRole("row", { name: /ada@example.com/ })
      .getByText("this one")
      .waitFor();
    await admin.getByRole("button", { name: "End the session of bert@example.com" }).click();
    await admin
      .getByRole("row", { name: /bert@example.com/ })
      .getByText("ended")
      .waitFor();
    await other.reload();
    await other.getByLabel("API key").waitFor();
  });

  it("lets a command line in: `tunnelplane login` leads through the sign-in to its own page", async () => {
    const home = join(folder, "home");
    const env = { HOME: home, XDG_CONFIG_HOME: undefined, BROWSER: "true", TUNNELPLANE_API_KEY: undefined };
    const child = command("/nowhere", ["login", "--url", server.url], env);
    const ended = endOf(child);
    let printed = "";
    while (!/Open (\S+)\n/.test(printed))
      printed += String((await once(child.stderr as Readable, "data"))[0]);
    const page = await open(/Open (\S+)\n/.exec(printed)?.[1]);
    await provider.signIn(page, "heidi");
    await page.getByRole("heading", { name: "Let a command line in?" }).waitFor();
    await page.getByText("heidi@example.com").waitFor();
    await page.getByRole("button", { name: "Let it in" }).click();
    await page.getByRole("heading", { name: "The command line is in" }).waitFor();
    expect((await ended).code).to.equal(0);
    const { [server.url]: kept } = JSON.parse(
      readFileSync(join(home, ".config", "tunnelplane", "credentials.json"), "utf8"),
    );
    expect((await new Rest(server.url, kept.key).get("/caller")).body.name).to.equal("heidi@example.com");
  });

  it("is refused with a code that the same provider gave to somebody else", async () => {
    const [page, victim] = [await open(), await open()];
    const stolen = await answerFor(victim, "victim");
    const answer = await answerFor(page, "mallory");
    answer.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    await page.goto(answer.href);
    await isRefused(page);
  });

  it("is refused where it took too long", async () => {
    const slow = await start(MOVABLE_CLOCK);
    const page = await open(`${slow.url}/console`);
    const answer = await answerFor(page, "grace");
    slow.passAnHour();
    const key = new Rest(slow.url, slow.apiKey);
    const begun = Date.now();
    const now = async () =>
      Date.parse((await key.post("/bot_users?dry_run=true", { name: "x" })).body.created_at);
    while ((await now()) < begun + 1_800_000); // the clock moves soon after the signal
    await page.goto(answer.href);
    await isRefused(page);
    await page.getByText("longer than ten minutes").waitFor();
  });

  it("is refused with words of the provider where it lets nobody in", async () => {
    const page = await open();
    await begin(page);
    await page.getByRole("link", { name: "[ Cancel ]" }).click();
    await isRefused(page);
    await page.getByText("access_denied").waitFor();
  });
});
