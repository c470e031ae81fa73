import { Option } from "commander";

export const serverOptions = (): Option[] => [
  new Option("--url <url>", "where the server is (default: TUNNELPLANE_BASE_URL, else http://127.0.0.1:4040)"),
  new Option("--api-key <key>", "the API key; better in TUNNELPLANE_API_KEY, which other users of the machine do not see"),
];
