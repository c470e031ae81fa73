import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { parse } from "yaml";
import { certificate } from "../support/api/fixtures";
import { sharedPostgres } from "../support/databases";
import { ENVOY, needsEnvoy } from "../support/envoy";
import { newFolder } from "../support/folder";
import { GatewayProcess } from "../support/gateway";
import { freePort } from "../support/ports";
import { ServerProcess } from "../support/server";
import { http1, Upstream } from "./traffic";

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

describe("The gateway of the set for Docker Compose", () => {
  const compose = parse(readFileSync(join(__dirname, "../../deploy/compose.yaml"), "utf8"), {
    merge: true,
  }) as { services: Record<string, Service> };
  let envoy: ChildProcess | undefined;

  before(function () {
    needsEnvoy(this);
  });
  after("stop everything", async () => {
    if (envoy?.exitCode === null) {
      envoy.kill("SIGKILL");
      await once(envoy, "exit");
    }
  });

  it("serves changes that reach either of two servers on PostgreSQL, with an Envoy beside it: the same processes, without containers", async () => {
    const folder = newFolder();
    const data = await (await sharedPostgres()).newDatabase();
    const servers = [await ServerProcess.start({ data }), await ServerProcess.start({ data })];
    const [first, second] = servers.map(({ url, apiKey }) => new Tunnelplane({ baseUrl: url, apiKey })) as [
      Tunnelplane,
      Tunnelplane,
    ];
    const upstream = await Upstream.start("one");
    const bot = await first.botUsers.create({ name: "compose", role: "gateway" });
    const key = (await first.apiKeys.create({ owner_id: bot.id })).token ?? "";
    const [https, ssh, metrics] = [await freePort(), await freePort(), await freePort()];
    const moved = (text: string) =>
      text
        .replace(/^\/(state|certs)/, join(folder, "$1"))
        .replace("0.0.0.0:8443", `127.0.0.1:${https}`)
        .replace("0.0.0.0:2222", `127.0.0.1:${ssh}`)
        .replace("0.0.0.0:4041", `127.0.0.1:${metrics}`);
    mkdirSync(join(folder, "certs"));
    const own = certificate({ extensions: ["subjectAltName = DNS:*.example.com"] });
    writeFileSync(join(folder, "certs", "site.pem"), own.pem);
    writeFileSync(join(folder, "certs", "site.key"), own.privateKey);
    const { gateway, envoy: beside } = compose.services as { gateway: Service; envoy: Service };
    const environment = Object.fromEntries(
      Object.entries(gateway.environment ?? {}).map(([name, value]) => [
        name,
        moved(value.replace(/^\$\{.*:-(.*)\}$/, "$1")),
      ]),
    );
    const [command, ...args] = gateway.command.map(moved); // of the image's one command
    expect(command).to.equal("gateway");
    GatewayProcess.start(args, {
      ...environment,
      TUNNELPLANE_BASE_URL: servers[0]?.url ?? "",
      TUNNELPLANE_API_KEY: key,
    });
    const backend = await second.staticBackends.create({ address: upstream.address });
    const site = async (host: string) => {
      const edge = await second.httpsEdges.create({ hostports: [`${host}.example.com:443`] });
      await second
        .httpsEdgeRoutes(edge.id)
        .create({ match_type: "path_prefix", match: "/", backend: { backend_id: backend.id } });
    };
    await site("app");
    while (!existsSync(join(folder, "state", "envoy", "bootstrap.json"))) await sleep(20);
    const [, ...flags] = beside.command.map(moved);
    envoy = spawn(ENVOY ?? "", [...flags, "--concurrency", "1", "--disable-hot-restart"], {
      stdio: "ignore",
    });

    const becomes200 = async (host: string) => {
      while ((await http1(https, "/", { sni: `${host}.example.com` })).status !== 200) await sleep(50);
    };
    await becomes200("app");
    await site("later");
    await becomes200("later");
    await becomes200("app");
    const hasReported = async () => {
      for await (const { name } of second.gateways.list()) if (name === "compose") return true;
      return false;
    };
    while (!(await hasReported())) await sleep(50);
    expect((await second.gateways.get("compose")).envoy_version).to.equal("1.40.0");
  });
});
