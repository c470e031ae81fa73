import { keepCompiled } from "@tunnelplane/sdk/compiled";

import "@tunnelplane/sdk/node";

import { Service } from "./service";

/** How often to check that the engine still runs. An engine that is killed sends no message. */
const WATCH_MS = 5000;

/** Serves the engine, whose address is the first argument, and prints the port for it. */
async function main(): Promise<void> {
  const port = await new Service(process.argv[2] ?? "").listen();
  console.log(port);
  keepCompiled();
  const engine = process.ppid;
  setInterval(() => {
    if (process.ppid !== engine) process.exit(0);
  }, WATCH_MS).unref();
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
