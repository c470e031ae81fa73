import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { Engine, type EngineOptions, type Run } from "./engine";
import { Rest } from "./rest";
import { ServerProcess, type StartOptions } from "./server";

/** A server, and stacks on it, which all go when the test file ends. */
export class World {
  private readonly engines: Engine[] = [];
  private readonly servers: ServerProcess[] = [];

  async server(options?: StartOptions): Promise<ServerProcess & { rest: Rest }> {
    const server = await ServerProcess.start(options);
    this.servers.push(server);
    return Object.assign(server, { rest: new Rest(server.url, server.apiKey) });
  }

  async stack(server: Pick<ServerProcess, "url" | "apiKey">, program: PulumiFn, options: Partial<EngineOptions> = {}): Promise<Engine> {
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey, ...options.env };
    const engine = await Engine.create({ ...options, program, env });
    this.engines.push(engine);
    return engine;
  }

  async close(): Promise<void> {
    for (const engine of this.engines) engine.dispose();
    for (const server of this.servers) await server.stop();
  }
}

/** What the engine did, as `<op> <name> <properties>`; what stayed the same is left out. */
export const changesOf = (run: Run): string[] =>
  run.steps.filter(({ op }) => op !== "same" && op !== "refresh").map(({ op, name, changes }) => [op, name, ...changes].join(" "));

/** The message of a run that has to fail. */
export async function failureOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It succeeded, but it should have failed");
}

/** The requests that a server gets while something runs, as `<method> <path>`. */
export async function requestsDuring(server: ServerProcess, run: () => Promise<unknown>): Promise<string[]> {
  const log = await server.logDuring(run);
  return log
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; path: string })
    .map(({ method, path }) => `${method} ${path}`);
}

/** The certificates of an authority and of a leaf that it signed, made by OpenSSL. */
export function makeCertificates(name: string): { authority: string; leaf: string } {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-ca-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  try {
    openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", `/CN=${name}`);
    openssl("req", "-newkey", "ed25519", "-nodes", "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf");
    openssl(
      "req",
      "-x509",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-in",
      "leaf.csr",
      "-out",
      "leaf.pem",
      "-addext",
      "basicConstraints=CA:FALSE",
    );
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    return { authority: read("ca.pem"), leaf: read("leaf.pem") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A public key made by ssh-keygen. */
export function makeSshKey(): string {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-key-"));
  try {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", join(folder, "key")]);
    return readFileSync(join(folder, "key.pub"), "utf8").trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
