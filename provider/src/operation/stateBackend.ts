import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Where a command of the engine cannot be run. */
export const NO_ENGINE =
  "there is no `pulumi` on the PATH; this installs it: curl -fsSL https://get.pulumi.com | sh";

const FIRST_PAUSE_MS = 100;

/**
 * Runs something, again after an error that may pass by itself. The pauses begin with 100 ms and double.
 *
 * @param attempts how often it is run at most; after the last one, its error is thrown
 */
export async function retried<T>(
  attempts: number,
  run: () => Promise<T>,
  isTemporary: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attempts || !isTemporary(error)) throw error;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/**
 * Identifies the backend where the engine keeps its state: stacks with the same name in two backends are
 * different stacks. Looks where the engine looks; the provider runs in the project's folder and with the
 * engine's environment. A state in files is told by an id that is kept beside it.
 */
export function stateBackend(environment: NodeJS.ProcessEnv): string {
  const url =
    environment.PULUMI_BACKEND_URL ||
    read("Pulumi.yaml", backendOfProject) ||
    read(
      join(environment.PULUMI_HOME ?? join(homedir(), ".pulumi"), "credentials.json"),
      (text) => JSON.parse(text).current,
    ) ||
    "";
  return url.startsWith(FILES) ? idBeside(url) : url;
}

const FILES = "file:";
/** The folder of the engine's own files in a state that is kept in files. */
const STATE_FOLDER = ".pulumi";
const ID_FILE = "tunnelplane-id";

/** The ids that this process has read, by the address of their state. */
const ids = new Map<string, string>();

/**
 * The id of a state in files. Its path does not identify it: another machine or container may have another
 * state there, or the same one elsewhere. So an id is kept beside it, made at the first use.
 */
function idBeside(url: string): string {
  const known = ids.get(url);
  if (known !== undefined) return known;
  const id = readOrMakeId(folderOf(url));
  // Without a file that can be read or written: a path is unique on its own machine only.
  const unique = id ?? `${hostname()} ${process.cwd()} ${url}`;
  ids.set(url, unique);
  return unique;
}

function folderOf(url: string): string {
  const path = url.slice(FILES.length).replace(/^\/\//, "");
  return resolve(path.startsWith("~") ? join(homedir(), path.slice(1)) : path, STATE_FOLDER);
}

function readOrMakeId(folder: string): string | undefined {
  const file = join(folder, ID_FILE);
  try {
    // Another run may make it at the same time.
    writeFileSync(file, `${randomUUID()}\n`, { flag: "wx", mode: 0o644 });
  } catch {
    // It is there, or the folder cannot be written.
  }
  return read(file, (text) => text.trim() || undefined);
}

function backendOfProject(text: string): unknown {
  if (!/^["']?backend\b/m.test(text)) return undefined; // and the YAML reader need not be loaded
  const { parse }: typeof import("yaml") = require("yaml");
  return parse(text).backend?.url;
}

function read(path: string, find: (text: string) => unknown): string | undefined {
  try {
    const found = find(readFileSync(path, "utf8"));
    return typeof found === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

/** A resource in a stack's state. */
export interface RecordedResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  /** The URN of its parent; of most, that is the stack. */
  readonly parent?: string;
  /** The URN and the id of its provider, with two colons between. */
  readonly provider?: string;
  /** Whether it was replaced, and is still to be deleted. */
  readonly delete?: boolean;
  readonly external?: boolean;
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/**
 * Whether a resource belongs to a provider.
 *
 * @param urn of the provider; undefined for the engine's own
 */
export function isOf({ provider }: RecordedResource, urn: string | undefined): boolean {
  const own = provider?.split("::").slice(0, -1).join("::");
  return own === urn || (isDefault(own) && isDefault(urn));
}

/** Whether a provider is the engine's own, whatever its version. */
const isDefault = (urn: string | undefined): boolean => urn === undefined || /::default[^:]*$/.test(urn);

/**
 * How often a state is read. The engine keeps the state before the last in a file beside it, so while it
 * writes a new one to a file there is none for a moment.
 */
const ATTEMPTS = 5;

/**
 * Reads a stack's state with `pulumi stack export`, the only way for a provider to get it. Secrets in it stay
 * encrypted. Throws if there is no such command or stack, with the command's own words.
 *
 * @param stack `<organization>/<project>/<stack>`
 */
export async function recordedResources(stack: string): Promise<readonly RecordedResource[]> {
  const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
  try {
    return await retried(
      ATTEMPTS,
      () => exported(stack),
      (error) => !isMissing(error),
    );
  } catch (error) {
    if (isMissing(error)) throw new Error(NO_ENGINE, { cause: error });
    const { stderr } = error as { readonly stderr?: string };
    throw stderr?.trim() ? new Error(stderr.trim(), { cause: error }) : error;
  }
}

async function exported(stack: string): Promise<readonly RecordedResource[]> {
  const command = ["stack", "export", "--non-interactive", "--stack", stack];
  const { stdout } = await promisify(execFile)("pulumi", command, { maxBuffer: Infinity });
  const { deployment }: { deployment: { resources?: RecordedResource[] | null } | null } = JSON.parse(stdout);
  return deployment?.resources ?? [];
}
