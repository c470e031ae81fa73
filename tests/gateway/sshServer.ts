import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { declaredBy } from "../../gateway/src/agents/declared";
import { HostKeys } from "../../gateway/src/agents/hostKeys";
import type { BindAuthority } from "../../gateway/src/agents/serverAuthority";
import { AgentSockets } from "../../gateway/src/agents/sockets";
import { SshServer } from "../../gateway/src/agents/sshServer";
import { type Objects, objectsOf } from "../../gateway/src/envoy/model";
import { sshKey } from "../support/api/fixtures";
import { newFolder } from "../support/folder";
import { freePort } from "../support/ports";
import { TRUSTING } from "./running";

/** The projects of a credential where there is no other. */
export const IN_DEFAULT = [DEFAULT_PROJECT.id];

/** The gateway's SSH server alone, in this process: tunnels with the label service=web are declared. */
export class SshServerAlone {
  readonly log: string[] = [];
  /** Of what its lines say besides. */
  loggedBytes = 0;
  readonly #processes: ChildProcess[] = [];

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly ssh: SshServer,
    private readonly sockets: AgentSockets,
  ) {}

  static async start(authority: BindAuthority, keepAliveMs = 100): Promise<SshServerAlone> {
    const folder = newFolder();
    const port = await freePort();
    const sockets = new AgentSockets(folder);
    sockets.declare(
      declaredBy({
        ...objectsOf([]),
        tunnel_group_backend: [{ labels: { service: "web" } }],
      } as unknown as Objects),
    );
    const ssh = await SshServer.start({
      address: "127.0.0.1",
      port,
      hostKeys: await HostKeys.open({
        file: join(folder, "host_key"),
        certificate: undefined,
        warn: () => undefined,
      }),
      authority,
      sockets,
      log: (message, fields: { reason?: string }) => {
        one.log.push(`${message} ${fields.reason ?? ""}`);
        one.loggedBytes += JSON.stringify(fields).length;
      },
      keepAliveMs,
    });
    ssh.admitOnly(undefined);
    const one: SshServerAlone = new SshServerAlone(folder, port, ssh, sockets);
    return one;
  }

  /** The stock client; its messages are on `stderr`. */
  agent(
    binds: readonly string[],
    options: readonly string[] = [],
    local = "127.0.0.1:9",
    to = { key: sshKey(), port: this.port, user: "any" },
  ): ChildProcess {
    const key = join(this.folder, `key${this.#processes.length}`);
    writeFileSync(key, to.key.privateKey, { mode: 0o600 });
    const all = [
      ...TRUSTING,
      `IdentityFile=${key}`,
      "IdentitiesOnly=yes",
      "IdentityAgent=none",
      "BatchMode=yes",
      ...options,
      "SessionType=none",
    ];
    const forwards = binds.flatMap((bind) => ["-R", `${bind}:${local}`]);
    const args = [
      "-F",
      "none",
      "-p",
      String(to.port),
      ...all.flatMap((one) => ["-o", one]),
      ...forwards,
      `${to.user}@127.0.0.1`,
    ];
    const child = spawn("ssh", args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#processes.push(child);
    return child;
  }

  /** Has a client with a control socket do something with a bind. */
  control = (path: string, what: "cancel", bind: string, local = "127.0.0.1:9"): ChildProcess =>
    spawn("ssh", ["-F", "none", "-S", path, "-O", what, "-R", `${bind}:${local}`, "any@127.0.0.1"], {
      stdio: "ignore",
    });

  open = (): string[] => readdirSync(this.folder).filter((name) => !/^(key|host_key)/.test(name));

  async stop(): Promise<void> {
    for (const child of this.#processes) child.kill("SIGKILL");
    await this.ssh.stop();
    this.sockets.stop();
  }
}
