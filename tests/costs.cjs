// What a test file costs: the processor time of this process and of all that it started, and how many engines,
// servers and Envoys it started.
const childProcess = require("node:child_process");
const { readFileSync, readdirSync } = require("node:fs");

/** The unit of times in /proc. */
const TICKS_PER_SECOND = 100;
/** How the command lines of what is counted look. */
const COUNTED = {
  engines: /(^|[/\s])pulumi\s/,
  servers: /\bserver\/dist\/cli\/main\.js\s+serve\b/,
  // A gateway starts one.
  envoys: /\/_bin\/envoy\s|\bgateway\/dist\/cli\.js\s+run\b/,
};

const starts = { engines: 0, servers: 0, envoys: 0 };

function count(file, args) {
  const line = [file, ...(Array.isArray(args) ? args : [])].join(" ");
  for (const [kind, pattern] of Object.entries(COUNTED)) if (pattern.test(`${line} `)) starts[kind]++;
}

// Every asynchronous start comes through here, whatever function of Node makes it.
const { spawn } = childProcess.ChildProcess.prototype;
childProcess.ChildProcess.prototype.spawn = function (options) {
  count(options.file, options.args?.slice(1));
  return spawn.call(this, options);
};
for (const name of ["execFileSync", "execSync", "spawnSync"]) {
  const original = childProcess[name];
  childProcess[name] = (file, ...rest) => {
    count(file, rest[0]);
    return original(file, ...rest);
  };
}

/** Seconds of processor time of a process and of its children that ended; its parent; undefined if it is gone. */
function timesOf(pid) {
  try {
    // The name in parentheses may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
  } catch {
    return undefined;
  }
}

/** Seconds of processor time of this process and its descendants; where there is no /proc, of this process. */
function processorSeconds() {
  const own = timesOf(process.pid);
  if (!own) return process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const children = Map.groupBy(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), ...timesOf(name) })),
    ({ parent }) => parent,
  );
  const below = (pid) =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.seconds + below(child.pid), 0);
  return own.seconds + below(process.pid);
}

/** The cost of this process so far. */
const soFar = () => ({ wall: performance.now() / 1000, cpu: processorSeconds(), ...starts });

/** The cost between two moments. */
const between = (before, after) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name]]));

/** The beginning of a process, so that the cost before its first test is counted too. */
const NOTHING = { wall: 0, cpu: 0, engines: 0, servers: 0, envoys: 0 };

module.exports = { between, NOTHING, soFar };
