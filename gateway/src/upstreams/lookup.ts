import { promises } from "node:dns";
import { isObject } from "@tunnelplane/sdk/contract";
import { addressesHere, candidatesFor } from "./system";

/** The limit of the first try; the second one may take twice as long. */
const ANSWER_MS = 1000;
const TRIES = 2;
/** The limit of all questions for a name. */
const MAX_MS = 5000;
/** Codes for a name without an address; with any other code, it is not known whether it has one. */
const NONE = ["ENOTFOUND", "ENODATA", "EBADNAME"];

/** The addresses of one family; undefined if it is not known whether the name has any. */
interface Family {
  readonly addresses: readonly string[] | undefined;
  /** The number of seconds for which they are valid. */
  readonly ttl: number;
  /** The resolver's code, if there are no addresses. */
  readonly code: string;
}

export interface Found {
  readonly v4: readonly string[] | undefined;
  readonly v6: readonly string[] | undefined;
  readonly ttl: number;
  readonly code: string;
}

/** Looks a name up as the system does: in /etc/hosts, and then with DNS. Takes at most 5 s. */
export async function lookup(name: string): Promise<Found> {
  const here = addressesHere(name);
  if (here.length > 0) {
    const [v4, v6] = [here.filter((one) => !one.includes(":")), here.filter((one) => one.includes(":"))];
    return { v4, v6, ttl: 0, code: "" };
  }
  // A new one for each name: it reads /etc/resolv.conf, keeps nothing, and can be stopped.
  const resolver = new promises.Resolver({ timeout: ANSWER_MS, tries: TRIES });
  const late = setTimeout(() => resolver.cancel(), MAX_MS);
  try {
    let last: Found = { v4: [], v6: [], ttl: 0, code: "ENOTFOUND" };
    for (const candidate of candidatesFor(name)) {
      const [four, six] = await Promise.all([
        ask(() => resolver.resolve4(candidate, { ttl: true })),
        ask(() => resolver.resolve6(candidate, { ttl: true })),
      ]);
      last = {
        v4: four.addresses,
        v6: six.addresses,
        ttl: Math.min(four.ttl, six.ttl),
        code: four.code || six.code,
      };
      // The name with another suffix may be another machine, so the search must not go on.
      if (last.v4?.length !== 0 || last.v6?.length !== 0) break;
    }
    return last;
  } finally {
    clearTimeout(late);
  }
}

async function ask(
  question: () => Promise<readonly { readonly address: string; readonly ttl: number }[]>,
): Promise<Family> {
  try {
    const answers = await question();
    return {
      addresses: answers.map(({ address }) => address),
      ttl: Math.min(...answers.map(({ ttl }) => ttl)),
      code: "",
    };
  } catch (error) {
    const code = String((isObject(error) ? error.code : undefined) ?? error);
    return { addresses: NONE.includes(code) ? [] : undefined, ttl: Number.POSITIVE_INFINITY, code };
  }
}
