import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import type { Report } from "@tunnelplane/pulumi/review";
import { commandsInOne } from "../support/commandsInOne";
import type { Engine } from "../support/engine";
import { newFolder } from "../support/folder";
import type { World } from "../support/provider";
import type { ServerProcess } from "../support/server";

const CLI = join(__dirname, "../../provider/dist/cli/main.js");
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export function runReview(
  args: readonly string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const { TUNNELPLANE_BASE_URL: _url, TUNNELPLANE_API_KEY: _key, ...rest } = process.env;
  const child = spawn(process.execPath, [CLI, "review", ...args], { env: { ...rest, ...env } });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdin.on("error", () => {}); // on a refusal, the command does not read its whole input
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

export const runReviews = (
  commands: readonly { args: readonly string[]; env?: Record<string, string> }[],
): Promise<Ended[]> =>
  commandsInOne(
    CLI,
    commands.map(({ args, env }) => ({ args: ["review", ...args], ...(env && { env }) })),
  );

export class Folder {
  readonly path = newFolder();

  write(name: string, content: string | Buffer): string {
    const file = join(this.path, name);
    writeFileSync(file, content);
    return file;
  }
}

export class Change {
  private current: PulumiFn;

  private constructor(base: PulumiFn) {
    this.current = base;
  }

  static async of(
    world: World,
    server: Pick<ServerProcess, "url" | "apiKey">,
    base: PulumiFn,
  ): Promise<Change & { engine: Engine }> {
    const change = new Change(base);
    const engine = await world.stack(server, () => change.current());
    await engine.up();
    return Object.assign(change, { engine });
  }

  preview(this: Change & { engine: Engine }, program: PulumiFn, flags?: readonly string[]): Promise<string> {
    this.current = program;
    return this.engine.previewJson(flags);
  }
}

export const rulesIn = ({ findings }: Report): string[] =>
  findings.map(({ rule, address, name }) => `${rule} ${address ?? name}`);

/** A preview in the engine's format, with only the parts that a review reads. */
export const previewOf = (steps: readonly object[]): string =>
  JSON.stringify({ steps, duration: 1, changeSummary: { same: 0 } });

export type Inputs = Readonly<Record<string, unknown>>;

/** A step of a resource. Without `before`, the resource is created; without `after`, it is deleted. */
export function step(
  type: string,
  name: string,
  { before, after }: { before?: Inputs; after?: Inputs },
  id = `id_of_${name}`,
): object {
  const urn = `urn:pulumi:dev::tunnels::pulumi-nodejs:dynamic/tunnelplane:${type}::${name}`;
  const op = !before
    ? "create"
    : !after
      ? "delete"
      : JSON.stringify(before) === JSON.stringify(after)
        ? "same"
        : "update";
  const stackTrace = [
    { sourcePosition: `project:///node_modules/@tunnelplane/pulumi/dist/generated/${type}.js#1,1` },
    { sourcePosition: "project:///src/edges.ts#7,3" },
  ];
  return {
    op,
    urn,
    ...(before && { oldState: { urn, id, inputs: before, outputs: before, stackTrace } }),
    ...(after && { newState: { urn, inputs: after, stackTrace } }),
  };
}

export const same = (type: string, name: string, inputs: Inputs): object =>
  step(type, name, { before: inputs, after: inputs });

/** A check of tokens in the Authorization header. */
export const tokensOf = (
  audiences: readonly string[] = ["api"],
  allowedAlgorithms: ("RS256" | "ES256")[] = ["RS256", "ES256"],
) => ({
  issuer: { allowList: [{ value: "https://id.example.com" }] },
  audience: { allowList: audiences.map((value) => ({ value })) },
  http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " } as const] },
  jws: { allowedAlgorithms, keys: { sources: { additionalJkus: ["https://id.example.com/keys"] } } },
});

/** A step of a TLS edge that serves `<name>.example.com:443`, and by default asks for client certificates. */
export function tlsEdge(name: string, { before, after }: { before?: Inputs; after?: Inputs }): object {
  const common = {
    hostports: [`${name}.example.com:443`],
    mutualTls: { enabled: true, certificateAuthorityIds: ["ca_of_others"] },
  };
  const whole = (inputs: Inputs | undefined) => inputs && { ...common, ...inputs };
  return step("TlsEdge", name, { before: whole(before), after: whole(after) });
}
