import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { declaredBy } from "../../gateway/src/agents/declared";
import { HostKeys } from "../../gateway/src/agents/hostKeys";
import { AgentSockets } from "../../gateway/src/agents/sockets";
import { SshServer } from "../../gateway/src/agents/sshServer";
import { type Objects, objectsOf } from "../../gateway/src/envoy/model";
import { sshKey } from "../support/api/fixtures";
import { freePort } from "../support/ports";
import { TRUSTING } from "./running";

describe("Limits of agents", () => {
  let folder: string;
  let port: number;
  let ssh: SshServer;
  let sockets: AgentSockets;
  /** Resolves when the authority may answer. */
  let answered: Promise<unknown>;
  let asked: number;
  const log: string[] = [];
  const processes: ChildProcess[] = [];
  beforeEach("start an SSH server whose authority allows everything", async () => {
    folder = mkdtempSync(join(tmpdir(), "tpl-"));
    port = await freePort();
    answered = Promise.resolve();
    asked = 0;
    log.length = 0;
    sockets = new AgentSockets(folder);
    sockets.declare(declaredBy({ ...objectsOf([]), tunnel_group_backend: [{ labels: { service: "web" } }] } as unknown as Objects));
    ssh = await SshServer.start({
      address: "127.0.0.1",
      port,
      hostKeys: await HostKeys.open({ file: join(folder, "host_key"), certificate: undefined, complain: () => undefined }),
      authority: {
        async ask(_proof, bind) {
          asked += bind.length;
          if (bind.length > 0) await answered;
          return { allowed: true, credential: "sshcr_1", reason: "" };
        },
      },
      sockets,
      log: (message, { reason = "" }: { reason?: string }) => void log.push(`${message} ${reason}`),
      keepAliveMs: 100,
    });
  });
  afterEach(async () => {
    for (const child of processes) child.kill("SIGKILL");
    await ssh.stop();
    sockets.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function agent(...binds: string[]): ChildProcess {
    const key = join(folder, `key${processes.length}`);
    writeFileSync(key, sshKey().privateKey, { mode: 0o600 });
    const options = [...TRUSTING, `IdentityFile=${key}`, "IdentitiesOnly=yes", "IdentityAgent=none", "BatchMode=yes"];
    const forwards = binds.flatMap((bind) => ["-R", `${bind}:127.0.0.1:9`]);
    const args = ["-F", "none", "-N", "-p", String(port), ...options.flatMap((one) => ["-o", one]), ...forwards, "any@127.0.0.1"];
    const child = spawn("ssh", args, { stdio: "ignore" });
    processes.push(child);
    return child;
  }

  /** The Unix sockets that Envoy would connect to. */
  const open = () => readdirSync(folder).filter((name) => !/^(key|host_key)/.test(name));
  const until = async (is: () => boolean) => {
    while (!is()) await sleep(10);
  };

  it("one connection binds a hundred things, however fast it asks", async () => {
    let answer: (nothing?: unknown) => void = () => undefined;
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    agent(...Array.from({ length: 101 }, (_, index) => `service=web,n=${index}:443`));
    await until(() => log.length > 0);
    expect(log).to.deep.equal(["agent refused a connection may bind 100 things"]);
    expect(asked, "two labels each").to.equal(200);
    answer();
    await until(() => ssh.agents[0]?.bind.length === 200);
  });

  it("an agent that hangs up while the server is being asked leaves nothing behind", async () => {
    let answer: (nothing?: unknown) => void = () => undefined;
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    const child = agent("service=web:443");
    await until(() => asked > 0);
    child.kill("SIGKILL");
    await once(child, "close");
    await until(() => ssh.connections === 0);
    answer();
    await sleep(50);
    expect(open()).to.deep.equal([]);
    expect(log).to.deep.equal([]);
  });

  it("strangers who do not log in keep out nobody but more of their own address", async () => {
    const strangers: Socket[] = [];
    try {
      for (let count = 0; count < 100; count++) {
        const socket = connect(port, "127.0.0.1");
        strangers.push(socket);
        await once(socket, "data");
      }
      const greeting = async (localAddress: string) => {
        const socket = connect({ port, host: "127.0.0.1", localAddress });
        strangers.push(socket);
        const [said] = await Promise.race([once(socket, "data"), once(socket, "close").then(() => ["hung up"])]);
        return String(said).slice(0, 7);
      };
      expect(await greeting("127.0.0.2")).to.equal("SSH-2.0");
      const before = ssh.connections;
      await greeting("127.0.0.1");
      await until(() => ssh.connections === before);
      strangers[0]?.destroy();
      await until(() => ssh.connections < before);
      agent("service=web:443");
      await until(() => ssh.agents.length === 1);
    } finally {
      for (const socket of strangers) socket.destroy();
    }
  });

  it("an agent that no longer answers is hung up on, and its socket goes", async () => {
    const child = agent("service=web:443");
    await until(() => open().length === 1);
    child.kill("SIGSTOP");
    await until(() => ssh.agents.length === 0);
    expect(open()).to.deep.equal([]);
  });
});
