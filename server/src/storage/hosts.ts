import { Client } from "pg";
import type { ConnectionString } from "./connectionString";

/** For one host, in milliseconds. */
const TRY_MS = 3_000;

/** The hosts of a database, of which a server uses one that can be written to. */
export class Hosts {
  readonly label: string;
  readonly #urls: readonly string[];
  #url: string;
  #isInDoubt = true;
  #choosing: Promise<void> | undefined;

  constructor({ urls, label }: ConnectionString) {
    [this.label, this.#urls, this.#url] = [label, urls, urls[0] ?? ""];
  }

  /** Where the next connection goes. */
  get url(): string {
    return this.#url;
  }

  /** Says that a connection failed, or that its database cannot be written to: another may be better. */
  doubt(): void {
    this.#isInDoubt = true;
  }

  /** Chooses a host anew if there are several, and the one in use is in doubt. */
  async choose(): Promise<void> {
    if (this.#urls.length < 2 || !this.#isInDoubt) return;
    this.#choosing ??= this.#find().finally(() => {
      this.#choosing = undefined;
    });
    await this.#choosing;
  }

  async #find(): Promise<void> {
    for (const url of this.#urls) {
      if (!(await isWritable(url))) continue;
      [this.#url, this.#isInDoubt] = [url, false];
      return;
    }
  }
}

async function isWritable(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: TRY_MS,
    query_timeout: TRY_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("select current_setting('transaction_read_only') as value");
    return rows[0]?.value === "off";
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
