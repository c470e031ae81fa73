import { spawn } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";
import { freePort } from "./ports";

const PROGRAM = "/usr/sbin/pgbouncer";
/** It refuses to run as root. */
const NOBODY = 65_534;

/** Whether there is a PgBouncer here; its tests are skipped without one. */
export const hasPooler = existsSync(PROGRAM);

/**
 * Starts a real PgBouncer with its defaults before a database, until the file ends.
 *
 * @returns the database's URL through it
 */
export async function startPooler(database: string, mode: "session" | "transaction"): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(database);
  const folder = newFolder();
  chmodSync(folder, 0o755); // open to the user that it runs as
  const file = join(folder, "pgbouncer.ini");
  const [own, name] = [await freePort(), pathname.slice(1)];
  const at = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = [
    "listen_addr = 127.0.0.1",
    `listen_port = ${own}`,
    "unix_socket_dir =",
    "auth_type = any",
  ];
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  writeFileSync(
    file,
    ["[databases]", `${name} = ${at}`, "[pgbouncer]", ...settings, `pool_mode = ${mode}`, ""].join("\n"),
    { mode: 0o644 },
  );
  const child = spawn(PROGRAM, [file], { stdio: "ignore", ...as });
  atEndOfFile(() => void child.kill("SIGKILL"));
  while (!(await isOpen(own))) await sleep(20);
  return Object.assign(new URL(database), { port: String(own) }).href;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
