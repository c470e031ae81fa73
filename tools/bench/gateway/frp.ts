import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, reachable } from "../../../tests/support/ports";
import type { GatewayWorld } from "./world";

const MODULE = "github.com/fatedier/frp@v0.61.0";

/** frp's server and client before a program, as somebody would use them in place of an edge and an agent. */
export interface Frp {
  readonly port: number;
  /** Of its server. */
  readonly pid: number;
  stop(): void;
}

/**
 * Builds frp from its Go module (some 3 minutes at first), and has it serve a host over HTTPS: its client ends
 * TLS and passes HTTP on. @param program the port of the program
 */
export async function startFrp(
  { folder }: Pick<GatewayWorld, "folder">,
  host: string,
  program: number,
): Promise<Frp> {
  const own = join(folder, "frp");
  mkdirSync(own);
  const known = execFileSync("go", ["mod", "download", "-json", MODULE], { cwd: own, encoding: "utf8" });
  // In its own folder, because it replaces one of the modules that it needs.
  const source = join(own, "source");
  cpSync((JSON.parse(known) as { Dir: string }).Dir, source, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", source]);
  const build = ["build", "-o", `${own}/`, "./cmd/frps", "./cmd/frpc"];
  execFileSync("go", build, { cwd: source, stdio: ["ignore", "ignore", "inherit"] });
  const [bind, port] = [await freePort(), await freePort()];
  const log = `log.level = "error"`;
  writeFileSync(
    join(own, "frps.toml"),
    `bindAddr = "127.0.0.1"\nbindPort = ${bind}\nvhostHTTPSPort = ${port}\n${log}\n`,
  );
  writeFileSync(
    join(own, "frpc.toml"),
    `serverAddr = "127.0.0.1"\nserverPort = ${bind}\n${log}
[[proxies]]
name = "site"
type = "https"
customDomains = ["${host}"]
[proxies.plugin]
type = "https2http"
localAddr = "127.0.0.1:${program}"
crtPath = "${join(folder, "own.pem")}"
keyPath = "${join(folder, "own.key")}"
`,
  );
  const children: ChildProcess[] = [];
  const start = (name: string) => {
    const child = spawn(join(own, name), ["-c", join(own, `${name}.toml`)], { stdio: "ignore" });
    children.push(child);
    return child.pid ?? 0;
  };
  const pid = start("frps");
  await reachable(bind);
  start("frpc");
  return {
    port,
    pid,
    stop: () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}
