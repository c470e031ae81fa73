import { jobIdentityIn, savedLogin, Transport } from "@tunnelplane/sdk";
import { visible } from "@tunnelplane/sdk/node";
import { DEFAULT_BASE_URL, resolveSettings } from "./accountSettings";
import { describe } from "./describe";

/** The server that a command or a review reads from. */
export interface ServerOptions {
  readonly url?: string;
  readonly apiKey?: string;
  /** The name of the project that it reads. */
  readonly project?: string;
}

/** Runs requests against a server. Errors are one line. */
export async function askServer<T>(
  { url, apiKey, project }: ServerOptions,
  ask: (transport: Transport) => Promise<T>,
): Promise<T> {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    TUNNELPLANE_BASE_URL: url || process.env.TUNNELPLANE_BASE_URL,
    TUNNELPLANE_PROJECT: project || process.env.TUNNELPLANE_PROJECT,
  };
  const address = environment.TUNNELPLANE_BASE_URL || DEFAULT_BASE_URL;
  const hasKey =
    apiKey ||
    environment.TUNNELPLANE_API_KEY ||
    jobIdentityIn(environment) ||
    (URL.canParse(address) && savedLogin(address, environment));
  if (!hasKey)
    throw new Error("There is no API key: set TUNNELPLANE_API_KEY, pass --api-key, or run tunnelplane login");
  const settings = resolveSettings(() => undefined, {
    ...environment,
    TUNNELPLANE_API_KEY: apiKey || environment.TUNNELPLANE_API_KEY,
  });
  const named = {
    project: project ? "--project" : settings.sources.project,
    baseUrl: url ? "--url" : settings.sources.baseUrl,
    apiKey: apiKey ? "--api-key" : settings.sources.apiKey,
  };
  try {
    const transport = new Transport(settings);
    return await ask(transport).finally(() => transport.close());
  } catch (error) {
    throw new Error(visible(describe(error, { ...settings, sources: named })));
  }
}
