import { readFileSync } from "node:fs";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";

const MAX_MS = 5000;
const MAX_LENGTH = 1_048_576;

/** Finds the addresses of hosts. */
export interface Reach {
  /** The addresses of a URL's host. @throws saying why it may not or cannot be connected to */
  reach(url: string): Promise<readonly string[]>;
}

/** An answer, as far as it is looked at. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  /** For how many seconds it says that it is good; undefined if it does not. */
  readonly maxAge: number | undefined;
}

/** What to send where a form is sent. */
interface Form {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Fetches what is at an https URL. @param trust the file with the authorities that it is checked against */
export async function ask(url: string, trust: string, upstreams: Reach, form?: Form): Promise<Answered> {
  const lookup = among(await upstreams.reach(url));
  const headers = {
    accept: "application/json",
    ...(form && { "content-type": "application/x-www-form-urlencoded" }),
    ...form?.headers,
  };
  const options = {
    ca: readFileSync(trust),
    timeout: MAX_MS,
    lookup,
    headers,
    method: form ? "POST" : "GET",
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        if (text.length > MAX_LENGTH)
          asked.destroy(new Error(`it answered more than ${MAX_LENGTH} characters`));
      });
      const { statusCode: status = 0, headers: received } = answer;
      answer.on("error", reject).on("end", () => {
        resolve({ status, text, maxAge: maxAgeIn(received["cache-control"]) });
      });
    });
    asked.setTimeout(MAX_MS, () => asked.destroy(new Error(`it does not answer within ${MAX_MS / 1000} s`)));
    asked.on("error", reject).end(form?.body);
  });
}

function maxAgeIn(text = ""): number | undefined {
  const [, seconds] = /(?:^|[,\s])max-age="?(\d{1,9})/i.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Connects to these addresses and no others, even if the name has changed by then. */
const among =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) done(null, found);
    else done(null, found[0]?.address ?? "", found[0]?.family);
  };
