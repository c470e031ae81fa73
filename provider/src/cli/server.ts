import { Option } from "commander";
import type { ServerOptions } from "../operation/askServer";

export const serverOptions = (): Option[] => [
  new Option(
    "--url <url>",
    "address of the server (default: TUNNELPLANE_BASE_URL, or else http://127.0.0.1:4040)",
  ),
  new Option(
    "--api-key <key>",
    "API key; prefer TUNNELPLANE_API_KEY, which other users of the machine cannot see",
  ),
  new Option(
    "--project <name>",
    "project on the server (default: TUNNELPLANE_PROJECT, or else that of the API key)",
  ),
];

/**
 * The server to ask for objects outside of a stack; nothing where neither flags nor the environment name one.
 */
export function serverIfNamed({ url, apiKey, project }: ServerOptions) {
  const { TUNNELPLANE_BASE_URL, TUNNELPLANE_API_KEY } = process.env;
  if (!(url || TUNNELPLANE_BASE_URL || apiKey || TUNNELPLANE_API_KEY)) return {};
  return {
    // Pass only the flags: the environment is read later, so that errors can name the source of a value.
    url: url ?? "",
    apiKey: apiKey ?? "",
    project: project ?? "",
    progress: (objects: number) => console.error(`Read ${objects} objects …`),
  };
}
