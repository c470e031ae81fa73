import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";
import type { ServerProcess } from "./server";
import { canTrace, Strace } from "./strace";

/** A disk for a server's data that can be made to fail like a real one. */
export interface Disk {
  readonly folder: string;
  /** Makes writes fail from now on. Call it while the server runs; the returned function repairs the disk. */
  break(server: ServerProcess): Promise<() => Promise<unknown>>;
}

export interface DiskFault {
  readonly name: string;
  /** Why this machine cannot have such a disk. */
  readonly missing?: string;
  create(): Disk;
}

const ordinary = (breakIt: Disk["break"]): Disk => ({ folder: newFolder(), break: breakIt });

/** Makes system calls on the server's database fail with the kernel's error numbers. */
const failing = (calls: string, error: string): Disk =>
  ordinary(async ({ pid, data }) => {
    const file = join(data, "tunnelplane.db");
    const strace = await Strace.attach(
      pid,
      ...["-P", file, "-P", `${file}-wal`, "-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}`],
    );
    return () => strace.detach();
  });

function small(): Disk {
  const folder = newFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", folder]);
  atEndOfFile(() => execFileSync("umount", [folder]));
  const rest = join(folder, "what-others-keep-there");
  return {
    folder,
    async break() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(rest, Buffer.alloc(bavail * bsize));
      return async () => unlinkSync(rest);
    },
  };
}

function canMount(): boolean {
  const folder = newFolder();
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (status === 0) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return status === 0;
}

const setLimit = (pid: number, bytes: string) =>
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);

const untraceable = canTrace() ? undefined : "there is no strace here that may attach itself to a process";

/** Disks that refuse writes. A refused write changes nothing. */
export const DISKS_THAT_REFUSE: readonly DiskFault[] = [
  {
    name: "is full",
    missing: canMount() ? undefined : "this user may not mount a small disk in memory",
    create: small,
  },
  {
    name: "has reached a limit on the size of files",
    create: () =>
      ordinary(async ({ pid }) => {
        setLimit(pid, "0");
        return async () => existsSync(`/proc/${pid}`) && setLimit(pid, "unlimited"); // the limit ends with the process
      }),
  },
  { name: "is read-only", missing: untraceable, create: () => failing("pwrite64,ftruncate", "EROFS") },
];

/** A disk that accepts writes and fails to sync, so that they would not survive a loss of power. */
export const DISK_THAT_FAILS_TO_SYNC: DiskFault = {
  name: "fails to sync",
  missing: untraceable,
  create: () => failing("fsync,fdatasync", "EIO"),
};
