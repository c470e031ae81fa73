import type { PulumiFn } from "@pulumi/pulumi/automation";
import { serverOfThisFile } from "./api/expect";
import { certificate, sshKey } from "./api/fixtures";
import { Engine, type EngineOptions, type Run } from "./engine";
import { ServerProcess, type StartOptions } from "./server";

export class World {
  server = (options?: StartOptions): Promise<ServerProcess> => ServerProcess.start(options);

  async stack(
    server: Pick<ServerProcess, "url" | "apiKey">,
    program: PulumiFn,
    options: Partial<EngineOptions> = {},
  ): Promise<Engine> {
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey, ...options.env };
    return Engine.create({ ...options, program, env });
  }
}

/** A server for the cases of a file, and stacks on it. */
export function worldOfThisFile(options?: StartOptions) {
  const world = new World();
  const server = serverOfThisFile(() => ServerProcess.start(options));
  return { world, server };
}

/** A `describe` with these. */
export const describeStacks = (
  title: string,
  tests: (of: ReturnType<typeof worldOfThisFile>) => void,
): void => {
  describe(title, () => tests(worldOfThisFile()));
};

/** The engine's steps as `<op> <name> <properties>`, without unchanged ones; with a prefix, its own. */
export const changesOf = (run: Run, prefix = ""): string[] =>
  run.steps
    .filter(({ op, name }) => op !== "same" && op !== "refresh" && name.startsWith(prefix))
    .map(({ op, name, changes }) => [op, name.slice(prefix.length), ...changes].join(" "));

/** The warnings or errors of a run, also of one that fails, as `<name of the resource>: <text>`. */
export async function saidDuring(
  stack: Engine,
  severity: "warning" | "error",
  run: () => Promise<unknown>,
): Promise<string[]> {
  const before = stack.events.length;
  await run().catch((error: unknown) => {
    if (severity !== "error") throw error;
  });
  return stack.events
    .slice(before)
    .map((event) => JSON.parse(event).diagnosticEvent)
    .filter((event) => event?.severity === severity)
    .map(({ urn, message }) => `${urn?.split("::").at(-1)}: ${message.trim()}`);
}

/** Why a run that tries all resources fails for each of them, by name. */
export async function failuresOf(stack: Engine, run: () => Promise<unknown>): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  for (const line of await saidDuring(stack, "error", run)) {
    const [name = "", text] = line.split(/: (.*)/s);
    failures.set(name, [failures.get(name), text].filter(Boolean).join("\n"));
  }
  return failures;
}

export async function failureOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It succeeded, but it should have failed");
}

/** The requests that a server gets while something runs, as `<method> <path>`. */
export async function requestsDuring(
  server: Pick<ServerProcess, "logDuring">,
  run: () => Promise<unknown>,
): Promise<string[]> {
  const log = await server.logDuring(run);
  return log
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; path: string })
    .map(({ method, path }) => `${method} ${path}`);
}

/** The certificates of an authority, and one of no authority. */
export const makeCertificates = (name: string): { authority: string; leaf: string } => ({
  authority: certificate({ name }).pem,
  leaf: certificate({ name: "leaf", extensions: ["basicConstraints = CA:FALSE"] }).pem,
});

export const makeSshKey = (): string => sshKey().openssh;
