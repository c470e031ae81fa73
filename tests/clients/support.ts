import { execFile } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServerProcess } from "../support/server";

const ROOT = join(__dirname, "../..");
const execute = promisify(execFile);

/** An empty folder where programs find our packages; not in node_modules, where compilers emit nothing. */
export function workshop(name: string): string {
  const folder = join(ROOT, ".tunnelplane/clients", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

export const putProgram = (name: string, folder: string): void =>
  cpSync(join(__dirname, "programs", name), join(folder, name));

/** Writes the document that a server serves into a folder, as a user would fetch it. */
export async function fetchDocument({ url }: ServerProcess, folder: string): Promise<void> {
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${url}/openapi.json`)).text());
}

/** Runs a command to its end, and returns what it printed for programs; fails with all that it printed. */
export async function runIn(
  folder: string,
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  try {
    const { stdout } = await execute(file, [...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message.split("\n")[0]}\n${stdout.slice(-4000)}${stderr.slice(-4000)}`);
  }
}

/** A command that a package of the repository brings along. */
export const tool = (name: string): string => join(ROOT, "node_modules/.bin", name);
