import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { parse } from "yaml";
import { SERVE_SETTINGS } from "../../server/src/cli/settings";
import { sharedPostgres } from "../support/databases";
import { newFolder } from "../support/folder";
import { ServerProcess } from "../support/server";

const FOLDER = join(__dirname, "../../deploy");
const read = (path: string) => readFileSync(join(FOLDER, path), "utf8");

/** What runs from the same image beside the servers. */
const BESIDE = ["gateway", "envoy"];

interface Service {
  readonly environment?: Record<string, string>;
  readonly image: string;
  readonly build?: object;
  readonly pull_policy?: string;
  readonly depends_on?: Record<string, unknown>;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly object[];
}

describe("The set for Docker Compose", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
    secrets: Record<string, { file?: string }>;
  };
  const services = Object.entries(compose.services);
  const servers = services
    .filter(([name, { image }]) => image.startsWith("tunnelplane:") && !BESIDE.includes(name))
    .map(([name]) => name);

  it("runs more than one server, and its proxy sends requests to each of them", () => {
    expect(servers).to.have.length.above(1);
    const upstreams = /reverse_proxy (.*) \{/.exec(read("Caddyfile"))?.[1]?.split(" ");
    expect(upstreams).to.have.members(servers.map((name) => `${name}:4040`));
  });

  it("builds nothing, and starts the image of this version as it was loaded, whoever has the name in a registry", () => {
    const { version } = JSON.parse(readFileSync(join(FOLDER, "../package.json"), "utf8"));
    const ours = services.filter(([, { image }]) => image.startsWith("tunnelplane"));
    expect(ours.map(([name]) => name)).to.have.members([...servers, ...BESIDE]);
    for (const [name, service] of ours)
      expect(service, name).to.include({ image: `tunnelplane:${version}`, pull_policy: "never" });
    expect(services.filter(([, { build }]) => build !== undefined)).to.deep.equal([]);
    const load = `docker load --input tunnelplane-v${version}-linux-x64.oci.tar`;
    for (const text of [read("compose.yaml"), readFileSync(join(FOLDER, "../docs/deploy.md"), "utf8")])
      expect(text).to.contain(load);
  });

  it("sets only settings that the server has", () => {
    const known = SERVE_SETTINGS.map(({ env }) => env);
    for (const name of servers) {
      for (const variable of Object.keys(compose.services[name]?.environment ?? {}))
        expect(known).to.include(variable);
    }
  });

  it("contains no secret; its user has to set them", () => {
    const text = read("compose.yaml");
    expect(text)
      .to.match(/\$\{POSTGRES_PASSWORD:\?/)
      .and.to.match(/\$\{TUNNELPLANE_BOOTSTRAP_API_KEY:\?/);
    expect(text).not.to.match(/(PASSWORD|API_KEY): (?!\$\{)/);
  });

  it("names only existing files, services and volumes", () => {
    for (const [, { depends_on = {}, volumes = [] }] of services) {
      for (const name of Object.keys(depends_on)) expect(compose.services).to.have.property(name);
      for (const [source = ""] of volumes.map((volume) => volume.split(":"))) {
        if (source.startsWith(".")) expect(existsSync(join(FOLDER, source)), source).to.equal(true);
        else expect(compose.volumes).to.have.property(source);
      }
    }
  });

  it("comes up: two servers with exactly its environment and its master key, on one PostgreSQL, are both ready", async () => {
    const folder = newFolder();
    const [key, settings] = [join(folder, "deploy/master.key"), join(folder, "deploy/.env")];
    const [, comment = ""] = /((?:^# {3}.*\n)+?)# {3}docker load/m.exec(read("compose.yaml")) ?? [];
    const making = comment.replace(/^# {3}/gm, "");
    expect(readFileSync(join(FOLDER, "../docs/deploy.md"), "utf8")).to.contain(`\`\`\`sh\n${making}`);
    // The owner is this test's, as it is the container's user in a container.
    const alone = making.replace("sudo ", "").replace(/--(owner|group)=1000 /g, "");
    mkdirSync(join(folder, "deploy"));
    const made = () => {
      execFileSync("sh", ["-c", alone], { cwd: folder });
      return [key, settings].map((path) => readFileSync(path, "utf8"));
    };
    const first = made();
    expect(made(), "run again, the commands keep the secrets").to.deep.equal(first);
    expect(statSync(key).mode & 0o777).to.equal(0o400);
    expect(statSync(settings).mode & 0o777).to.equal(0o600);
    const url = await (await sharedPostgres()).newDatabase();
    const given = parseEnv(readFileSync(settings, "utf8"));
    expect(given).to.have.all.keys("POSTGRES_PASSWORD", "TUNNELPLANE_BOOTSTRAP_API_KEY");
    for (const value of Object.values(given)) expect(value).to.match(/^[0-9a-f]{48,64}$/);
    for (const name of servers) {
      const { environment = {}, secrets = [] } = compose.services[name] as Service;
      expect(secrets).to.deep.equal([
        { source: "master_key", target: "master_key", uid: "1000", gid: "1000", mode: 400 },
      ]);
      expect(read("compose.yaml"), "in octal digits").to.contain("mode: 0400");
      const filled = Object.entries(environment).map(([variable, value]) => [
        variable,
        value
          .replace(/\$\{(\w+):[?-]([^}]*)\}/g, (_, asked: string, usual: string) => given[asked] ?? usual)
          .replace(/^postgres:.*/, url)
          .replace("/run/secrets/master_key", key),
      ]);
      const env = {
        TUNNELPLANE_MASTER_KEY: undefined,
        TUNNELPLANE_DATA: join(folder, name),
        ...Object.fromEntries(filled),
      };
      const server = await ServerProcess.start({ data: url, env });
      expect((await fetch(`${server.url}/readyz`)).status, name).to.equal(200);
    }
    expect(compose.secrets.master_key?.file).to.equal("./master.key");
  });
});
