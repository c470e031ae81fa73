import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atEndOfFile } from "./endOfFile";

const PROGRAM = join(__dirname, "../../node_modules/.tunnelplane/moto/bin/moto_server");
/** Whether moto is on this machine; `npm test` installs it if there is Python 3 with venv. */
export const HAS_MOTO = existsSync(PROGRAM);

/** The cloud's services, simulated by moto (a project of others), on a free port of the loopback. */
export class Moto {
  private constructor(readonly url: string) {}

  static async start(): Promise<Moto> {
    const child = spawn(PROGRAM, ["-H", "127.0.0.1", "-p", "0"], {
      env: { ...process.env, PYTHONUNBUFFERED: "1" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    atEndOfFile(() => child.kill());
    let said = "";
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        said += `${line}\n`;
        const found = / Running on (http:\S+)/.exec(line)?.[1];
        if (found) resolve(found);
      });
      child.once("error", reject);
      child.once("close", (code) => reject(new Error(`moto ended with ${code} before it listened: ${said}`)));
    });
    return new Moto(url);
  }

  /** From now on, requests need known keys and permissions; `false` turns that off again. */
  async checkKeys(on: boolean): Promise<void> {
    await fetch(`${this.url}/moto-api/reset-auth`, { method: "POST", body: on ? "0" : "inf" });
  }
}
