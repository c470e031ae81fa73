import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** A folder in this user's home; undefined for a user without one, as in a container under any id. */
export function inHome(path: string): string | undefined {
  try {
    return join(homedir(), path);
  } catch {
    return undefined;
  }
}

/**
 * Makes a folder and those that it is in, unless they are there, and sees that files can be made in it.
 * @param cure what to do otherwise, as the end of the error's line
 * @param mode of each folder that is made; only its owner's by default
 * @throws an `Error` of one line, if the folder cannot be made or written
 */
export function makeFolder(folder: string, cure: string, mode = 0o700): void {
  try {
    make(resolve(folder), mode);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = String(error), syscall } = error as NodeJS.ErrnoException;
    const verb = syscall === "access" ? "written" : "made";
    // Without -R and of this folder only: what it is in may be everybody's.
    const owner =
      code === "EACCES"
        ? `, or make it this user's: sudo install -d -m 700 -o ${process.geteuid?.()} ${folder}`
        : "";
    throw new Error(`the folder ${folder} cannot be ${verb} (${code}): ${cure}${owner}`);
  }
}

/** Node's `recursive: true` never ends where nothing can be made, as in /proc: ENOENT leads it upwards. */
function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || existsSync(dirname(folder))) throw error;
    make(dirname(folder), mode);
    make(folder, mode);
  }
}
