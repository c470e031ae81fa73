const { readdirSync } = require("node:fs");
const { join } = require("node:path");

/**
 * The rooms of each folder, floor by floor from the top, each with its task. A room may use rooms on lower
 * floors only: `.dependency-cruiser.cjs` says so, for types too. The pages on architecture show the same list
 * (`npm run generate`). A folder or file that stands on no floor is an error.
 */
const FLOORS = {
  "server/src": [
    { cli: "the commands" },
    { start: "starts and wires everything" },
    { http: "from a request to its answer" },
    { exposure: "who reaches what, what changes open, and guarantees, which refuse some" },
    {
      changesets: "many objects in one transaction",
      events: "from the journal to targets",
      identities: "people of identity providers, and identity tokens for API keys",
      maintenance: "backup, restore and new keys",
    },
    {
      acme: "certificates that the server orders",
      gateways: "what gateways ask and report",
      view: "what a caller may see of what is stored, and searches in it",
    },
    { resources: "what can be done with any object" },
    { auth: "API keys, sessions, users and their rights" },
    { journal: "events and audit rows" },
    { documents: "objects as JSON" },
    { secrets: "keys, sealing, one-time secrets" },
    { storage: "SQLite and PostgreSQL" },
    { compute: "long work in threads of its own", process: "this process and those beside it" },
    { util: "ids, refusals, budgets, threads, time" },
  ],
  "gateway/src": [
    { "cli.ts": "the command", "index.ts": "what other packages use" },
    { commands: "reads flags, and puts the parts together" },
    {
      controller:
        "reads what is new, has it served, reports the result, and answers `/metrics`, `/livez` and `/readyz`",
      dev: "all that development needs: a server, a gateway, a sample app",
      trial: "requests to a configuration before anybody is served with it",
    },
    {
      agents:
        "accepts agents by SSH, and opens a Unix socket for each of their binds; for labels, one in each project",
      environment: "reads what Envoy's configuration depends on besides the objects",
      server: "follows a server by its events, and sends it reports",
      sync: "runs Envoy, has it take a configuration, and finds the edges that it refuses",
    },
    {
      ads: "feeds Envoy by its own protocol, with messages of its own types",
      certificates: "reads the certificates of hostports from a folder, or makes them for development",
      issuers: "fetches discovery documents and key sets, and keeps them",
      traffic: "records requests",
      upstreams: "resolves names, and decides where connections may go",
      webhooks: "checks the signatures of webhooks",
    },
    {
      envoy: "turns objects into Envoy's configuration, without files or networks",
      state: "reads and writes the files that a gateway keeps",
    },
    {
      "freePort.ts": "finds a free port",
      "version.ts": "the version",
      "steps.ts": "says what a change has behind it, to whoever measures",
      "waiting.ts": "waits for some work, but not longer than a time",
    },
  ],
  "provider/src": [
    { "index.ts": "what programs use", cli: "the commands" },
    {
      adopt: "programs from what a server holds",
      catalogue: "declares resources from a YAML file",
      review: "what a change of a program means",
    },
    { generated: "a class for each resource type and module" },
    { host: "the dynamic provider for TypeScript: classes, accounts, adopting" },
    {
      engine: "shows warnings in the engine's log",
      operation:
        "what every host needs around the lifecycle: settings, connections, errors in words, unique values",
    },
    { core: "check, diff, create, read, update, delete over a definition; knows nothing of Pulumi" },
  ],
  "sdk/src": [
    {
      catalogue: "YAML catalogues",
      "compiled.ts": "for compiled programs",
      "health.ts": "asks on this machine whether something serves",
      "index.ts": "what programs use",
      "node.ts": "for commands",
    },
    { generated: "types and members for each type of object" },
    {
      asking: "the question and the answer of `tunnelplane ask`",
      client: "HTTP, errors and collections",
      operations: "bodies and answers of operations that are no resources",
      traffic: "recorded requests",
    },
    { meaning: "who can reach what, and what a change means" },
    {
      contract:
        "resource types as data: `types/` has a file for each, `core/` reads them, `formats/` and `modules/` are what they share",
    },
    {
      "jobs.ts": "work in the background, in rounds",
      "folders.ts": "makes a folder, or says what to do",
      "terminal.ts": "texts that cannot steer a terminal",
      tracing: "spans for a collector of OpenTelemetry, where one is set",
      "unknown.ts": "values that are not known yet",
      "memory.ts": "has V8 care for little memory, such as while a program loads",
    },
    { "nodeVersion.ts": "refuses a Node that is too old" },
  ],
  "sdk/src/meaning": [
    { "index.ts": "what other packages use", "rules.ts": "what gateways enforce or refuse" },
    { findings: "what a change means for callers and owners, in sentences" },
    { guarantees: "whether what must hold for requests holds" },
    {
      access: "compares the requests that two worlds let in, as a proof",
      changes: "the declared fields that differ",
    },
    { decision: "what happens to a request", exposure: "a row for each address: who can reach what" },
    {
      aspects: "a file for each module: how it is read, how it decides, and what exposures show of it",
      languages: "cuts texts into pieces that no test tells apart",
    },
    { judgement: "what checks are made of: requests, conditions, verdicts, readings, backends" },
    { networks: "sets of addresses", "names.ts": "what objects are called" },
    { "model.ts": "a world with look-ups" },
    { "values.ts": "reads and compares values" },
    { "world.ts": "the objects that are known at one time" },
    { "fieldNames.ts": "every field of the contract, as a type" },
  ],
};

/** @returns the folders and sources of a part that stand on no floor, and the rooms that are not there. */
function faultsOf(part) {
  const rooms = FLOORS[part].flatMap(Object.keys);
  const found = readdirSync(join(__dirname, "../..", part), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() || entry.name.endsWith(".ts") ? [entry.name] : [],
  );
  return [
    ...found.filter((name) => !rooms.includes(name)).map((name) => `${part}/${name} stands on no floor`),
    ...rooms.filter((name) => !found.includes(name)).map((name) => `${part}/${name} does not exist`),
  ];
}

/** @throws Error if the list of floors is not that of the folders */
function requireFloors() {
  const faults = Object.keys(FLOORS).flatMap(faultsOf);
  if (faults.length > 0) throw new Error(`${faults.join("\n")}\nPut it right in tools/scripts/floors.cjs`);
}

module.exports = { FLOORS, requireFloors };
