import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";
import { freePort } from "./ports";

/** sshd must be started by its full path, often in a folder on the administrator's PATH alone. */
export const SSHD = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].find((path) =>
  existsSync(path),
);

/** An sshd without privileges only accepts the user who runs it. */
export const LOGIN = userInfo().username;

export interface SshdOptions {
  /** The authorities whose user certificates are accepted. */
  readonly trusted?: readonly string[];
  /** The public key that is accepted without a certificate. Default: none. */
  readonly authorized?: string;
  /** Makes a certificate for the host's public key. If absent, clients know the key itself. */
  readonly certifyHost?: (publicKey: string) => Promise<string>;
}

export type Identity = { readonly privateKey: string; readonly certificate: string };

export interface LoginOptions {
  readonly command?: string;
  /** The client's known hosts, and the name that it uses for this one. Default: the host's own key. */
  readonly knownHosts?: string;
  readonly hostName?: string;
}

export interface Login {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly log: string;
}

/** A real sshd in the foreground on the loopback interface, without this machine's configuration. */
export class Sshd {
  private logins = 0;
  private log = "";

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly child: ChildProcess,
  ) {
    child.stderr?.on("data", (chunk) => {
      this.log += chunk;
    });
  }

  static async start({ trusted = [], authorized, certifyHost }: SshdOptions): Promise<Sshd> {
    if (!SSHD) throw new Error("There is no sshd on this machine");
    const folder = newFolder();
    const at = (name: string) => join(folder, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at("host")]);
    writeFileSync(at("trusted"), `${trusted.join("\n")}\n`);
    if (authorized) writeFileSync(at("authorized"), `${authorized}\n`);
    if (certifyHost)
      writeFileSync(at("host-cert.pub"), await certifyHost(readFileSync(at("host.pub"), "utf8")));
    const port = await freePort();
    const settings = {
      ...{ ListenAddress: `127.0.0.1:${port}`, HostKey: at("host") },
      ...(certifyHost && { HostCertificate: at("host-cert.pub") }),
      ...{ TrustedUserCAKeys: at("trusted"), AuthorizedKeysFile: authorized ? at("authorized") : "none" },
      ...{ AuthenticationMethods: "publickey", PermitRootLogin: "yes", StrictModes: "no" },
      ...{ UsePAM: "no", PidFile: "none", LogLevel: "VERBOSE", MaxStartups: 1000 },
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(at("config"), lines.join(""));
    // As root, sshd needs this folder for privilege separation. It is made at boot, so containers lack it.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const child = spawn(SSHD, ["-D", "-e", "-f", at("config")], { stdio: ["ignore", "ignore", "pipe"] });
    atEndOfFile(() => child.kill());
    const sshd = new Sshd(folder, port, child);
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stderr as NodeJS.ReadableStream }).on(
        "line",
        (line) => line.includes("Server listening") && resolve(),
      );
      child.once("close", (code) =>
        reject(new Error(`sshd ended with ${code} before it listened: ${sshd.log}`)),
      );
    });
    return sshd;
  }

  /** How many clients have logged in so far. */
  get accepted(): number {
    return this.log.match(/Accepted publickey for/g)?.length ?? 0;
  }

  /** For programs that are no tests, at whose end it ends by itself. */
  stop(): void {
    this.child.kill();
  }

  /** Logs in as the user who runs the tests, with the real ssh, but without that user's keys and settings. */
  async login(
    { privateKey, certificate }: Identity,
    { command = "echo welcome", ...host }: LoginOptions = {},
  ): Promise<Login> {
    const folder = join(this.folder, `login-${++this.logins}`);
    mkdirSync(folder);
    const at = (name: string) => join(folder, name);
    const {
      hostName = "this-host",
      knownHosts = `this-host ${readFileSync(join(this.folder, "host.pub"), "utf8")}`,
    } = host;
    writeFileSync(at("key"), privateKey, { mode: 0o600 });
    writeFileSync(at("certificate"), `${certificate}\n`);
    writeFileSync(at("known_hosts"), `${knownHosts.trim()}\n`);
    const options = {
      ...{ BatchMode: "yes", CertificateFile: at("certificate"), ConnectTimeout: "20" },
      ...{ GlobalKnownHostsFile: "none", HostKeyAlias: hostName, IdentitiesOnly: "yes" },
      ...{ IdentityAgent: "none", IdentityFile: at("key"), StrictHostKeyChecking: "yes" },
      UserKnownHostsFile: at("known_hosts"),
    };
    const flags = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    const args = ["-F", "none", ...flags, "-p", String(this.port), `${LOGIN}@127.0.0.1`, command];
    const before = this.log.length;
    const login = await new Promise<Omit<Login, "log">>((resolve) => {
      execFile("ssh", args, { timeout: 30_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      });
    });
    // ssh may end before sshd has logged the reason. sshd's last line about a connection looks like this.
    const isLogged = () => /Connection (closed|reset) by|Disconnected from/.test(this.log.slice(before));
    for (let tries = 0; tries < 50 && !isLogged(); tries++) await sleep(100);
    return { ...login, log: this.log.slice(before) };
  }
}
