import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, type ClientChannel } from "ssh2";
import type { BindAuthority } from "../../gateway/src/agents/serverAuthority";
import { sshKey } from "../support/api/fixtures";
import { freePort, reachable } from "../support/ports";
import { refusedBeside } from "../support/refusal";
import { size } from "../support/size";
import { LOGIN, SSHD, Sshd } from "../support/sshd";
import { IN_DEFAULT, SshServerAlone } from "./sshServer";

const MIB = 1024 * 1024;

/** The parts of ssh2's client that a hostile one would use. */
interface Hostile extends Client {
  readonly _sock: Socket;
  readonly _protocol: {
    channelOpenConfirm(theirs: number, ours: number, window: number, packetSize: number): void;
  };
}

describe("Limits of agents", () => {
  let one: SshServerAlone;
  /** Resolves when the authority may answer. */
  let answered: Promise<unknown>;
  let asked: number;
  beforeEach("start an SSH server whose authority allows everything", async () => {
    answered = Promise.resolve();
    asked = 0;
    one = await SshServerAlone.start(EVERYTHING);
  });
  const EVERYTHING: BindAuthority = {
    async ask(_proof, bind) {
      asked += bind.length;
      if (bind.length > 0) await answered;
      return { allowed: true, credential: "sshcr_1", projects: IN_DEFAULT, reason: "" };
    },
  };
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

  const clients: Client[] = [];
  afterEach(() => clients.splice(0).forEach((client) => void client.destroy()));

  /** An agent for service=web that lets us send so much. `called` is how it sees the next caller. */
  async function hostile(window = 2 * MIB, packetSize = 32_768) {
    const client = new Client() as Hostile;
    clients.push(client);
    client.on("error", () => undefined);
    client.connect({ host: "127.0.0.1", port: one.port, username: "any", privateKey: sshKey().privateKey });
    await once(client, "ready");
    const confirm = client._protocol.channelOpenConfirm.bind(client._protocol);
    client._protocol.channelOpenConfirm = (theirs, ours) => confirm(theirs, ours, window, packetSize);
    const called = new Promise<ClientChannel>((resolve) =>
      client.once("tcp connection", (_, accept) => resolve(accept())),
    );
    await promisify(client.forwardIn.bind(client))("service=web", 443);
    await until(() => one.open().length === 1);
    const caller = connect({ path: join(one.folder, one.open().join()) });
    caller.on("error", () => undefined);
    const ended = new Promise<string>((resolve) => client.once("close", () => resolve("hung up")));
    const leave = () => {
      client.end();
      return until(() => one.open().length === 0);
    };
    return { client, called, caller, ended, leave };
  }

  /** Lets agents be silent: those in this process, which is busy, are. */
  async function becomePatient(): Promise<void> {
    await one.stop();
    one = await SshServerAlone.start(EVERYTHING, 60_000);
  }

  it("an agent that takes only tiny packets is hung up on before anything is sent to it", async () => {
    const firstBytes = (packetSize: number) => async () => {
      const { called, caller, ended, leave } = await hostile(2 * MIB, packetSize);
      caller.write("hello");
      const heard = called.then(async (channel) => String((await once(channel, "data"))[0]));
      const what = await Promise.race([heard, ended]);
      await leave();
      return what;
    };
    await refusedBeside({
      ...{ refused: [firstBytes(1023), firstBytes(1)], as: "hung up" },
      ...{ allowed: firstBytes(1024), allowedAs: "hello" },
    });
  });

  it("an agent that sends more than a caller reads is hung up on: nothing beyond the window is kept", async () => {
    await becomePatient();
    const afterBytes = (bytes: number) => async () => {
      const { client, called, ended, leave } = await hostile();
      const channel = (await called) as ClientChannel & { outgoing: object };
      // The window does not end where a packet does.
      Object.assign(channel.outgoing, { window: Number.POSITIVE_INFINITY, packetSize: 30_000 });
      await new Promise((resolve) => channel.write(Buffer.alloc(bytes), resolve));
      const answered = new Promise<string>((resolve) =>
        client.unforwardIn("any", 1, (error) => error || resolve("stays")),
      );
      const what = await Promise.race([answered, ended]);
      await leave();
      return what;
    };
    await refusedBeside({
      ...{ refused: afterBytes(16 * MIB), as: "hung up" },
      ...{ allowed: afterBytes(2 * MIB), allowedAs: "stays" },
    });
  });

  it("what callers send waits at them while the agent does not read, whatever it says that it takes", async () => {
    await becomePatient();
    const { client, called, caller } = await hostile(0xffff_ffff);
    const channel = await called;
    client._sock.pause();
    const total = 64;
    let [sent, seen, quiet] = [0, 0, 0];
    const next = () => void (++sent <= total && caller.write(Buffer.alloc(MIB), next));
    next();
    for (; quiet < 50 && sent < total; quiet = sent === seen ? quiet + 1 : 0) {
      seen = sent;
      await sleep(10);
    }
    expect(sent, "MiB that were taken").to.be.below(32);
    client._sock.resume();
    await until(() => sent > total);
    caller.end();
    expect(await countOf(channel as unknown as Socket)).to.equal(total * MIB);
  });

  it("an agent that asks for a thousand things in a minute is hung up on", async () => {
    await becomePatient();
    const afterRequests = (count: number) => async () => {
      const { client, ended, leave } = await hostile();
      let answers = 0;
      const answered = new Promise<string>((resolve) => {
        for (let asked = 0; asked < count; asked++)
          client.unforwardIn("any", 1, (error) => error || (++answers === count && resolve("stays")));
      });
      const what = await Promise.race([answered, ended]);
      await leave();
      return what;
    };
    await refusedBeside({
      ...{ refused: afterRequests(1000), as: "hung up" }, // besides its bind
      ...{ allowed: afterRequests(999), allowedAs: "stays" },
    });
  });

  it("an agent that asks for a bind as long as a packet fills no log", async () => {
    const { client, leave } = await hostile();
    const refusal = (address: string) =>
      new Promise<string>((resolve) =>
        client.forwardIn(address, 443, (error) => resolve(error?.message ?? "")),
      );
    expect(await refusal("a".repeat(30_000))).to.contain("Unable to bind");
    expect(one.log.at(-1)).to.contain("may have at most 1024 characters");
    expect(one.loggedBytes).to.be.within(1024, 3000);
    await leave();
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
      const rounds = (short: number, long: number) => (server === "the gateway" ? size(short, long) : short);
      for (const bytes of [1, 1003, 70_000, 3 * MIB, 16 * MIB])
        for (let round = 0; round < (bytes > MIB ? rounds(2, 20) : rounds(20, 3320)); round++)
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
