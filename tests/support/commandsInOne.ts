import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };
type Command = { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };
/** Where the test files' own environment would answer for a command. */
const OURS = /^TUNNELPLANE_(BASE_URL|API_KEY)$/;

/** Runs commands of one program, by its file, one after the other in one process. */
export async function commandsInOne(cli: string, commands: readonly Command[]): Promise<Ended[]> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));
  const child = spawn(process.execPath, [join(__dirname, "commandRunner.cjs")], { env, stdio: "pipe" });
  child.stdin.end(JSON.stringify({ cli, commands }));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === "") throw new Error(`the commands ended without an answer: ${said}`);
  return JSON.parse(out) as Ended[];
}
