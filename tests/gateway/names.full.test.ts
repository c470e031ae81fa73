import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StandInDns } from "../support/dns";
import { GatewayProcess } from "../support/gateway";
import { runningForEachTest } from "./running";
import { Upstream } from "./traffic";
import { fixed, httpsEdge, route, to } from "./worlds";

const APP = "app.example.com";
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${index}.internal`);

describe("The names of backends", () => {
  const running = runningForEachTest();
  let dns: StandInDns;
  beforeEach("start a DNS server", async () => {
    dns = await StandInDns.start();
  });

  it("are followed while hundreds of others get no answer", async () => {
    const one = running.now;
    await Upstream.start("other", "127.0.0.2", one.upstream.port);
    one.env = dns.environment(one.folder);
    const silent = numbered(600);
    const name = "moving.internal";
    dns.names = { [name]: ["127.0.0.1"] };
    const backend = await one.api.staticBackends.create({ address: `${name}:${one.upstream.port}` });
    await one.site(APP, { backend: { backend_id: backend.id } });
    one.run("--dev-ca");
    await one.becomes(200, APP);
    dns.names = {
      ...Object.fromEntries(silent.map((each) => [each, "silent" as const])),
      [name]: ["127.0.0.2"],
    };
    for (let index = 0; index < silent.length; index += 50)
      await Promise.all(
        silent
          .slice(index, index + 50)
          .map((each) => one.api.staticBackends.create({ address: `${each}:80` })),
      );
    while ((await one.answers(APP)) !== "other") await sleep(50);
    expect(
      silent.filter((each) => dns.asked.has(each)).length,
      "names that were asked for before",
    ).to.be.below(silent.length);
  });

  it("are resolved up to 10,000, with 16 addresses of each", async () => {
    const one = running.now;
    const many = numbered(9_998);
    const crowd = Array.from({ length: 40 }, (_, index) => `10.0.0.${index}`);
    dns.names = { "crowd.internal": crowd, "last.internal": ["10.0.0.1"] };
    const backends = [
      fixed("crowd", "crowd.internal:80"),
      fixed("same", "CROWD.internal:80"),
      ...many.map((name) => fixed(name, `${name}:80`)),
      fixed("last", "last.internal:80"),
      fixed("late", "late.internal:80"),
    ];
    const edge = (id: string, backend: string) =>
      httpsEdge({
        id,
        hostports: [`${id}.example.com:443`],
        routes: [route({ id: `${id}_1`, backend: to(backend) })],
      });
    const file = join(one.folder, "objects.json");
    writeFileSync(
      file,
      JSON.stringify({ objects: [edge("a", "crowd"), edge("b", "last"), edge("c", "late"), ...backends] }),
    );
    const render = GatewayProcess.start(
      ["render", file, "--dev-ca", "--state", one.state, "--listen", "443=127.0.0.1:8443"],
      dns.environment(one.folder),
    );
    expect(await render.ended()).to.equal(0);
    expect(render.log)
      .to.contain("c is rejected: ")
      .and.to.contain("the backend late goes to late.internal:80, and this gateway resolves no more names");
    expect(render.log).not.to.contain("b is rejected");
    const { clusters } = JSON.parse(render.out).static_resources;
    const crowded = clusters.find(({ name }: { name: string }) => name === "tcp:crowd.internal:80");
    const [{ endpoint }] = crowded.load_assignment.endpoints[0].lb_endpoints;
    expect([
      endpoint.address,
      ...endpoint.additional_addresses.map(({ address }: { address: object }) => address),
    ]).to.have.length(16);
  });
});
