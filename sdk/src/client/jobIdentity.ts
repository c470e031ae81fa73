import { readFile } from "node:fs/promises";
import { isObject, messageOf } from "../contract/core/narrow";
import { Connections } from "./connections";
import { IdentityTokenError } from "./errors";

/** A job's own identity, with which it gets API keys: see {@link jobIdentityIn}. */
export interface JobIdentity {
  /** Where its tokens come from, for errors: the name of an environment variable. */
  readonly source: string;
  /** The id of the workload identity to choose, where a token matches several. */
  readonly workloadIdentity: string | undefined;
  /**
   * A token that is valid now.
   * @param audience the server's address, for sources that make a token for it
   * @throws IdentityTokenError
   */
  token(audience: string): Promise<string>;
}

const ENVIRONMENT = {
  token: "TUNNELPLANE_IDENTITY_TOKEN",
  file: "TUNNELPLANE_IDENTITY_TOKEN_FILE",
  github: "ACTIONS_ID_TOKEN_REQUEST_URL",
  githubToken: "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  chosen: "TUNNELPLANE_WORKLOAD_IDENTITY",
} as const;
const GITHUB_TIMEOUT_MS = 10_000;

/**
 * The identity of the job that this process runs in: an identity token, a file with one, which is read again
 * for each key, or what GitHub Actions gives to jobs with `id-token: write`. Undefined if there is none.
 */
export function jobIdentityIn(environment: NodeJS.ProcessEnv): JobIdentity | undefined {
  const workloadIdentity = environment[ENVIRONMENT.chosen] || undefined;
  const { token, file, github, githubToken } = ENVIRONMENT;
  const [text, path, url, secret] = [token, file, github, githubToken].map((name) => environment[name]);
  if (text) return { source: token, workloadIdentity, token: async () => text.trim() };
  if (path) return { source: file, workloadIdentity, token: () => readToken(path) };
  if (url && secret)
    return { source: github, workloadIdentity, token: (audience) => askGitHub(url, secret, audience) };
  return undefined;
}

async function readToken(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new IdentityTokenError(
      `The identity token cannot be read from the file that ${ENVIRONMENT.file} names (${messageOf(error)})`,
    );
  });
  return text.trim();
}

/** https://docs.github.com/en/actions/reference/security/oidc */
async function askGitHub(address: string, secret: string, audience: string): Promise<string> {
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const connections = new Connections(url.origin, { timeoutMs: GITHUB_TIMEOUT_MS, connections: 1 });
  try {
    const { statusCode, text } = await connections.send({
      method: "GET",
      path: url.pathname + url.search,
      headers: { authorization: `bearer ${secret}`, accept: "application/json" },
      body: undefined,
      signal: undefined,
    });
    const answer: unknown = statusCode === 200 ? JSON.parse(text) : undefined;
    if (isObject(answer) && typeof answer.value === "string") return answer.value;
    throw new Error(`it answered ${statusCode}`);
  } catch (error) {
    throw new IdentityTokenError(
      `GitHub gives no identity token (${messageOf(error)}); does the job have the permission "id-token: write"?`,
    );
  } finally {
    await connections.close();
  }
}
