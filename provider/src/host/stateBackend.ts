import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";

/**
 * Names the place where the engine keeps its state, as the engine finds it: stacks of one name in two places are two
 * stacks. The provider runs in the project's folder, with the environment of the engine.
 */
export function stateBackend(environment: NodeJS.ProcessEnv): string {
  const place =
    environment.PULUMI_BACKEND_URL ||
    read("Pulumi.yaml", (text) => parse(text).backend?.url) ||
    read(join(environment.PULUMI_HOME ?? join(homedir(), ".pulumi"), "credentials.json"), (text) => JSON.parse(text).current) ||
    "";
  // A path says nothing without the machine that it is on.
  return place.startsWith("file:") ? `${hostname()} ${process.cwd()} ${place}` : place;
}

function read(path: string, find: (text: string) => unknown): string | undefined {
  try {
    const found = find(readFileSync(path, "utf8"));
    return typeof found === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

/** A resource as a stack's state has it. */
export interface RecordedResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly provider?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/**
 * What a stack's state holds, from the engine's command line: nothing else tells a provider. The export has no secrets
 * in clear. Throws where there is no such command or stack.
 *
 * @param stack `<organization>/<project>/<stack>`
 */
export async function recordedResources(stack: string): Promise<readonly RecordedResource[]> {
  const { stdout } = await promisify(execFile)("pulumi", ["stack", "export", "--non-interactive", "--stack", stack], {
    maxBuffer: Infinity,
  });
  const { deployment } = JSON.parse(stdout) as { deployment: { resources?: RecordedResource[] | null } };
  return deployment.resources ?? [];
}
