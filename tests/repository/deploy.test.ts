import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { SERVE_SETTINGS } from "../../server/src/cli/settings";

const FOLDER = join(__dirname, "../../deploy");
const read = (path: string) => readFileSync(join(FOLDER, path), "utf8");

interface Service {
  readonly environment?: Record<string, string>;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Record<string, unknown>;
  readonly volumes?: readonly string[];
}

describe("The set for Docker Compose", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service>; volumes: Record<string, unknown> };
  const services = Object.entries(compose.services);
  const servers = services.filter(([, { build }]) => build?.dockerfile === "deploy/Dockerfile").map(([name]) => name);

  it("runs more than one server, and its proxy sends requests to each of them", () => {
    expect(servers).to.have.length.above(1);
    const upstreams = /reverse_proxy (.*) \{/.exec(read("Caddyfile"))?.[1]?.split(" ");
    expect(upstreams).to.have.members(servers.map((name) => `${name}:4040`));
  });

  it("sets only settings that the server has", () => {
    const known = SERVE_SETTINGS.map(({ env }) => env);
    for (const name of servers) {
      for (const variable of Object.keys(compose.services[name]?.environment ?? {})) expect(known).to.include(variable);
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
    for (const [, { build, depends_on = {}, volumes = [] }] of services) {
      if (build) expect(existsSync(join(FOLDER, build.context, build.dockerfile))).to.equal(true);
      for (const name of Object.keys(depends_on)) expect(compose.services).to.have.property(name);
      for (const [source = ""] of volumes.map((volume) => volume.split(":"))) {
        if (source.startsWith(".")) expect(existsSync(join(FOLDER, source)), source).to.equal(true);
        else expect(compose.volumes).to.have.property(source);
      }
    }
  });
});
