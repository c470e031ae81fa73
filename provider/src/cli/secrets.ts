import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { keyOf, unsealed } from "../adopt/secrets";
import { NO_ENGINE } from "../operation/stateBackend";

/**
 * `secrets`: sets the configuration that an adopted program reads. Passes values through standard input,
 * never as arguments.
 */
export function secretsCommand(): Command {
  return new Command("secrets")
    .description("Copy the secrets of an import file into the configuration of the stack in the same folder")
    .argument("<file>", "the import file that adopt wrote")
    .option("--stack <name>", "name of the stack (default: the selected one)")
    .action((file: string, { stack }: { stack?: string }) => {
      const resources = resourcesOf(file);
      const secrets = resources.flatMap(({ name, inputs }) =>
        unsealed(inputs).map(({ path, secret }) => ({ key: keyOf(name, path), secret })),
      );
      for (const { key, secret } of secrets) set(dirname(file), key, secret, stack);
      console.log(`${secrets.length} secrets are set`);
    });
}

function resourcesOf(file: string): { name: string; inputs: unknown }[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    // Keep the file's content out of the message, because it holds secrets.
    throw new Error(
      error instanceof SyntaxError
        ? `${file} is not JSON; expected the import file that adopt wrote`
        : messageOf(error),
    );
  }
  const { resources } = (read ?? {}) as { resources?: { name: string; inputs: unknown }[] };
  if (!Array.isArray(resources))
    throw new Error(`${file} holds no \`resources\`; expected the import file that adopt wrote`);
  return resources;
}

function set(folder: string, key: string, secret: string, stack: string | undefined): void {
  const args = [
    "config",
    "set",
    "--secret",
    "--non-interactive",
    ...(stack === undefined ? [] : ["--stack", stack]),
    key,
  ];
  try {
    // The engine removes one line break from the end of its input.
    execFileSync("pulumi", args, {
      cwd: folder,
      input: `${secret}\n`,
      stdio: ["pipe", "ignore", "pipe"],
      encoding: "utf8",
    });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    const reason =
      code === "ENOENT"
        ? NO_ENGINE
        : String(stderr ?? "")
            .trim()
            .split("\n")[0];
    throw new Error(`pulumi config set --secret ${key} failed: ${reason}`);
  }
}
