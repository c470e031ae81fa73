import { dirname } from "node:path";
import { codeOf, messageOf } from "@tunnelplane/sdk/contract";
import { type Command, CommanderError } from "commander";
import { exitCodeOf, NegativeAnswer } from "./failures";
import { program } from "./program";

/** Has commander throw, so that all ends are in one place. */
function throwing(command: Command): Command {
  command.exitOverride();
  for (const inner of command.commands) throwing(inner);
  return command;
}

/** Runs what these arguments name, prints its error if it fails, and returns its exit code. */
export async function run(args: readonly string[], command = program(undefined, args[0])): Promise<number> {
  try {
    await throwing(command).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its own errors already, and a command that says no has printed why.
    if (!(error instanceof CommanderError || error instanceof NegativeAnswer)) {
      console.error(`tunnelplane: ${messageOf(error)}${cureOf(error)}`);
    }
    return exitCodeOf(error);
  }
}

/** Result codes of SQLite, without what is added to them: https://www.sqlite.org/rescode.html */
const [READONLY, IOERR, FULL, CANTOPEN] = [8, 10, 13, 14];

/** What to do about an error of the machine, as the end of its sentence; empty if that is not known. */
function cureOf(error: unknown): string {
  const { path, syscall, errcode } = error as { path?: string; syscall?: string; errcode?: number };
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return "; another server listens there: stop it, or choose another with --listen";
    case "ENOSPC":
    case "EDQUOT":
      return "; the disk is full: free some space (df shows it), or name another folder";
    case "EACCES":
    case "EPERM":
      if (syscall === "listen")
        return "; ports below 1024 need CAP_NET_BIND_SERVICE, as the unit in deploy/systemd has it: give it, or choose another with --listen";
      return path === undefined ? "" : `; make it this user's: chown -R ${user()} ${dirname(path)}`;
    case "EROFS":
      return "; the file system is read-only there: name another folder";
  }
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case FULL:
      return "; the disk is full: free some space (df shows it), or name another folder with --data";
    case IOERR:
      return "; the disk is full, or fails: df shows how much is free, the kernel's log why else";
    case READONLY:
    case CANTOPEN:
      return `; make the files in the data folder this user's: chown -R ${user()} <folder>`;
  }
  return "";
}

const user = (): string => String(process.geteuid?.() ?? "<user>");
