import type * as Sdk from "@tunnelplane/sdk";

/** The configuration keys of an explicit account. */
export const ACCOUNT_BASE_URL = "account:baseUrl";
export const ACCOUNT_API_KEY = "account:apiKey";
export const ACCOUNT_PROJECT = "account:project";
export const ACCOUNT_VALIDATE_ON_SERVER = "account:validateOnServer";

export const DEFAULT_BASE_URL = "http://127.0.0.1:4040";

/**
 * The server's address, an API key or the identity of a job, which is exchanged for one, and the project if
 * one is chosen.
 */
export type Settings = Sdk.Credentials & {
  readonly baseUrl: string;
  readonly project?: string;
  /** The source of each, for error messages. */
  readonly sources: { readonly baseUrl: string; readonly apiKey: string; readonly project: string };
};

/** Looks up a configuration value. */
export type ConfigLookup = (key: string) => string | undefined;

/** The name in programs for a server and its key. */
export interface AccountWords {
  /** In sentences. */
  readonly noun: string;
  /** The class. */
  readonly type: string;
}

const ACCOUNT: AccountWords = { noun: "account", type: "an Account" };

/**
 * Settings of an explicit account win, because it names one server; then the environment, which never
 * reaches the state; then the stack's configuration. Without a key, the identity of the job that runs this,
 * then what `tunnelplane login` keeps for the server. Throws when there is none of them.
 */
export function resolveSettings(
  config: ConfigLookup,
  environment: NodeJS.ProcessEnv,
  { noun, type } = ACCOUNT,
): Settings {
  const baseUrl = first([
    [config(ACCOUNT_BASE_URL), `baseUrl of the ${noun}`],
    [environment.TUNNELPLANE_BASE_URL, "TUNNELPLANE_BASE_URL"],
    [config("tunnelplane:baseUrl"), "tunnelplane:baseUrl of the stack"],
    [DEFAULT_BASE_URL, "the default; set TUNNELPLANE_BASE_URL for another"],
  ]);
  const apiKey = first([
    [config(ACCOUNT_API_KEY), `apiKey of the ${noun}`],
    [environment.TUNNELPLANE_API_KEY, "TUNNELPLANE_API_KEY"],
    [config("tunnelplane:apiKey"), "tunnelplane:apiKey of the stack"],
  ]);
  const project = chosenProject(config, environment, noun);
  const identity = apiKey ? undefined : jobIdentity(environment);
  const sources = { project: project?.source ?? "the API key; set TUNNELPLANE_PROJECT for another" };
  if (baseUrl && identity)
    return {
      baseUrl: baseUrl.value,
      identity,
      ...(project && { project: project.value }),
      sources: { ...sources, baseUrl: baseUrl.source, apiKey: identity.source },
    };
  const login = baseUrl && !apiKey ? savedKey(baseUrl.value, environment) : undefined;
  const key = apiKey ?? (login && { value: login.key, source: `tunnelplane login (as ${login.user})` });
  if (!baseUrl || !key) {
    throw new Error(
      `There is no API key for ${baseUrl?.value}: set TUNNELPLANE_API_KEY, run "tunnelplane login" or "pulumi config set --secret tunnelplane:apiKey", or pass ${type} with apiKey`,
    );
  }
  return {
    baseUrl: baseUrl.value,
    apiKey: key.value,
    ...(project && { project: project.value }),
    sources: { ...sources, baseUrl: baseUrl.source, apiKey: key.source },
  };
}

/** The name of the project, with its source; undefined if the server chooses one. Found in the same order. */
export const chosenProject = (config: ConfigLookup, environment: NodeJS.ProcessEnv, noun = ACCOUNT.noun) =>
  first([
    [config(ACCOUNT_PROJECT), `project of the ${noun}`],
    [environment.TUNNELPLANE_PROJECT, "TUNNELPLANE_PROJECT"],
    [config("tunnelplane:project"), "tunnelplane:project of the stack"],
  ]);

/** Loads the client only where there is no key: programs read settings too, and need no client. */
function jobIdentity(environment: NodeJS.ProcessEnv): Sdk.JobIdentity | undefined {
  const { jobIdentityIn }: typeof Sdk = require("@tunnelplane/sdk");
  return jobIdentityIn(environment);
}

/** The key that `tunnelplane login` keeps for this very address. */
function savedKey(baseUrl: string, environment: NodeJS.ProcessEnv): Sdk.SavedLogin | undefined {
  const { savedLogin }: typeof Sdk = require("@tunnelplane/sdk");
  return URL.canParse(baseUrl) ? savedLogin(baseUrl, environment) : undefined;
}

/** Whether the settings are those of an explicit account. */
export const isAccount = (config: ConfigLookup): boolean =>
  [ACCOUNT_BASE_URL, ACCOUNT_API_KEY, ACCOUNT_PROJECT, ACCOUNT_VALIDATE_ON_SERVER].some(
    (key) => config(key) !== undefined,
  );

/**
 * Whether previews ask the server; found in the order of the other settings. Throws if it is neither true nor
 * false.
 */
export function validatesOnServer(
  config: ConfigLookup,
  environment: NodeJS.ProcessEnv,
  { noun } = ACCOUNT,
): boolean {
  const asked = first([
    [config(ACCOUNT_VALIDATE_ON_SERVER), `validateOnServer of the ${noun}`],
    [environment.TUNNELPLANE_VALIDATE_ON_SERVER, "TUNNELPLANE_VALIDATE_ON_SERVER"],
    [config("tunnelplane:validateOnServer"), "tunnelplane:validateOnServer of the stack"],
  ]);
  if (!asked || asked.value === "false") return false;
  if (asked.value === "true") return true;
  throw new Error(`${asked.source} must be "true" or "false", got ${JSON.stringify(asked.value)}`);
}

function first(
  candidates: [value: string | undefined, source: string][],
): { value: string; source: string } | undefined {
  for (const [value, source] of candidates) if (value) return { value, source };
  return undefined;
}
