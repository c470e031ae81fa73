import { readFileSync } from "node:fs";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";

const MAX_MS = 5000;
const LARGEST = 1_048_576;

/** Finds the addresses of hosts. */
export interface Reach {
  /** The addresses of a URL's host. @throws saying why it may not or cannot be connected to */
  reach(url: string): Promise<readonly string[]>;
}

/** Fetches the JSON at an https URL. @param trust the file with the authorities that it is checked against */
export async function ask(url: string, trust: string, upstreams: Reach): Promise<string> {
  const lookup = among(await upstreams.reach(url));
  return new Promise((resolve, reject) => {
    const asked = request(url, { ca: readFileSync(trust), timeout: MAX_MS, lookup }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        if (text.length > LARGEST) asked.destroy(new Error(`it answered more than ${LARGEST} characters`));
      });
      answer.on("error", reject).on("end", () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`it answered ${answer.statusCode}`));
      });
    });
    asked.setTimeout(MAX_MS, () => asked.destroy(new Error(`it does not answer within ${MAX_MS / 1000} s`)));
    asked.on("error", reject).end();
  });
}

/** Connects to these addresses and no others, even if the name has changed by then. */
const among =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) done(null, found);
    else done(null, found[0]?.address ?? "", found[0]?.family);
  };
