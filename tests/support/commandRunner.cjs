// Runs commands of one program after another in one process, because most of what a command costs is loading. Each
// is what the program's own file does, from the first line on. Standard input says which: { cli, commands }.
const { text } = require("node:stream/consumers");
const { createRequire } = require("node:module");

const exit = process.exit.bind(process);
const write = process.stdout.write.bind(process.stdout);
const environment = { ...process.env };

// Each command listens to them anew.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

/** Ends what a command was doing. */
const ENDED = new Error("the command has ended");
process.on("unhandledRejection", (error) => {
  if (error !== ENDED) throw error;
});

async function run(cli, { Command, parseAsync }, { args, env }) {
  const ended = { code: undefined, stdout: "", stderr: "" };
  const keep = (name) => (chunk, encoding, done) => {
    // Output after a process's end would not be seen.
    if (ended.code === undefined) ended[name] += String(chunk);
    (typeof encoding === "function" ? encoding : done)?.();
    return true;
  };
  process.stdout.write = keep("stdout");
  process.stderr.write = keep("stderr");
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment, env);
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = undefined;
  await new Promise((resolve) => {
    process.exit = (code) => {
      if (ended.code !== undefined) return;
      ended.code = code ?? process.exitCode ?? 0;
      resolve();
      throw ENDED;
    };
    Command.prototype.parseAsync = function (...given) {
      const parsed = parseAsync.apply(this, given);
      // The program's own handler of errors comes first.
      parsed.then(resolve, () => setImmediate(resolve));
      return parsed;
    };
    delete require.cache[require.resolve(cli)];
    require(cli);
  });
  ended.code ??= process.exitCode ?? 0;
  return ended;
}

(async () => {
  const { cli, commands } = JSON.parse(await text(process.stdin));
  const { Command } = createRequire(cli)("commander");
  const { parseAsync } = Command.prototype;
  const all = [];
  for (const command of commands) all.push(await run(cli, { Command, parseAsync }, command));
  write(JSON.stringify(all), () => exit(0));
})();
