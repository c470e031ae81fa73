import { execFile } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { tellerAt } from "../../../plugin/src/service";
import { program } from "../../../server/src/cli/program";
import { fill } from "../../adopt/support";
import { Plugin } from "../../plugin/plugin";
import { richPreview } from "../../review/richPreview";
import { unknownId } from "../../support/api/expect";
import { certificate } from "../../support/api/fixtures";
import { Folder } from "../../support/catalogue";
import { runHere } from "../../support/commandLine";
import { GatewayProcess } from "../../support/gateway";
import { ESCAPED, MARKS, marked, markingProxy, obeyedIn } from "../../support/marks";
import { freePort } from "../../support/ports";
import type { Rest } from "../../support/rest";
import { MASTER_KEY, ServerProcess } from "../../support/server";
import type { StandInServer } from "../../support/standIn";

const ROOT = join(__dirname, "../../..");
const MAINS = {
  tunnelplane: "server/dist/cli/main.js",
  "tunnelplane-pulumi": "provider/dist/cli/main.js",
  "tunnelplane-gateway": "gateway/dist/cli.js",
  "create-tunnelplane": "create-tunnelplane/create.cjs",
} as const;

/** Commands of tunnelplane that run in a process of their own: one of each kind, and the server. */
const ALONE = ["list", "backup", "serve"];

/** The names of all commands that do something, such as "keys rotate" and "gateways". */
const namesOf = (command: ReturnType<typeof program>, path: readonly string[] = []): string[] => [
  ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [path.join(" ")] : []),
  ...command.commands.flatMap((one) => namesOf(one, [...path, one.name()])),
];

const runAlone = (main: string, args: readonly string[], env: Record<string, string>) =>
  new Promise<{ out: string; err: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", main, ...args],
      { env: { ...process.env, ...env }, maxBuffer: 1 << 28 },
      (_error, out, err) => resolve({ out, err }),
    );
    child.stdin?.end();
  });

const messagesOf = (log: string): string =>
  log
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
    .join("\n");

