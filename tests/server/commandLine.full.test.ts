import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { registry } from "../../sdk/src/contract";
import { examplesOf } from "../../server/src/cli/examples";
import { KIND_NAMES } from "../../server/src/cli/look";
import { program } from "../../server/src/cli/program";
import { certificate } from "../support/api/fixtures";
import { runHere } from "../support/commandLine";
import { newFolder } from "../support/folder";
import type { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";

const CLI = join(__dirname, "../../server/dist/cli/main.js");
const PROGRAM = program();
type Command = typeof PROGRAM;
const commandsOf = (command: Command, path = ""): [string, Command][] =>
  command.commands.flatMap((one): [string, Command][] => [
    [`${path}${one.name()}`, one],
    ...commandsOf(one, `${path}${one.name()} `),
  ]);

describe("The command line", () => {
  let server: ServerProcess;
  let api: Rest;
  let folder: string;
  let backend: string;
  let edge: string;
  before("start a server with an edge and its backend", async () => {
    server = await ServerProcess.start();
    api = server.rest;
    folder = newFolder();
    backend = await made("/backends/tunnel_group", { labels: { service: "web" }, description: "web" });
    edge = await made("/edges/tls", { hostports: ["app.example.com:443"], backend: { backend_id: backend } });
  });

  const made = async (path: string, body: object): Promise<string> =>
    (await api.post(path, body)).body.id as string;

  const settings = () => ({ TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey });
  const run = (args: readonly string[], env: Record<string, string | undefined> = {}) =>
    runHere(args, { ...settings(), ...env });

  /** The same in a process of its own, which reads its standard input. */
  function runAlone(args: readonly string[], input = "") {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLI, ...args],
      { cwd: folder, encoding: "utf8", input, env: { ...process.env, ...settings() } },
    );
    return { code: status, out: stdout, err: stderr };
  }

  it("lists objects of a kind in a table, and for programs in JSON and YAML", async () => {
    const { out } = await run(["list", "tls-edges"]);
    expect(out.split("\n")[0]).to.match(/^ID +HOSTPORTS +CREATED_AT +DESCRIPTION$/);
    expect(out).to.contain(`${edge}  app.example.com:443  `);
    const printed = (await run(["list", "tls-edges", "-o", "json"])).out;
    expect(JSON.parse(printed)).to.have.length(1);
    expect(parse((await run(["list", "tls-edges", "-o", "yaml"])).out)).to.deep.equal(JSON.parse(printed));
  });

  it("lists everything for programs, page by page, and 100 objects in a table, which says if more exist", async () => {
    const count = 205; // more than two pages
    for (let index = 0; index < count; index++)
      expect(await made("/ip_policies", { description: `policy ${index}` })).to.match(/^ipp_/);
    for (const format of ["json", "yaml"]) {
      const { out, err } = await run(["list", "ip-policies", "-o", format]);
      // YAML has all of JSON.
      const descriptions = (parse(out) as { description: string }[]).map(({ description }) => description);
      expect(new Set(descriptions), format).to.have.property("size", count);
      expect(err).to.equal("");
    }
    const table = await run(["list", "ip-policies"]);
    expect(table.out.trim().split("\n")).to.have.length(1 + 100);
    expect(table.err).to.equal("There are more than 100: use --limit to see them.\n");
    const some = await run(["list", "ip-policies", "-o", "json", "--limit", "3"]);
    expect(JSON.parse(some.out)).to.have.length(3);
    expect(some.err).to.contain("more than 3");
  });

  it("works in the project that --project or TUNNELPLANE_PROJECT names", async () => {
    await made("/projects", { name: "shop" });
    const inShop = { "tunnelplane-project": "shop" };
    const { id } = (await api.post("/ip_policies", { description: "of the shop" }, inShop)).body;
    const shown = ["list", "ip-policies", "-o", "json"];
    for (const { out } of [
      await run([...shown, "--project", "shop"]),
      await run(shown, { TUNNELPLANE_PROJECT: "shop" }),
    ])
      expect(JSON.parse(out).map((policy: { id: string }) => policy.id)).to.deep.equal([id]);
    expect((await run(["get", id], { TUNNELPLANE_PROJECT: "" })).code, "empty is none").to.equal(3);
    for (const [name, says] of [
      ["nowhere", 'There is no project "nowhere"'],
      ["The shop", "The project must be a name of 1 to 40 characters"],
    ] as const) {
      const { code, err } = await run(["list", "ip-policies", "--project", name]);
      expect(code, name).not.to.equal(0);
      expect(err, name).to.contain(says);
    }
  });

  it("lists every kind there is", async () => {
    await made("/edges/https", { hostports: ["www.example.com:443"] });
    for (const kind of KIND_NAMES) {
      const all = (await run(["list", kind, "-o", "json"])).out;
      expect(JSON.parse(all), kind).to.be.an("array");
    }
    expect(KIND_NAMES).to.have.length(registry.length);
  });

  it("takes a kind as people write it, and asks what they meant where there is none", async () => {
    for (const name of ["tls_edge", "TlsEdge", "tls-edges", "tlsEdges"])
      expect((await run(["list", name])).out).to.contain(edge);
    expect(await run(["list", "tls-egdes"])).to.include({
      code: 2,
      err: 'tunnelplane: there is no kind "tls-egdes"; did you mean "tls-edges"?\n',
    });
    expect((await run(["list", "users"])).err).to.contain(
      'there is no kind "users"; did you mean "bot-users"?',
    );
    expect((await run(["list", "edges"])).err).to.contain(
      'did you mean "tls-edges" or "tcp-edges" or "https-edges"?',
    );
    expect((await run(["lst", "tls-edges"])).err).to.contain("Did you mean list?");
    expect((await run(["get", "tls-edges"])).err).to.contain("tunnelplane list tls-edges lists them");
  });

  it("shows one object: in a line, in full, and with what refers to it", async () => {
    expect((await run(["get", edge])).out).to.contain("app.example.com:443");
    expect(parse((await run(["get", edge, "-o", "yaml"])).out)).to.have.nested.property(
      "backend.backend.id",
      backend,
    );
    const { out } = await run(["describe", backend]);
    expect(out)
      .to.contain("    service: web\n")
      .and.to.contain(`Referred to by\n  ${edge}  backend.backend\n`);
  });

  it("shows by its exit code what went wrong, as its table of exit codes says", async () => {
    const nowhere = { TUNNELPLANE_BASE_URL: "http://127.0.0.1:9" };
    const codes: readonly [code: number, args: string[], env?: Record<string, string | undefined>][] = [
      [0, ["list", "tls-edges"]],
      [1, ["backup", folder]],
      [2, ["list", "tls-edges", "--url", "notaurl"]],
      [2, ["list", "tls-edges"], { TUNNELPLANE_BASE_URL: "notaurl" }],
      [2, ["doctor", "--url", "notaurl"]],
      [2, ["events", "replay", "ed_0ERWdYmHciyPtBdiFM2OsTqjQue"]],
      [2, ["list", "tls-edges", "--output", "xml"]],
      [2, ["get", backend, edge]],
      [3, ["get", "edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue"]],
      [4, ["list", "tls-edges"], nowhere],
      [4, ["list", "tls-edges"], { TUNNELPLANE_API_KEY: "tpk_nobodys" }],
      [4, ["list", "tls-edges"], { TUNNELPLANE_API_KEY: undefined }],
    ];
    for (const [code, args, env] of codes) {
      const ended = await run(args, env);
      expect(ended.code, `${args.join(" ")}: ${ended.err}`).to.equal(code);
      if (code > 0) expect(ended.err, args.join(" ")).to.match(/^(tunnelplane|error): .*\n$/);
    }
    expect((await run(["list", "tls-edges", "--url", "notaurl"])).err).to.contain(
      'Expected an address such as "https://',
    );
    expect((await run(["list", "tls-edges"], { TUNNELPLANE_API_KEY: "" })).err).to.contain(
      "set TUNNELPLANE_API_KEY, pass --api-key, or run tunnelplane login",
    );
  });

  it("shows what an update would change and mean, and changes nothing", async () => {
    const change = join(folder, "change.yaml");
    writeFileSync(change, "hostports: [b.example.com:443]\n");
    const { code, out } = await run(["diff", edge, change]);
    expect(code).to.equal(1);
    expect(out).to.contain('- hostports: ["app.example.com:443"]\n+ hostports: ["b.example.com:443"]\n');
    expect(out).to.contain("`app.example.com:443` is no longer served.");
    expect((await run(["get", edge])).out).to.contain("app.example.com:443");
    expect(runAlone(["diff", edge, "-"], '{"description": ""}')).to.include({
      code: 0,
      out: "There is no difference.\n",
    });
  });

  it("explains kinds, fields, errors and events without a server", async () => {
    const alone = { TUNNELPLANE_BASE_URL: undefined, TUNNELPLANE_API_KEY: undefined };
    for (const definition of registry)
      expect((await run(["explain", definition.kind], alone)).out).to.contain(definition.doc);
    expect((await run(["explain", "tls-edges.tls_termination"], alone)).out).to.contain(
      'terminate_at  edge | upstream  optional, default "edge"',
    );
    expect((await run(["explain", "TP_1501"], alone)).out).to.contain("HTTP 409");
    expect((await run(["explain", "ip_policy_created.v0"], alone)).out).to.contain(
      "each ip policy that was created",
    );
    for (const [written, meant] of [
      ["ip_policy_creatd.v0", "ip_policy_created.v0"],
      ["tls-egdes.hostports", "tls-edges"],
    ] as const)
      expect(await run(["explain", written], alone)).to.deep.include({
        code: 2,
        err: `tunnelplane: nothing is called "${written}"; did you mean "${meant}"?\n`,
      });
    expect((await run(["explain", "tls-edges.constructor"], alone)).err).to.contain(
      'tls-edges has no field "constructor"',
    );
    expect((await run(["explain", "tls-edges.hostport"], alone)).err).to.contain('did you mean "hostports"?');
  });

  it("examines machine and server, and says what to do about what is wrong", async () => {
    const well = await run(["doctor", "-o", "json"]);
    expect(well.code, well.out).to.equal(0);
    const checks = JSON.parse(well.out) as { check: string; state: string }[];
    expect([...new Set(checks.map(({ check }) => check))]).to.deep.equal([
      "Node",
      "engine",
      "server",
      "clock",
      "database",
      "key",
      "certificates",
    ]);
    const [soon, later] = [20, 40].map((days) => certificate({ days }).pem);
    const ends = await made("/certificate_authorities", { ca_pem: soon });
    await made("/certificate_authorities", { ca_pem: later });
    const warned = JSON.parse((await run(["doctor", "-o", "json"])).out) as Record<string, string>[];
    const about = warned.filter(({ check }) => check === "certificates");
    const [warning, ...others] = about.filter(({ state }) => state === "warning");
    expect(others).to.deep.equal([]);
    expect(warning?.says).to.match(new RegExp(`${ends} ends in (19|20) days, on `));
    const keyless = await run(["doctor"], { TUNNELPLANE_API_KEY: "tpk_nobodys" });
    expect(keyless.code).to.equal(1);
    expect(keyless.out).to.match(/✗ key .*\n.*→ set TUNNELPLANE_API_KEY/);
    expect((await run(["doctor"], { TUNNELPLANE_BASE_URL: "http://127.0.0.1:9" })).out).to.match(
      /✗ server .*\n.*→ start it with: tunnelplane serve/,
    );
  });

  it("overwrites a backup only on request", async () => {
    const file = join(folder, "one.backup");
    writeFileSync(file, "a good one");
    const args = ["backup", file, "--data", server.data];
    expect(await run(args)).to.include({
      code: 1,
      err: `tunnelplane: ${file} exists; name another file, or replace it with --force\n`,
    });
    expect(readFileSync(file, "utf8")).to.equal("a good one");
    expect((await run([...args, "--force"], { TUNNELPLANE_MASTER_KEY: undefined })).code).to.equal(0);
    expect(readFileSync(file, "utf8")).not.to.equal("a good one");
  });

  for (const [path, command] of commandsOf(PROGRAM))
    it(`shows an example in the help of ${path}`, () => {
      const [first] = examplesOf(command);
      expect(first?.[0], "withExamples in server/src/cli/examples.ts adds one").to.contain(
        `tunnelplane ${path}`.split(" ").slice(0, 2).join(" "),
      );
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help).to.contain(`\nExamples:\n  ${first?.[0]}`);
    });

  it("ends as it would have when nobody reads its output any more", async () => {
    for (const [cli, args, expected] of [
      [CLI, ["--help"], 0],
      [CLI, ["explain", "TP_9999"], 2],
      [join(__dirname, "../../provider/dist/cli/main.js"), ["--help"], 0],
      [join(__dirname, "../../gateway/dist/cli.js"), ["--help"], 0],
    ] as const) {
      const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", cli, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stdout.destroy();
      let err = "";
      child.stderr.on("data", (chunk) => {
        err += chunk;
      });
      const [code] = await once(child, "close");
      expect({ code, stack: /EPIPE|^ +at /m.test(err) }, `${cli} ${args.join(" ")}: ${err}`).to.deep.equal({
        code: expected,
        stack: false,
      });
    }
  });

  it("colours only what a terminal shows", async () => {
    expect((await run(["list", "tls-edges"])).out).not.to.contain("\u001B");
    const typed = `${process.execPath} --disable-warning=ExperimentalWarning ${CLI} list tls-edges --url ${server.url} --api-key ${server.apiKey}`;
    const onTerminal = (env: Record<string, string | undefined>) =>
      execFileSync("script", ["-qec", typed, "/dev/null"], {
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: undefined, TERM: "xterm", ...env },
      });
    expect(onTerminal({})).to.contain("\u001B[1mID");
    expect(onTerminal({ NO_COLOR: "1" })).not.to.contain("\u001B[1m");
  });
});
