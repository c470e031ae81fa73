import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { keyOf, unsealed } from "../adopt/secrets";

/** `secrets`: sets the configuration that an adopted program reads. Values go through standard input, never through arguments. */
export function secretsCommand(): Command {
  return new Command("secrets")
    .description("Set the secrets of an import file in the configuration of the stack beside it")
    .argument("<file>", "the import file that adopt wrote")
    .option("--stack <name>", "the stack (default: the one that is selected)")
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
    // The file holds secrets: keep its content out of the message.
    throw new Error(error instanceof SyntaxError ? `${file} is no JSON; expected the import file that adopt wrote` : messageOf(error));
  }
  const { resources } = (read ?? {}) as { resources?: { name: string; inputs: unknown }[] };
  if (!Array.isArray(resources)) throw new Error(`${file} holds no \`resources\`; expected the import file that adopt wrote`);
  return resources;
}

function set(folder: string, key: string, secret: string, stack: string | undefined): void {
  const args = ["config", "set", "--secret", "--non-interactive", ...(stack === undefined ? [] : ["--stack", stack]), key];
  try {
    // The engine takes away one line break from the end of what it reads.
    execFileSync("pulumi", args, { cwd: folder, input: `${secret}\n`, stdio: ["pipe", "ignore", "pipe"], encoding: "utf8" });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    const reason =
      code === "ENOENT"
        ? "there is no `pulumi` on the PATH"
        : String(stderr ?? "")
            .trim()
            .split("\n")[0];
    throw new Error(`pulumi config set --secret ${key} failed: ${reason}`);
  }
}
