import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { IN_DEFAULT, SshServerAlone } from "./sshServer";

describe("Limits of agents", () => {
  let one: SshServerAlone;
  /** Resolves when the authority may answer. */
  let answered: Promise<unknown>;
  let asked: number;
  beforeEach("start an SSH server whose authority allows everything", async () => {
    answered = Promise.resolve();
    asked = 0;
    one = await SshServerAlone.start({
      async ask(_proof, bind) {
        asked += bind.length;
        if (bind.length > 0) await answered;
        return { allowed: true, credential: "sshcr_1", projects: IN_DEFAULT, reason: "" };
      },
    });
  });
  afterEach(() => one.stop());

  function agent(...binds: string[]): ChildProcess {
    const child = one.agent(binds);
    child.stderr?.resume();
    return child;
  }

  const until = async (is: () => boolean) => {
    while (!is()) await sleep(10);
  };

  it("one connection binds a hundred things, however fast it asks", async () => {
    let answer: (nothing?: unknown) => void = () => undefined;
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    agent(...Array.from({ length: 101 }, (_, index) => `service=web,n=${index}:443`));
    await until(() => one.log.length > 0);
    expect(one.log).to.deep.equal(["agent refused a connection may bind 100 things"]);
    expect(asked, "two labels each").to.equal(200);
    answer();
    await until(() => one.ssh.agents[0]?.bind.length === 200);
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
    await until(() => one.ssh.connections === 0);
    answer();
    await sleep(50);
    expect(one.open()).to.deep.equal([]);
    expect(one.log).to.deep.equal([]);
  });

  it("strangers who do not log in can keep out only others of their own address", async () => {
    const strangers: Socket[] = [];
    try {
      for (let count = 0; count < 100; count++) {
        const socket = connect(one.port, "127.0.0.1");
        strangers.push(socket);
        await once(socket, "data");
      }
      const greeting = async (localAddress: string) => {
        const socket = connect({ port: one.port, host: "127.0.0.1", localAddress });
        strangers.push(socket);
        const [said] = await Promise.race([
          once(socket, "data"),
          once(socket, "close").then(() => ["hung up"]),
        ]);
        return String(said).slice(0, 7);
      };
      expect(await greeting("127.0.0.2")).to.equal("SSH-2.0");
      const before = one.ssh.connections;
      await greeting("127.0.0.1");
      await until(() => one.ssh.connections === before);
      strangers[0]?.destroy();
      await until(() => one.ssh.connections < before);
      agent("service=web:443");
      await until(() => one.ssh.agents.length === 1);
    } finally {
      for (const socket of strangers) socket.destroy();
    }
  });

  it("an agent that no longer answers is hung up on, and its socket goes", async () => {
    const child = agent("service=web:443");
    await until(() => one.open().length === 1);
    child.kill("SIGSTOP");
    await until(() => one.ssh.agents.length === 0);
    expect(one.open()).to.deep.equal([]);
  });
});
