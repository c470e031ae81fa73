import { type ChildProcess, execFileSync } from "node:child_process";
import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, type ConnectConfig, type ParsedKey, utils } from "ssh2";
import { sshKey } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { IN_DEFAULT, SshServerAlone } from "./sshServer";

/** The parts of ssh2's client that a hostile one would use. */
interface Hostile extends Client {
  readonly _protocol: {
    rekey(): void;
    authPK(user: string, key: ParsedKey): void;
    _handlers: Record<string, () => unknown>;
    _cipher: { encrypt(packet: Buffer): void };
    _kexinit: Buffer;
  };
}

const known = (algorithms: string) =>
  execFileSync("ssh", ["-Q", algorithms], { encoding: "utf8" }).trim().split("\n");

describe("Handshakes of agents", () => {
  let one: SshServerAlone;
  /** The key that may log in; undefined for every key. */
  let theOnlyKey: string | undefined;
  /** What clients were refused for, by what they asked to bind. */
  const sockets: Socket[] = [];
  beforeEach("start an SSH server that knows every key and no token", async () => {
    one = await SshServerAlone.start({
      ask: async (proof, bind) => {
        const refused = bind.filter((rule) => !rule.startsWith("bind:service="));
        const reason = `${refused.join(", ")} is not allowed by the ACL of credential sshcr_1`;
        const isKnown =
          !("token" in proof) && (theOnlyKey === undefined || theOnlyKey.startsWith(proof.public_key));
        const allowed = isKnown && refused.length === 0;
        return { allowed, credential: "sshcr_1", projects: IN_DEFAULT, reason };
      },
    });
  });
  afterEach(async () => {
    theOnlyKey = undefined;
    for (const socket of sockets.splice(0)) socket.destroy();
    await one.stop();
  });

  const saidBy = async (child: ChildProcess) => {
    const [said] = await Promise.all([
      text(child.stderr as NodeJS.ReadableStream & AsyncIterable<string>),
      once(child, "exit"),
    ]);
    return said;
  };
  const socketFrom = (localAddress: string): Socket => {
    const socket = connect({ port: one.port, host: "127.0.0.1", localAddress });
    socket.on("error", () => undefined);
    sockets.push(socket);
    return socket;
  };
  const clientFrom = (address: string, config: Partial<ConnectConfig> = {}): Hostile => {
    const client = new Client() as Hostile;
    client.on("error", () => undefined);
    client.connect({ sock: socketFrom(address), username: "any", ...config } as ConnectConfig);
    return client;
  };
  const ended = (client: Client) => new Promise<void>((resolve) => void client.on("close", resolve));
  const privateKey = () => utils.parseKey(sshKey().privateKey) as ParsedKey;

  it("take elliptic curves alone: classic Diffie-Hellman, with SHA-1 or not, is refused, and so are SHA-1 and MD5 as MACs, CBC and ChaCha20", async () => {
    const fine = /^(curve25519-sha256(@libssh\.org)?|ecdh-sha2-nistp\d+|sntrup.*)$/;
    const weak = known("kex").filter((name) => !fine.test(name));
    expect(weak).to.include.members([
      "diffie-hellman-group14-sha1",
      "diffie-hellman-group-exchange-sha256",
      "diffie-hellman-group18-sha512",
    ]);
    for (const name of weak)
      expect(await saidBy(one.agent([], [`KexAlgorithms=${name}`])), name).to.contain(
        "no matching key exchange method found",
      );
    for (const name of known("cipher").filter((name) => !/^aes\d+-(ctr|gcm@openssh.com)$/.test(name)))
      expect(await saidBy(one.agent([], [`Ciphers=${name}`])), name).to.contain("no matching cipher found");
    const macs = known("mac").filter((name) => /sha1|md5/.test(name));
    expect(macs).to.include("hmac-sha1-etm@openssh.com");
    for (const name of macs)
      expect(await saidBy(one.agent([], ["Ciphers=aes128-ctr", `MACs=${name}`])), name).to.contain(
        "no matching MAC found",
      );
  });

  it("work with the stock client, with each curve, and with AES-GCM if it has that; nothing is compressed, even if it asks for that", async () => {
    for (const [cipher, ...options] of [
      ["aes128-gcm@openssh.com"],
      ["aes128-gcm@openssh.com", "KexAlgorithms=ecdh-sha2-nistp256"],
      ["aes128-gcm@openssh.com", "KexAlgorithms=ecdh-sha2-nistp384"],
      ["aes128-gcm@openssh.com", "KexAlgorithms=ecdh-sha2-nistp521"],
      ["aes256-gcm@openssh.com", "Ciphers=aes192-ctr,aes256-gcm@openssh.com"],
      ["aes192-ctr", "Ciphers=aes192-ctr", "MACs=hmac-sha2-512"],
    ]) {
      const child = one.agent(["service=web:443"], [...options, "LogLevel=DEBUG1", "Compression=yes"]);
      let said = "";
      for await (const chunk of child.stderr as AsyncIterable<Buffer>) {
        said += chunk;
        if (!/remote forward success/.test(said)) continue;
        for (const name of one.open()) connect({ path: join(one.folder, name) }).on("error", () => undefined);
        if (said.includes(`server->client cipher: ${cipher}`)) break;
      }
      expect(said)
        .to.contain("remote forward success")
        .and.to.contain("compression: none")
        .and.not.to.contain("compression: zlib");
      child.kill("SIGKILL");
    }
  });

  it("begin with what a client sends along with its offer, as Dropbear does", async () => {
    const algorithms = { kex: ["curve25519-sha256" as const], serverHostKey: ["ssh-ed25519" as const] };
    const client = clientFrom("127.0.0.1", { algorithms });
    const { _protocol: protocol } = client;
    const { encrypt } = protocol._cipher;
    protocol._cipher.encrypt = (packet) => {
      // first_kex_packet_follows is in front of four bytes, and of the padding
      if (packet[5] === 20) packet[packet.length - (packet[4] ?? 0) - 5] = 1;
      if (packet[5] === 20) protocol._kexinit[protocol._kexinit.length - 5] = 1;
      encrypt.call(protocol._cipher, packet);
    };
    await once(client, "handshake");
  });

  it("are computed by other threads than the one that carries the bytes of agents", async () => {
    // Node's threads are busy from here on, and take what comes behind in its order.
    const count = 24;
    let done = 0;
    const busy = Array.from({ length: count }, async () => {
      await promisify(pbkdf2)("a", "b", 100_000, 32, "sha512");
      done++;
    });
    const client = clientFrom("127.0.0.1");
    await once(client, "handshake");
    expect(done, "how many of them were done when the keys were made").to.be.at.least(count - 4);
    await Promise.all(busy);
  });

  it("of one address leave room for those of others", async () => {
    let greeted = 0;
    for (let index = 0; index < 60; index++) socketFrom("127.0.0.1").once("data", () => greeted++);
    await once(socketFrom("127.0.0.2"), "data");
    expect(greeted).to.be.below(60);
  });

  it("can be repeated only after a login, and not without limit", async () => {
    const stranger = clientFrom("127.0.0.1", { authHandler: () => undefined } as Partial<ConnectConfig>);
    await once(stranger, "handshake");
    stranger._protocol.rekey();
    await ended(stranger);
    const agent = clientFrom("127.0.0.1", { privateKey: sshKey().privateKey });
    await once(agent, "ready");
    let times = 0;
    agent.on("handshake", () => {
      if (++times < 100) agent._protocol.rekey();
    });
    agent._protocol.rekey();
    await ended(agent);
    expect(times).to.be.within(60, 61);
  });

  it("may ask about a key twenty times, even a known one; then their address is ignored", async () => {
    const key = privateKey();
    const ask = async (address: string, times: number) => {
      const client = clientFrom(address, { authHandler: () => undefined } as Partial<ConnectConfig>);
      let yes = 0;
      const next = () => client._protocol.authPK("any", key);
      client._protocol._handlers.USERAUTH_PK_OK = () => ++yes < times && next();
      await once(client, "handshake");
      next();
      await ended(client);
      return yes;
    };
    expect(await ask("127.0.0.3", 100)).to.equal(20);
    const greeting = (address: string) => async () => {
      const socket = socketFrom(address);
      const hungUp = once(socket, "close").then(() => ["hung up"]);
      return String((await Promise.race([once(socket, "data"), hungUp]))[0]).slice(0, 7);
    };
    await refusedBeside({
      ...{ refused: greeting("127.0.0.3"), as: "hung up", allowed: greeting("127.0.0.4") },
      allowedAs: "SSH-2.0",
    });
    const other = clientFrom("127.0.0.4", { privateKey: sshKey().privateKey });
    await once(other, "ready"); // who logs in has not failed
  });

  it("that end in a refused bind say why in the terminal of the stock client", async () => {
    for (const options of [[], ["ExitOnForwardFailure=yes"]])
      expect(await saidBy(one.agent(["a.example.com:443", "b.example.com:443"], options)))
        .to.contain("bind:a.example.com:443 is not allowed by the ACL of credential sshcr_1")
        .and.to.contain("bind:b.example.com:443 is not allowed");
    expect(await saidBy(one.agent(["service=other:443"]))).to.contain(
      "no tunnel group these labels. Declare it, or correct -R",
    );
    const both = one.agent(["a.example.com:443", "service=web:443"], ["LogLevel=DEBUG1"]);
    let said = "";
    for await (const chunk of both.stderr as AsyncIterable<Buffer>) {
      said += chunk;
      if (/remote forward success/.test(said) && /Warning: remote port forwarding failed/.test(said)) break;
    }
    expect(said, "with -v").to.contain(
      "Remote: bind:a.example.com:443 is not allowed by the ACL of credential sshcr_1",
    );
    expect(one.ssh.agents[0]?.bind, "what is allowed is served").to.deep.equal(["bind:service=web"]);
  });

  it("tell what to do where the stock client asks for what is not there, in ASCII", async () => {
    const said = (binds: string[], options: string[]) => saidBy(one.agent(binds, options));
    const withoutN = said(["service=web:443"], ["SessionType=default"]);
    expect(await withoutN).to.contain("there is no shell here: add -N to ssh");
    expect(await said(["/tmp/socket"], [])).to.contain("expected -R HOST:PORT:..., or -R key=value:PORT:...");
    expect(await said(["service=web:0"], [])).to.contain("expected a port from 1 to 65535: -R HOST:PORT:...");
    expect(await said(["service=web:443"], ["RekeyLimit=16"])).to.contain("set a higher RekeyLimit");
    const client = clientFrom("127.0.0.1", { authHandler: () => undefined } as Partial<ConnectConfig>);
    await once(client, "handshake");
    const type = "sk-ssh-ed25519@openssh.com";
    const onToken = Object.assign(privateKey(), { type, getPublicSSH: () => Buffer.from("a token") });
    client._protocol.authPK("any", onToken);
    expect(String(await once(client, "banner"))).to.contain("hardware keys are not supported yet");
  });

  it("may offer other keys before the right one, as clients with many keys do", async () => {
    for (let round = 0; round < 5; round++) {
      const [right, ...wrong] = Array.from({ length: 6 }, () => sshKey()).map(
        ({ privateKey, openssh }, index) => {
          const file = join(one.folder, `key-${round}-${index}`);
          writeFileSync(file, privateKey, { mode: 0o600 });
          return { file, openssh };
        },
      );
      theOnlyKey = right?.openssh;
      const client = one.agent(
        ["service=web:443"],
        [...wrong, right].map((key) => `IdentityFile=${key?.file}`),
      );
      client.stderr?.resume();
      while (one.ssh.agents.length === 0) await sleep(10);
      client.kill("SIGKILL");
      while (one.ssh.agents.length > 0) await sleep(10);
    }
  });
});
