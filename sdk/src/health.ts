import "./nodeVersion";
import type * as Http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf } from "./contract/core/narrow";

/** Less than the time that a container's health check has. */
const TIMEOUT_MS = 2_500;
const AGAIN_MS = 100;

/** Where this machine reaches what listens at an address. */
export function nearUrl({ host, port }: { host: string; port: number }, hasTls = false): string {
  const near = host === "0.0.0.0" ? "127.0.0.1" : /^[0:]+$/.test(host) ? "::1" : host;
  return `${hasTls ? "https" : "http"}://${near.includes(":") ? `[${near}]` : near}:${port}/readyz`;
}

/**
 * Prints in one line whether what has this address serves, and returns it.
 * @param url of its `/readyz`
 * @param waitMs asks again until it serves, this long at most
 */
export async function saysWhetherItServes(url: string, waitMs: number): Promise<boolean> {
  for (const end = performance.now() + waitMs; ; await sleep(AGAIN_MS)) {
    const fault = await faultOf(url);
    if (fault === undefined) {
      console.log(`${url} serves`);
      return true;
    }
    if (performance.now() < end) continue;
    console.error(`${url} does not serve: ${fault}`);
    return false;
  }
}

/** Why it does not serve, if so. Its certificate is for names that others use: not checked here. */
const faultOf = (url: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, agent: false, rejectUnauthorized: false };
    const { get }: typeof Http = require(url.startsWith("https:") ? "node:https" : "node:http");
    const request = get(url, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? undefined : `it answers ${answer.statusCode}; its log says why`);
    });
    request.once("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.once("error", (error) =>
      resolve(codeOf(error) === "EPROTO" ? "what listens there does not speak TLS" : messageOf(error)),
    );
  });
