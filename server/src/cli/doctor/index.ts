/** `tunnelplane doctor`: checks everything that can make a first run fail. */
import { Transport } from "@tunnelplane/sdk";
import { Command } from "commander";
import { type ApiOptions, credentialsFrom, withApiOptions } from "../api";
import { withExamples } from "../examples";
import { NegativeAnswer } from "../failures";
import { green, type OutputOptions, oneLine, outputOption, print, red, yellow } from "../output";
import { type Found, type State, wrong } from "./check";
import { engineCheck, nodeCheck } from "./machine";
import { keyCheck, serverChecks, storedCertificates, tlsCheck } from "./server";

const TIMEOUT_MS = 10_000;

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description(
      "Check Node, Pulumi's engine, the server, the API key, clocks, the database and certificates; exit code 1 if something is wrong",
    )
    .addOption(
      outputOption("a list of checks, each with `check`, `state` (ok, warning or wrong), `says` and `cure`"),
    )
    .action(async (options: ApiOptions & OutputOptions) => {
      const all = await examine(options);
      print(all, options, () => all.flatMap(linesOf));
      if (all.some(({ state }) => state === "wrong")) throw new NegativeAnswer();
    });
  return withExamples(withApiOptions(command), [
    "tunnelplane doctor",
    "looks at this machine, and at the server of TUNNELPLANE_BASE_URL",
  ]);
}

async function examine({ url, apiKey, project }: ApiOptions): Promise<Found[]> {
  const machine = [nodeCheck(), engineCheck()];
  const server = await serverChecks(url.replace(/\/+$/, ""));
  if (server[0]?.state !== "ok") return [...machine, ...server];
  const credentials = credentialsFrom(apiKey, url);
  if (!credentials)
    return [
      ...machine,
      ...server,
      wrong("key", "there is none", "set TUNNELPLANE_API_KEY"),
      await tlsCheck(url),
    ];
  const transport = new Transport({
    baseUrl: url,
    project: project || undefined,
    timeoutMs: TIMEOUT_MS,
    ...credentials,
  });
  try {
    const key = await keyCheck(transport);
    const stored = key.state === "wrong" ? [] : await storedCertificates(transport);
    return [...machine, ...server, key, await tlsCheck(url), ...stored];
  } finally {
    await transport.close();
  }
}

const SIGNS: Readonly<Record<State, string>> = { ok: green("✓"), warning: yellow("!"), wrong: red("✗") };

const linesOf = ({ check, state, says, cure }: Found): string[] => [
  `${SIGNS[state]} ${check.padEnd(12)} ${oneLine(says)}`,
  ...(cure ? [`  ${" ".repeat(12)} → ${cure}`] : []),
];
