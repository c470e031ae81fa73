import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sshKey } from "../support/api/fixtures";
import { freePort, reachable } from "../support/ports";
import { size } from "../support/size";
import { LOGIN, SSHD, Sshd } from "../support/sshd";
import { IN_DEFAULT, SshServerAlone } from "./sshServer";

const MIB = 1024 * 1024;

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

  it("an agent that no longer answers is hung up on, and its socket goes", async () => {
    const child = agent("service=web:443");
    await until(() => one.open().length === 1);
    child.kill("SIGSTOP");
    await until(() => one.ssh.agents.length === 0);
    expect(one.open()).to.deep.equal([]);
  });

  it("an agent whose last bind is cancelled stays, and leaves no socket", async () => {
    const control = join(one.folder, "key-control");
    const options = ["ControlMaster=yes", `ControlPath=${control}`];
    one.agent(["service=web:443", "service=web,n=1:443"], options).stderr?.resume();
    await until(() => one.ssh.agents[0]?.bind.length === 3);
    for (const [bind, left] of Object.entries({
      "service=web:443": "serving",
      "service=web,n=1:443": "idle",
    })) {
      await once(one.control(control, "cancel", bind), "exit");
      await until(() => one.ssh.states.join() === left);
    }
    expect(one.open()).to.deep.equal([]);
  });

  /** How many bytes come, until the other side ends. */
  async function countOf(socket: Socket): Promise<number> {
    let count = 0;
    socket.on("data", (chunk) => {
      count += chunk.length;
    });
    await once(socket, "end");
    return count;
  }

  const closed: Server[] = [];
  after(() => closed.forEach((server) => void server.close()));

  type Serve = (socket: Socket) => Promise<unknown>;
  async function listening(serve: Serve): Promise<string> {
    const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket));
    closed.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** An application behind the only agent; opens connections to it as Envoy does. */
  async function behindGateway(serve: Serve): Promise<() => Socket> {
    behind?.kill();
    await until(() => one.open().length === 0);
    behind = one.agent(["service=web:443"], [], await listening(serve));
    behind.stderr?.resume();
    await until(() => one.open().length === 1);
    return () => connect({ path: join(one.folder, one.open().join()), allowHalfOpen: true });
  }
  let behind: ChildProcess | undefined;

  /** The same behind OpenSSH's own server. */
  async function behindSshd(serve: Serve): Promise<() => Socket> {
    const [key, port] = [sshKey(), await freePort()];
    const { port: sshd } = await Sshd.start({ authorized: key.openssh });
    const to = { key, port: sshd, user: LOGIN };
    one.agent([`127.0.0.1:${port}`], [], await listening(serve), to).stderr?.resume();
    await reachable(port);
    return () => connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  }

  for (const [server, behindServer] of Object.entries({
    "the gateway": behindGateway,
    "OpenSSH's sshd": behindSshd,
  }))
    it(`every byte arrives where the caller ends its side first, and where the application does: ${server}`, async function () {
      if (server !== "the gateway" && !SSHD) this.skip();
      const answering = await behindServer(async (socket) => socket.end(Buffer.alloc(await countOf(socket))));
      const answerTo = (size: number) => countOf(answering().end(Buffer.alloc(size)));
      for (const bytes of [1, 1003, 70_000, 3 * MIB, 16 * MIB])
        for (let round = 0; round < size(bytes > MIB ? 2 : 20, bytes > MIB ? 20 : 3320); round++)
          expect(await answerTo(bytes)).to.equal(bytes);
      const together = Array<number>(40).fill(70_000);
      expect(await Promise.all(together.map(answerTo))).to.deep.equal(together);

      const heard: Promise<number>[] = [];
      const speaking = await behindServer(async (socket) => {
        heard.push(countOf(socket));
        socket.end(Buffer.alloc(MIB));
      });
      for (const bytes of [1, 16 * MIB]) {
        const caller = speaking();
        expect(await countOf(caller)).to.equal(MIB);
        caller.end(Buffer.alloc(bytes));
        expect(await heard.at(-1)).to.equal(bytes);
      }
    });
});
