import { Option } from "commander";

export const serverOptions = (): Option[] => [
  new Option(
    "--url <url>",
    "address of the server (default: TUNNELPLANE_BASE_URL, or else http://127.0.0.1:4040)",
  ),
  new Option(
    "--api-key <key>",
    "API key; prefer TUNNELPLANE_API_KEY, which other users of the machine cannot see",
  ),
];
