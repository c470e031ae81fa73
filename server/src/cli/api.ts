import { type Credentials, jobIdentityIn, savedLogin, Transport } from "@tunnelplane/sdk";
import { type Command, InvalidArgumentError, Option } from "commander";
import { NoKeyError } from "./failures";

// A server waits up to 30 s for the service's answer to a test.
const TIMEOUT_MS = 60_000;

export interface ApiOptions {
  readonly url: string;
  readonly apiKey?: string;
  /** The name of a project. */
  readonly project?: string;
}

/** Adds the option that names a server. */
export const withUrl = (command: Command): Command =>
  command.addOption(
    new Option("--url <url>", "the server's address")
      .env("TUNNELPLANE_BASE_URL")
      .default("http://127.0.0.1:4040")
      .argParser(baseUrl),
  );

/** Adds the options of commands that go through a server's API. */
export const withApiOptions = (command: Command): Command =>
  withUrl(command)
    .addOption(
      new Option("--api-key <key>", "better set in the environment, where other users cannot see it").env(
        "TUNNELPLANE_API_KEY",
      ),
    )
    .addOption(
      new Option("--project <name>", "the project; unless given, the one of the API key").env(
        "TUNNELPLANE_PROJECT",
      ),
    );

/** Works with a server's API, and closes the connection afterwards. */
export async function throughApi(
  { url, apiKey, project }: ApiOptions,
  work: (transport: Transport) => Promise<void>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const credentials = credentialsFrom(apiKey, url);
  if (!credentials) throw new NoKeyError();
  const transport = new Transport({ baseUrl: url, project: project || undefined, timeoutMs, ...credentials });
  try {
    await work(transport);
  } finally {
    await transport.close();
  }
}

/**
 * The API key, the identity of the job that runs the command, or the key that `tunnelplane login` keeps for
 * the server; undefined if there is none.
 */
export function credentialsFrom(apiKey: string | undefined, url: string): Credentials | undefined {
  if (apiKey) return { apiKey };
  const identity = jobIdentityIn(process.env);
  if (identity) return { identity };
  const login = savedLogin(url, process.env);
  return login && { apiKey: login.key };
}

function baseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Expected an address such as "https://tunnels.example.com".');
}

/** The first items of a list that comes page by page, and whether there are more. */
export async function gather<T>(
  list: AsyncIterable<T>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = [];
  for await (const item of list) {
    if (items.length === most) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}
