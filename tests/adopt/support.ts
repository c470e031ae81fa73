import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_PROJECT, pathFieldsOf, registry } from "@tunnelplane/sdk/contract";
import { certificate, sshKey } from "../support/api/fixtures";
import { jwtValidation, oidc, policyNamed } from "../support/api/modules";
import { Engine, LEAN_ENGINE } from "../support/engine";
import { newFolder } from "../support/folder";
import { keyEnvironment } from "../support/keyService";
import type { Rest } from "../support/rest";

const ROOT = join(__dirname, "../..");
const { locateEngine } = require("../../tools/scripts/engine.cjs") as { locateEngine(): string };
export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

function run(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 28 },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, stdout, stderr }),
    );
  });
}

const CLI = join(ROOT, "provider/dist/cli/main.js");

export const tunnelplanePulumi = (
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> => run(process.execPath, [CLI, ...args], env);

/** How `pulumi import` records what a file in the project's folder names. */
export const IMPORT = "import --file import.json --generate-code=false --protect=false --yes".split(" ");
type Server = { readonly url: string; readonly apiKey: string };

/** A folder for a project that adopt writes, and its stack on the real engine. */
export class Project {
  private readonly parent = newFolder();
  readonly folder = join(this.parent, "tunnels");

  /** Adopts with tarballs that nobody installs; npm would take two seconds of CPU to pack real ones. */
  adopt(server: Server, ...more: string[]): Promise<Ended> {
    const folder = join(this.parent, "tarballs");
    mkdirSync(folder, { recursive: true });
    for (const name of ["pulumi", "sdk"]) writeFileSync(join(folder, `tunnelplane-${name}-0.0.0.tgz`), "");
    return this.adoptAlone(server, "--packages", folder, ...more);
  }

  adoptAlone(server: Server, ...more: string[]): Promise<Ended> {
    return tunnelplanePulumi(["adopt", "--url", server.url, "--out", this.folder, ...more], {
      TUNNELPLANE_API_KEY: server.apiKey,
    });
  }

  read = (file: string): string => readFileSync(join(this.folder, file), "utf8");

  async stack(server: Server): Promise<Engine> {
    symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
    mkdirSync(join(this.folder, "state"));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const built = await run(
      process.execPath,
      [tsc, "-p", this.folder, "--noEmit", "false", "--outDir", join(this.folder, "dist")],
      {},
    );
    if (built.code !== 0) throw new Error(`It does not compile: ${built.stdout.slice(0, 2000)}`);
    return this.open(server, "dev");
  }

  open({ url, apiKey }: Server, stackName: string): Promise<Engine> {
    const main = join(this.folder, "dist/index.js");
    const program = async () => {
      delete require.cache[main];
      const before = process.cwd();
      process.chdir(this.folder); // where Pulumi runs programs
      try {
        require(main);
      } finally {
        process.chdir(before);
      }
    };
    const env = { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: apiKey };
    return Engine.open(this.folder, { program, env, stackName });
  }

  setSecrets = async (stack: string): Promise<Ended> =>
    tunnelplanePulumi(["secrets", join(this.folder, "import.json"), "--stack", stack], await this.env());

  /** Runs `pulumi import` with the file, as adopt recommends, in a YAML project, which runs everywhere. */
  async import(stack: string): Promise<Ended> {
    const settings = this.read("Pulumi.yaml");
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: tunnels\nruntime: yaml\n");
    writeFileSync(join(this.folder, "Main.yaml"), "resources: {}\n");
    try {
      return await run("pulumi", [...IMPORT, "--stack", stack], await this.env(), this.folder);
    } finally {
      writeFileSync(join(this.folder, "Pulumi.yaml"), settings);
      rmSync(join(this.folder, "Main.yaml"));
    }
  }

  private async env(): Promise<Record<string, string>> {
    return {
      ...(await keyEnvironment()),
      PATH: `${join(locateEngine(), "bin")}:${process.env.PATH}`,
      PULUMI_BACKEND_URL: `file://${join(this.folder, "state")}`,
      PULUMI_SKIP_UPDATE_CHECK: "1",
      PULUMI_SKIP_CHECKPOINTS: "true",
      ...LEAN_ENGINE,
    };
  }
}

export const CANARY = "canary-of-a-secret";

/** Fills a server with at least so many objects of all kinds, with every kind of reference between them. */
export async function fill(rest: Rest, count: number): Promise<void> {
  const add = async (path: string, body: object): Promise<string> => {
    const answer = await rest.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`);
    return answer.body.id;
  };
  const bot = await add("/bot_users", { name: "Ci 🚀 Bot" });
  await add("/bot_users", { name: "asleep", active: false });
  await add("/api_keys", { owner_id: bot, description: "ci", expires_at: "2126-01-01T00:00:00Z" });
  await add("/credentials", {
    owner_id: bot,
    description: "ci",
    acl: ["bind:*.example.com"],
    metadata: '{"a": "<<: *x"}',
  });
  await add("/ssh_credentials", { public_key: sshKey().openssh, description: "-" });
  const people = await add("/ssh_certificate_authorities", {
    private_key_type: "ecdsa",
    elliptic_curve: "384",
    description: "people",
  });
  const signed = { ssh_certificate_authority_id: people, public_key: sshKey().openssh, principals: ["ada"] };
  await add("/ssh_user_certificates", { ...signed, critical_options: { "force-command": "uptime" } });
  await add("/ssh_host_certificates", { ...signed, principals: ["bastion.example.com"] });
  const clients = await add("/certificate_authorities", {
    ca_pem: certificate({ name: "*.example.com" }).pem,
  });
  const mutual_tls = { certificate_authority_ids: [clients] };
  const policies: string[] = [];
  for (const description of [
    ...["office", "office", ".5", "🚀", "-", "true", "1e3", 'it\'s "quoted": #1 & *all*'],
    "$".concat("{x} `y`"),
  ])
    policies.push(await add("/ip_policies", { description }));
  const ip_restriction = { ip_policy_ids: policies.slice(0, 3) };
  const group = await add("/backends/tunnel_group", {
    labels: { some_key: "x", "other-key": "y", __proto__x: "z" },
    description: "web",
  });
  const fixed = await add("/backends/static", {
    address: "[2001:db8::7]:8080",
    tls: { enabled: true },
    description: "web",
  });
  const page = await add("/backends/http_response", {
    status_code: 503,
    headers: { "retry-after": "60" },
    body: "a\n\n  b: c\n",
  });
  const weighted = await add("/backends/weighted", {
    backends: { [group]: 95, [fixed]: 5 },
    description: "5",
  });
  const failover = await add("/backends/failover", {
    backends: [weighted, page],
    description: "constructor",
  });
  await add("/backends/failover", { backends: [], description: "if" });
  await add("/edges/tls", {
    hostports: ["*.example.com:443", "app.example.com:443"],
    backend: { backend_id: failover },
    ip_restriction: { ...ip_restriction, enabled: false },
    mutual_tls,
    tls_termination: { min_version: "1.3" },
    policies: { inbound: [policyNamed("first")], outbound: [policyNamed("", "log")] },
  });
  await add("/edges/tls", {
    hostports: ["up.example.com:443"],
    tls_termination: { terminate_at: "upstream" },
  });
  const site = await add("/edges/https", {
    hostports: ["www.example.com:443"],
    mutual_tls,
    tls_termination: {},
  });
  await add(`/edges/https/${site}/routes`, {
    match_type: "path_prefix",
    match: "/",
    backend: { backend_id: weighted },
    ip_restriction,
    oidc: { ...oidc, client_secret: `${CANARY} of oidc \n"quoted"\n`, scopes: ["openid"] },
    jwt_validation: jwtValidation,
    user_agent_filter: { deny: ["(?i)^curl/"] },
    request_headers: { add: { "X-Team": "100 % ours" }, remove: ["x-debug"] },
    response_headers: { remove: ["x-powered-by"] },
    compression: {},
    circuit_breaker: { error_threshold_percentage: 0.5 },
    policies: { inbound: [policyNamed("on the route")] },
  });
  await add(`/edges/https/${site}/routes`, {
    match_type: "exact_path",
    match: "/",
    backend: { backend_id: page },
  });
  await add("/guarantees", {
    ...{ description: "metrics are for the office", expect: "refused" },
    ...{ addresses: ["*:443/metrics", "*.INTERNAL.example.com:*"], methods: ["GET"] },
    ...{ except_networks: ["10.0.0.0/8", "2001:db8::/32"], session: "none", mode: "report" },
  });
  const auth = {
    creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: `${CANARY} of the cloud` },
  };
  const stream = {
    stream_service: { auth, stream_ref: "arn:aws:kinesis:eu-west-1:123456789012:stream/events" },
  };
  const audit = await add("/event_destinations", { target: stream, description: "audit" });
  const intake = { monitoring_service: { api_key: `${CANARY} of the monitoring` } };
  const watch = await add("/event_destinations", { target: intake, description: "audit" });
  await add("/event_subscriptions", {
    sources: [{ type: "ip_policy_created.v0" }],
    destination_ids: [audit, watch],
  });
  let left = count - (await worldOf(rest)).length;
  const more = Array.from({ length: Math.max(0, left) }, (_, index) => index);
  for (; left > 0; left -= 50) {
    await Promise.all(
      more.splice(0, Math.min(left, 50)).map((index) => add(...oneMore(index, policies, site, group))),
    );
  }
}

function oneMore(
  index: number,
  policies: readonly string[],
  site: string,
  group: string,
): [path: string, body: object] {
  const number = Math.floor(index / 6);
  const kinds: [path: string, body: object][] = [
    [
      "/ip_policy_rules",
      {
        ip_policy_id: policies[index % policies.length],
        cidr: `10.${number >> 8}.${number & 255}.0/24`,
        action: "allow",
      },
    ],
    ["/credentials", { description: `agent ${number}`, acl: [`bind:a${number}.example.com`] }],
    ["/edges/tls", { hostports: [`a${number}.example.com:443`], backend: { backend_id: group } }],
    ["/backends/tunnel_group", { labels: { service: `s${number}` } }],
    [
      `/edges/https/${site}/routes`,
      { match_type: "path_prefix", match: `/a${number}`, backend: { backend_id: group } },
    ],
    ["/ip_policies", { description: "one of many" }],
  ];
  return kinds[index % kinds.length] as [string, object];
}

/** Every object of a server except the API key of the tests. */
export async function worldOf(rest: Rest): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  for (const { path, listKey } of registry.filter((definition) => pathFieldsOf(definition).length === 0)) {
    for (let next: string | null = path; next !== null; ) {
      const { body } = await rest.get(next);
      for (const one of body[listKey]) all.push(one, ...(one.routes ?? []));
      next = body.next_page_uri;
    }
  }
  const { key_id } = (await rest.get("/caller")).body;
  return all.filter(({ id }) => id !== key_id && id !== DEFAULT_PROJECT.id);
}

/** Fields that each server generates; two worlds that differ only in these count as equal. */
const OF_ITS_OWN = ["id", "uri", "created_at", "token", "certificate", "routes"];

/** The objects of a world in a comparable form: sorted, without generated fields, references by content. */
export const meaningOf = (world: readonly Record<string, unknown>[]): string[] =>
  [...meaningsById(world).values()].sort();

/** The same by the ids of the objects. */
export function meaningsById(world: readonly Record<string, unknown>[]): ReadonlyMap<string, string> {
  const byId = new Map(world.map((object) => [object.id as string, object]));
  const mean = (value: unknown): unknown => {
    if (typeof value === "string") {
      const object = byId.get(value);
      return object ? meaning(object) : /^usr_/.test(value) ? "a user" : value;
    }
    if (Array.isArray(value)) return value.map(mean);
    if (typeof value !== "object" || value === null) return value;
    if ("id" in value && "uri" in value) return mean((value as { id: string }).id);
    return Object.entries(value)
      .filter(([name]) => name !== "uri")
      .map(([name, item]) => [mean(name), mean(item)])
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  };
  const known = new Map<object, string>();
  const meaning = (object: Record<string, unknown>): string => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const isAuthority = String(object.id).startsWith("sshca_");
    const said = Object.entries(object).filter(
      ([name]) => !OF_ITS_OWN.includes(name) && !(isAuthority && name === "public_key"),
    );
    const text = JSON.stringify(mean(Object.fromEntries(said)));
    known.set(object, text);
    return text;
  };
  return new Map(world.map((object) => [object.id as string, meaning(object)]));
}
