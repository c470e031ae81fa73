import { randomBytes } from "node:crypto";
import { ConnectionError, loginsFile, savedLogin, saveLogin } from "@tunnelplane/sdk";
import { isObject, messageOf } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";
import { Command } from "commander";
import { withUrl } from "./api";
import { withExamples } from "./examples";
import { NoKeyError } from "./failures";
import { codeFromBrowser } from "./loginInBrowser";

const TIMEOUT_MS = 60_000;
/** How often the command asks whether somebody let it in. */
const AGAIN_MS = 2_000;

interface LoginOptions {
  readonly url: string;
  readonly browser: boolean;
  readonly showClaims: boolean;
}

/** The answer of the server once somebody let the command line in. */
interface Granted {
  readonly key: string;
  readonly expires_at: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly claims: object;
}

/** `tunnelplane login` */
export function loginCommand(): Command {
  const command = new Command("login")
    .description("Sign in to a server, and keep a key of 12 hours for it")
    .option("--no-browser", "show a code to enter in a browser on any machine")
    .option("--show-claims", "print what the identity provider said of you, as JSON", false)
    .addHelpText(
      "after",
      "\nThe key is kept in ~/.config/tunnelplane/credentials.json, only for this server's address. Commands and providers take it\nwhere no API key is set.",
    );
  return withExamples(
    withUrl(command).action(login),
    ["tunnelplane login --url https://tunnels.example.com", "in the browser of this computer"],
    ["tunnelplane login --url https://tunnels.example.com --no-browser", "on a machine without one"],
  );
}

async function login({ url: given, browser, showClaims }: LoginOptions): Promise<void> {
  const url = given.replace(/\/+$/, "");
  const verifier = randomBytes(32).toString("base64url");
  const granted = browser
    ? await keyFor(url, { code: await codeFromBrowser(url, verifier), code_verifier: verifier })
    : await keyOfDevice(url);
  if (!granted) throw new Error("The server gave no key: begin again");
  const { key, expires_at, user, claims } = granted;
  saveLogin(url, { key, expires_at, user: user.name }, process.env);
  console.error(
    visible(`You are signed in to ${url} as ${user.name}, until ${expires_at} (${loginsFile(process.env)})`),
  );
  if (showClaims) console.log(visible(JSON.stringify(claims, null, 2)));
}

/** Shows a code, and waits until somebody has entered it on the server's page. */
async function keyOfDevice(url: string): Promise<Granted | undefined> {
  const begun = await post(`${url}/login/device`);
  const { device_code: code, user_code: shown, verification_uri: page, expires_in: seconds } = begun;
  const end = performance.now() + Number(seconds) * 1000;
  console.error(visible(`Open ${page} in a browser, and enter the code ${shown}`));
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    const granted = await keyFor(url, { code });
    if (granted) return granted;
  }
  throw new Error("Nobody entered the code in time: begin again");
}

/** Undefined until somebody has let the command line in. */
async function keyFor(url: string, body: object): Promise<Granted | undefined> {
  const { key, expires_at, user, claims } = await post(`${url}/login/key`, body);
  if (typeof key !== "string" || typeof expires_at !== "string" || !isObject(user)) return undefined;
  const { id, name } = user;
  return {
    key,
    expires_at,
    user: { id: String(id), name: String(name) },
    claims: isObject(claims) ? claims : {},
  };
}

/** `tunnelplane logout` */
export function logoutCommand(): Command {
  return withExamples(
    withUrl(
      new Command("logout").description("End the key that login keeps for a server, and forget it"),
    ).action(logout),
    ["tunnelplane logout --url https://tunnels.example.com", "on this machine"],
  );
}

async function logout({ url }: Pick<LoginOptions, "url">): Promise<void> {
  const kept = savedLogin(url, process.env);
  saveLogin(url, undefined, process.env);
  if (!kept) throw new NoKeyError(`You are not signed in to ${url}`);
  await post(`${url.replace(/\/+$/, "")}/sign_out`, undefined, { authorization: `Bearer ${kept.key}` }).catch(
    (error: unknown) => {
      throw new ConnectionError(
        `The key is forgotten here, but the server did not end it (${messageOf(error)}): it ends at ${kept.expires_at}`,
      );
    },
  );
  console.error(visible(`You are signed out of ${url}`));
}

/** Asks for an answer. @throws Error with what the server says */
async function post(
  address: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(address, {
    method: "POST",
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new ConnectionError(`${address} does not answer (${reasonOf(error)})`);
  });
  const text = await answer.text();
  if (answer.status === 204) return {};
  const json: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
  if (answer.ok && isObject(json)) return json;
  const reason = isObject(json) && typeof json.msg === "string" ? json.msg : `it answered ${answer.status}`;
  throw new Error(
    answer.status === 404
      ? `Nobody can sign in at ${address}: it needs a server with --oidc-issuer (${reason})`
      : reason,
  );
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
