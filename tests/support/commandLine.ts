import { guardOutput } from "@tunnelplane/sdk/node";
import { run } from "../../server/dist/cli/run";
import { API_KEY, type Ended, placeOf, type StartOptions } from "./server";

/** Where no server can listen; one that starts although it should not ends there. */
const NOWHERE = "192.0.2.1:1";

/** The output of a server that refuses to start. It costs a tenth of a server in a process of its own. */
export async function refusalToServe(
  data: string,
  { args = [], env = {} }: Pick<StartOptions, "args" | "env"> = {},
): Promise<string> {
  const given = { ...placeOf(data), TUNNELPLANE_BOOTSTRAP_API_KEY: API_KEY, ...env };
  const { err } = await runHere(["serve", "--listen", NOWHERE, ...args], given);
  return err;
}

type Write = typeof process.stdout.write;
let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, for a tenth of the cost; one at a time: see `command` of ./server. */
export function runHere(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
): Promise<Ended> {
  const mine = last.then(() => captured(args, env));
  last = mine.catch(() => {});
  return mine;
}

/** Runs a command in this process on a database: a folder, or the URL of a PostgreSQL database. */
export const runOn = (data: string, ...args: string[]): Promise<Ended> => runHere(args, placeOf(data));

async function captured(args: readonly string[], env: Record<string, string | undefined>): Promise<Ended> {
  const before = { ...process.env };
  const streams = [process.stdout, process.stderr].map((stream) => {
    const { write, isTTY } = stream;
    const printed: string[] = [];
    stream.write = ((text: string | Uint8Array, encoding?: unknown, done?: unknown) => {
      printed.push(typeof text === "string" ? text : Buffer.from(text).toString());
      const then = [encoding, done].find((one) => typeof one === "function") as (() => void) | undefined;
      then?.();
      return true;
    }) as Write;
    stream.isTTY = false;
    return { printed, restore: () => Object.assign(stream, { write, isTTY }) };
  });
  const listeners = process.stdout.listeners("error");
  guardOutput(); // as its own process does
  try {
    for (const [name, value] of Object.entries(env))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    const code = await run(args);
    const [out = "", err = ""] = streams.map(({ printed }) => printed.join(""));
    return { code, out, err };
  } finally {
    for (const { restore } of streams) restore();
    for (const listener of process.stdout.listeners("error"))
      if (!listeners.includes(listener)) process.stdout.off("error", listener as () => void);
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
