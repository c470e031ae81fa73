import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { OtherServer } from "./otherServer";
import { runningForEachTest } from "./running";

/** An older contract took it, and Envoy does not. The server stores another one, which it takes. */
const REFUSED = { stored: "[fe80::7777]:80", read: "[fe80::1%25eth0]:80" };
const OPTIONS = ["--dev-ca", "--allow-upstreams", "fe80::/10"];

describe("A backend that Envoy refuses", () => {
  const running = runningForEachTest();
  let between: OtherServer;
  beforeEach("start another server in between", async () => {
    between = await OtherServer.start(running.now.server.url);
    between.changes.set(REFUSED.stored, REFUSED.read);
  });
  afterEach("stop it", () => between?.stop());

  /** Edges with such a backend, which the gateway reports as rejected, with the reason. */
  async function rejected(hosts: readonly string[]): Promise<void> {
    const one = running.now;
    const backend = await one.api.staticBackends.create({ address: REFUSED.stored });
    const edges: string[] = [];
    for (const host of hosts)
      edges.push(
        (await one.api.tlsEdges.create({ hostports: [`${host}:443`], backend: { backend_id: backend.id } }))
          .id,
      );
    for (let reported = 0; reported < hosts.length; )
      reported = (await one.api.gateways.get("edge-1").catch(() => ({ rejected: 0 }))).rejected;
    for (const { id, state, reason } of (await one.api.gateways.get("edge-1")).edges) {
      expect(state).to.equal(edges.includes(id) ? "rejected" : "applied");
      if (state === "rejected")
        expect(reason).to.match(/^Envoy refuses it: of tcp:fe80::1%25eth0:80 it says: malformed IP address/);
    }
  }

  async function closed(edge: string, route: string): Promise<void> {
    const one = running.now;
    const policy = await one.api.ipPolicies.create({});
    await one.api.httpsEdgeRoutes(edge).update(route, { ip_restriction: { ip_policy_ids: [policy.id] } });
  }

  it("keeps its edges alone from being served: others come, and are narrowed, also after a restart", async () => {
    const one = running.now;
    const { edge, route } = await one.site("first.example.com");
    one.run(...OPTIONS, "--url", between.url);
    await one.becomes(200, "first.example.com");
    await rejected(["a.example.com", "b.example.com", "c.example.com"]);
    const second = await one.site("second.example.com");
    await one.becomes(200, "second.example.com");
    await closed(edge.id, route.id);
    await one.becomes(403, "first.example.com");
    await one.gateway.stop();
    one.run(...OPTIONS, "--url", between.url);
    await one.becomes(200, "second.example.com");
    await closed(second.edge.id, second.route.id);
    await one.becomes(403, "second.example.com");
    expect((await one.ask("first.example.com")).status).to.equal(403);
  });

  it("does no harm where it was in the file that Envoy was given last, and its edge is gone", async () => {
    const one = running.now;
    const { edge, route } = await one.site("first.example.com");
    one.run(...OPTIONS, "--url", between.url);
    await one.becomes(200, "first.example.com");
    await one.gateway.stop();
    const file = join(one.state, "envoy", "cds.json");
    const { resources } = JSON.parse(readFileSync(file, "utf8"));
    const address = { socket_address: { address: "999.1.1.1", port_value: 80 } };
    const endpoints = [{ lb_endpoints: [{ endpoint: { address } }] }];
    const refused = {
      ...resources[0],
      name: "refused",
      load_assignment: { cluster_name: "refused", endpoints },
    };
    writeFileSync(file, JSON.stringify({ version_info: "refused", resources: [...resources, refused] }));
    one.run(...OPTIONS, "--url", between.url);
    await closed(edge.id, route.id);
    await one.becomes(403, "first.example.com");
    expect(JSON.parse(readFileSync(file, "utf8")).resources).to.have.length(resources.length);
  });
});