describe("Characters that steer a terminal, in texts of objects, gateways and servers, are escaped, also in pipes:", () => {
  const folder = new Folder();
  let server: ServerProcess;
  let proxy: StandInServer;
  let rest: Rest;
  const ids = new Map<string, string>();

  before("start a server that holds objects of all kinds, behind a proxy that marks every text", async () => {
    server = await ServerProcess.start();
    proxy = await markingProxy(server.url);
    rest = server.rest;
    await fill(rest, 60);
    for (const [kind, path, key] of [
      ["tls_edge", "/edges/tls", "tls_edges"],
      ["ip_policy", "/ip_policies", "ip_policies"],
      ["destination", "/event_destinations", "event_destinations"],
    ] as const) {
      const { id } = (await rest.get(`${path}?limit=100`)).body[key].at(-1);
      ids.set(kind, id);
      await rest.patch(`${path}/${id}`, {}, { "tunnelplane-name": kind });
    }
    const edges = [{ id: ids.get("tls_edge"), state: "rejected", reason: `no certificate${MARKS}` }];
    const report = { version: "1", envoy_version: "1", sequence: 1, edges, agents: [] };
    const { status, text } = await rest.put("/gateways/east/status", report);
    expect(status, text).to.be.below(300);
  });

  type Printed = { readonly out: string; readonly all: string };
  /** Runs a command, and expects that nothing of what it prints would be obeyed. */
  async function run(
    cli: keyof typeof MAINS,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<Printed> {
    const settings = {
      ...{ TUNNELPLANE_BASE_URL: proxy.url, TUNNELPLANE_API_KEY: server.apiKey },
      ...{ TUNNELPLANE_DATA: server.data, TUNNELPLANE_MASTER_KEY: MASTER_KEY },
      XDG_CONFIG_HOME: folder.path,
    };
    const sharesProcess = cli === "tunnelplane" && !ALONE.includes(args[0] ?? "");
    const { out, err } = sharesProcess
      ? await runHere(args, { ...settings, ...env })
      : await runAlone(join(ROOT, MAINS[cli]), args, { ...settings, ...env });
    const all = out + err;
    expect(obeyedIn(all), [cli, ...args].join(" ")).to.equal(undefined);
    return { out, all };
  }

  /** Commands of the server's program whose output repeats what a server says. */
  const through = (): Record<string, readonly string[]> => ({
    list: ["list", "ip-policies"],
    get: ["get", ids.get("tls_edge") ?? ""],
    search: ["search", "example"],
    describe: ["describe", ids.get("tls_edge") ?? ""],
    diff: ["diff", ids.get("ip_policy") ?? "", join(folder.path, "change.yaml")],
    apply: ["apply", folder.catalogue, "--set", "prod", "--plan"],
    doctor: ["doctor"],
    "events deliveries": ["events", "deliveries", ids.get("destination") ?? ""],
    gateways: ["gateways", "east"],
    ask: ["ask", "https://nobody.example.com/", "--from", "198.51.100.7"],
    guarantees: ["guarantees"],
  });
  /** Those that print no object, called wrongly, so that they repeat what a server says or they are given. */
  const others = (): Record<string, readonly string[]> => ({
    explain: ["explain", MARKS.slice(0, 5)],
    "events test": ["events", "test", unknownId("ed")],
    "gateways delete": ["gateways", "delete", `no${MARKS}`],
    "sessions stop": ["sessions", "stop", `no${MARKS}`],
    "sessions restart": ["sessions", "restart", `no${MARKS}`],
    "events replay": ["events", "replay", unknownId("ed"), "--dead-letters"],
    backup: ["backup", join(folder.path, `${MARKS}/no`)],
    restore: ["restore", join(folder.path, MARKS)],
    "keys rotate": ["keys", "rotate", "--data", join(folder.path, MARKS)],
    "keys add-master-key": ["keys", "add-master-key", join(folder.path, `key${MARKS}`)],
    "keys recover": ["keys", "recover", "--data", join(folder.path, MARKS)],
    "audit verify": ["audit", "verify", "--backup", join(folder.path, MARKS)],
    "audit archive": ["audit", "archive", "--before", MARKS, "--out", join(folder.path, MARKS)],
    completion: ["completion", "bash"],
    health: ["health", "--listen", MARKS],
    serve: ["serve", "--listen", MARKS],
    login: ["login", "--no-browser", "--url", proxy.url],
    logout: ["logout", "--url", `http://127.0.0.1/${MARKS}`],
  });

  it("the test knows every command of tunnelplane", () => {
    expect(Object.keys({ ...through(), ...others() })).to.have.members(namesOf(program()));
  });

  it("tunnelplane, for people and for programs, who get the same values", async () => {
    folder.write(JSON.stringify({ description: `new${MARKS}` }), "change.yaml");
    folder.write(JSON.stringify({ ipPolicies: { office: { description: `new${MARKS}` } } }));
    for (const [name, args] of Object.entries(through())) {
      const [people, json, yaml] = [await run("tunnelplane", args), ...(await formats(args))];
      expect(people.all, name).to.contain(ESCAPED);
      if (name === "events deliveries") continue;
      expect(json?.out, json?.all).not.to.equal("");
      const value: unknown = JSON.parse(json?.out ?? "");
      expect(JSON.stringify(value), name).to.contain(JSON.stringify(MARKS).slice(1, -1));
      expect(parse(yaml?.out ?? ""), name).to.deep.equal(value);
    }
    const { body } = await rest.get(`/ip_policies/${ids.get("ip_policy")}?names=true`);
    const { out } = await run("tunnelplane", ["get", ids.get("ip_policy") ?? "", "-o", "json"]);
    expect(JSON.parse(out)).to.deep.equal(marked(body));
  });
  const formats = (args: readonly string[]) =>
    Promise.all(["json", "yaml"].map((format) => run("tunnelplane", [...args, "-o", format])));

  it("tunnelplane, in its errors, whatever text they repeat", async () => {
    for (const args of Object.values(others())) await run("tunnelplane", args);
    const { all } = await run("tunnelplane", ["list", "ip-policies"], { TUNNELPLANE_API_KEY: "tpk_unknown" });
    expect(all)
      .to.match(/^tunnelplane: This API key is not known here.*\\u202e/)
      .and.to.match(/^[^\n]+\n$/);
  });

  it("tunnelplane serve and tunnelplane-gateway run, in their logs, whose lines stay JSON", async () => {
    const { pem, privateKey } = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
    for (const [name, text] of [
      [`cert${MARKS}`, pem],
      ["key", privateKey],
    ] as const)
      folder.write(text, name);
    const files = ["--tls-cert", join(folder.path, `cert${MARKS}`), "--tls-key", join(folder.path, "key")];
    const other = await ServerProcess.start({ args: files });
    rmSync(join(folder.path, `cert${MARKS}`));
    other.signal("SIGHUP");
    await other.logged("The server keeps its old certificate");
    await other.stop();
    expect(other.log).to.contain(ESCAPED);
    expect(obeyedIn(other.log)).to.equal(undefined);
    expect(messagesOf(other.log)).to.contain(MARKS);
    const listens = [
      "--listen",
      `127.0.0.1:${await freePort()}`,
      "--metrics",
      `127.0.0.1:${await freePort()}`,
    ];
    const gateway = GatewayProcess.start(
      ["run", "--state", join(folder.path, "state"), "--envoy", "none", "--dev-ca", ...listens],
      { TUNNELPLANE_BASE_URL: proxy.url, TUNNELPLANE_API_KEY: "tpk_unknown" },
    );
    await gateway.logged("This API key is not known here");
    await gateway.stop();
    expect(obeyedIn(gateway.log + gateway.out)).to.equal(undefined);
    expect(messagesOf(gateway.log)).to.contain(ESCAPED);
  });

  it("tunnelplane-gateway render: the configuration, and why edges are rejected", async () => {
    const settings = ["--state", join(folder.path, "rendered"), "--dev-ca"];
    const fromServer = await run("tunnelplane-gateway", ["render", ...settings]);
    expect(fromServer.all).to.contain("is rejected");
    const backend = { id: "bkdhr_1", status_code: 200, headers: {}, body: `page${MARKS}` };
    const route = {
      ...{ id: "edghtsrt_1", match_type: "path_prefix", match: "/" },
      backend: { enabled: true, backend: { id: backend.id } },
    };
    const edge = { id: "edghts_1", hostports: ["a.example.com:443"], routes: [route] };
    const objects = [
      { kind: "http_response_backend", fields: backend },
      { kind: "https_edge", fields: edge },
    ];
    folder.write(JSON.stringify({ objects }), "objects.json");
    const { out, all } = await run("tunnelplane-gateway", [
      "render",
      ...settings,
      join(folder.path, "objects.json"),
    ]);
    expect(JSON.stringify(JSON.parse(out)), all).to.contain(JSON.stringify(MARKS).slice(1, -1));
    await run("tunnelplane-gateway", ["render", ...settings, join(folder.path, MARKS)]);
  });

  it("tunnelplane-pulumi review, in every format; the values of JSON and SARIF stay the same", async () => {
    const previewed = join(folder.path, "preview.json");
    const withMarks = (name: string, value: unknown) =>
      /^(description|issuer|release)$/.test(name) ? value + MARKS : value;
    folder.write(JSON.stringify(JSON.parse(richPreview()), withMarks), "preview.json");
    for (const format of ["markdown", "html", "json", "sarif"]) {
      const { out, all } = await run("tunnelplane-pulumi", ["review", previewed, "--format", format]);
      expect(out, all).to.contain("\\u202e");
      if (format === "json" || format === "sarif")
        expect(JSON.stringify(JSON.parse(out)), format).to.contain("\u202E");
    }
    await run("tunnelplane-pulumi", ["review", join(folder.path, MARKS)]);
  });

  it("tunnelplane-pulumi adopt and secrets; the programs that adopt writes hold no such character either", async () => {
    for (const [format, file] of [
      ["ts", "index.ts"],
      ["yaml", "tunnels.yaml"],
    ] as const) {
      const out = join(folder.path, format);
      const { all } = await run("tunnelplane-pulumi", [
        "adopt",
        "--out",
        out,
        "--format",
        format,
        "--only",
        "ip_policy",
      ]);
      const written = readFileSync(join(out, file), "utf8");
      expect(written, all).to.contain(ESCAPED);
      expect(obeyedIn(written), file).to.equal(undefined);
    }
    const catalogue = parse(readFileSync(join(folder.path, "yaml/tunnels.yaml"), "utf8")) as {
      ipPolicies: Record<string, { description?: string }>;
    };
    const { ip_policies } = (await rest.get("/ip_policies?limit=100")).body as {
      ip_policies: { description: string }[];
    };
    const adopted = Object.values(catalogue.ipPolicies).map(({ description }) => description);
    expect(adopted).to.have.members(ip_policies.map(({ description }) => description + MARKS));
    await run("tunnelplane-pulumi", ["adopt", "--out", join(folder.path, "none")], {
      TUNNELPLANE_API_KEY: "tpk_unknown",
    });
    const sealed = {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      plaintext: '"secret"',
    };
    folder.write(
      JSON.stringify({ resources: [{ name: `one${MARKS}`, inputs: { apiKey: sealed } }] }),
      "import.json",
    );
    folder.write(`#!/bin/sh\nprintf '\\033[31m\\007\\302\\233' >&2\nexit 1\n`, "pulumi");
    chmodSync(join(folder.path, "pulumi"), 0o755);
    const { all } = await run("tunnelplane-pulumi", ["secrets", join(folder.path, "import.json")], {
      PATH: `${folder.path}:${process.env.PATH}`,
    });
    expect(all).to.contain("pulumi config set").and.to.contain("\\u009b");
  });

  it("create-tunnelplane", async () => {
    const { all } = await run("create-tunnelplane", [`tunnels${MARKS}`]);
    expect(all).to.contain("\\u202e");
  });

  it("what providers say in previews and runs, and their refusals", async () => {
    const plugin = await Plugin.start({
      TUNNELPLANE_BASE_URL: proxy.url,
      TUNNELPLANE_API_KEY: "tpk_unknown",
    });
    const refusal = await plugin.create("IpPolicy", {}).then(
      () => "",
      ({ message }: Error) => message,
    );
    const checked = await plugin.check("TlsEdge", { "odd\u202E": 1 });
    await tellerAt(plugin.engineAddress)("WARNING", `careful${MARKS}`, undefined);
    for (const said of [refusal, checked.join(), plugin.logged.map(({ text }) => text).join()]) {
      expect(said).to.contain("\\u202e");
      expect(obeyedIn(said)).to.equal(undefined);
    }
    const script = `
      const provider = require("@tunnelplane/pulumi/dynamic");
      const failures = async () => {
        const { failures } = await provider("tls_edge").check({}, { "odd\\u202E": 1 });
        console.log(failures[0].reason);
        await provider("ip_policy").configure({ config: { get: () => undefined } });
        await provider("ip_policy").create({}).catch((error) => console.log(error.message));
      };
      failures();`;
    const env = { ...process.env, TUNNELPLANE_BASE_URL: proxy.url, TUNNELPLANE_API_KEY: "tpk_unknown" };
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd: ROOT, env });
    expect(stdout).to.match(/u202e[\s\S]*is not known here.*\\u202e/);
    expect(obeyedIn(stdout)).to.equal(undefined);
  });
});
