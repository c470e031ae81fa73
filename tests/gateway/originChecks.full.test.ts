import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { atEndOfFile } from "../support/endOfFile";
import { newFolder } from "../support/folder";
import { refusedBeside } from "../support/refusal";
import { runningForAllTests } from "./running";

const PYTHON = join(__dirname, "../../node_modules/.tunnelplane/openapi-python-client/bin/python");
const [FORM, SOCKET] = ["form.example.com", "socket.example.com"];

/** Starts an application. @returns the first line that it says */
async function application(program: string, args: readonly string[] = []): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  atEndOfFile(() => void child.kill("SIGKILL"));
  return String((await once(child.stdout, "data"))[0]).trim();
}

describe("Applications that look where a request comes from, behind --listen 443=…", () => {
  const running = runningForAllTests();
  before("start a gateway", async () => {
    running.now.run("--dev-ca");
  });
  async function serve(host: string, address: string): Promise<void> {
    const backend = await running.now.api.staticBackends.create({ address });
    await running.now.site(host, { backend: { backend_id: backend.id } });
  }
  /** The site's origin, where its port is 443 and where callers name the one that the gateway listens on. */
  const placesOf = (host: string) => [host, `${host}:${running.now.httpsPort}`] as const;

  it("take a form from the site itself and from no other, at both ports, and lead to the port that was asked (Django)", async function () {
    if (!existsSync(PYTHON)) this.skip();
    const one = running.now;
    await serve(FORM, `127.0.0.1:${await application(PYTHON, [join(__dirname, "djangoApp.py")])}`);
    await one.becomes(200, FORM, "/form");
    for (const host of placesOf(FORM)) {
      const { body: token, headers } = await one.ask(FORM, "/form", { host });
      const cookie = headers["set-cookie"]?.split(";")[0] ?? "";
      const form = `csrfmiddlewaretoken=${token}`;
      const type = "application/x-www-form-urlencoded";
      const from = (origin: string) => () =>
        one.ask(FORM, "/form", {
          ...{ host, method: "POST", body: form },
          headers: { origin, cookie, "content-type": type },
        });
      const others = ["https://evil.example.com", `http://${host}`, `https://${FORM}:4444`].map(from);
      await refusedBeside({ refused: others, as: 403, allowed: from(`https://${host}`), allowedAs: 200 });
      const moved = await one.ask(FORM, "/moved", { host });
      expect(moved.headers.location).to.equal(`https://${host}/form`);
    }
  });

  it("open a WebSocket for pages of the site itself and of no other, at both ports (gorilla/websocket)", async function () {
    if (spawnSync("go", ["version"]).status !== 0) this.skip();
    const one = running.now;
    const program = join(newFolder(), "websocket");
    execFileSync("go", ["build", "-o", program, "."], { cwd: join(__dirname, "goWebsocket"), stdio: "pipe" });
    await serve(SOCKET, await application(program));
    await one.becomes(400, SOCKET); // it takes WebSockets alone
    for (const host of placesOf(SOCKET)) {
      const from = (origin: string) => async () =>
        (await promisify(execFile)(program, [`127.0.0.1:${one.httpsPort}`, `wss://${host}/`, origin])).stdout;
      await refusedBeside({
        refused: ["https://evil.example.com", `https://${SOCKET}:4444`].map(from),
        as: "403",
        allowed: from(`https://${host}`),
        allowedAs: "echo",
      });
    }
  });
});
