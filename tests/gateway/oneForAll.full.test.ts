import { execFileSync } from "node:child_process";
import { OtherServer } from "./otherServer";
import { narrow, runningForAllTests } from "./running";

const FIRST = "first.example.com";

/** Stored texts, and the texts of another server that the gateway reads in their place. */
const READ_AS = {
  /** Half a character, which no message of Envoy can hold. */
  unreadable: ["half-a-character", "\\ud800"],
  port: ["127.0.0.77:7777", "127.0.0.77:77777"],
  address: ["[fe80::7777]:80", "[fe80::1%25eth0]:80"],
  ports: [":7778", ":77778"],
  sameHost: ["same.example.com:443", `${FIRST}:443`],
  sameHostInCapitals: ["other.example.com:443", `${FIRST.toUpperCase()}:443`],
} as const;

describe("The edge of one member", () => {
  const running = runningForAllTests();
  let between: OtherServer;
  const bad = new Set<string>();
  let others = 0;
  const start = () =>
    running.now.runWithAgents(
      ...["--url", between.url, "--allow-upstreams", "127.0.0.0/8", "--allow-upstreams", "fe80::/10"],
    );

  before("serve a site, with another server in between", async () => {
    between = await OtherServer.start(running.now.server.url);
    for (const [stored, read] of Object.values(READ_AS)) between.changes.set(stored, read);
    await running.now.site(FIRST);
    start();
    await running.now.becomes(200, FIRST);
  });

  /** An edge with one route that answers with this by itself. */
  async function answering(host: string, body: string): Promise<string> {
    const { api } = running.now;
    const backend = await api.httpResponseBackends.create({ body });
    const edge = await api.httpsEdges.create({ hostports: [`${host}:443`] });
    await api
      .httpsEdgeRoutes(edge.id)
      .create({ match_type: "path_prefix", match: "/", backend: { backend_id: backend.id } });
    return edge.id;
  }

  /** Waits until these are rejected too, and no others; returns why. */
  async function rejectedAlone(...ids: string[]): Promise<string[]> {
    for (const id of ids) bad.add(id);
    const rejected = await running.now.reports((edges) => {
      const found = edges.filter(({ state }) => state === "rejected").map(({ id }) => id);
      return found.length === bad.size && found.every((id) => bad.has(id));
    });
    return ids.map((id) => rejected.find((edge) => edge.id === id)?.reason ?? "");
  }

  /** Nobody else notices: another site comes and is narrowed. */
  async function othersGoOn(): Promise<void> {
    const one = running.now;
    const host = `others${++others}.example.com`;
    const { route } = await one.site(host);
    await one.becomes(200, host);
    await narrow(one, route);
    await one.becomesRefused(403, host, FIRST);
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([200, 200]);
  }

  it("is rejected for a hostport that an older edge has, in upper or lower case, and the older one is served", async () => {
    const one = running.now;
    const [{ id: older } = { id: "" }] = await one.reports((edges) => edges.length > 0);
    const newer = [
      (await one.site("same.example.com")).edge.id,
      (await running.now.tlsEdge("other.example.com", one.upstream.address)).edge,
    ];
    for (const reason of await rejectedAlone(...newer))
      expect(reason).to.equal(
        `${FIRST}:443 is not served, because the older edge ${older} has it: take it out of one of them`,
      );
    expect(await one.answers(FIRST)).to.equal("one");
    await othersGoOn();
  });

  it("is found and rejected alone when Envoy cannot even read it, with the reason and nothing of others", async () => {
    const one = running.now;
    const unread = await answering("unreadable.example.com", READ_AS.unreadable[0]);
    // The same where an edge is rejected already, because nobody listens for one of its ports.
    const partly = await answering("partly.example.com", READ_AS.unreadable[0]);
    await one.api.httpsEdges.update(partly, {
      hostports: ["partly.example.com:443", "partly.example.com:444"],
    });
    await one.reported(partly, ({ reason }) => reason.startsWith("Envoy refuses it"));
    const [reason] = await rejectedAlone(unread, partly);
    expect(reason).to.match(
      /^Envoy refuses it: cannot decode field \S+ from JSON: expected string: invalid UTF8$/,
    );
    await othersGoOn();
    expect(await one.metrics())
      .to.contain(`tunnelplane_gateway_edges_rejected ${bad.size}`)
      .and.to.contain("tunnelplane_gateway_taken 1");
  });

  it("is rejected alone for a port for which Envoy takes no cluster of a message, and once it is gone nothing is left out", async () => {
    const one = running.now;
    const { edge, backend } = await running.now.tlsEdge("bad.example.com", READ_AS.port[0]);
    const [reason] = await rejectedAlone(edge);
    expect(reason).to.match(/^Envoy refuses it: of tcp:127\.0\.0\.77:77777 it says: .*65535/);
    await othersGoOn();
    await one.api.tlsEdges.delete(edge);
    await one.api.staticBackends.delete(backend);
    bad.delete(edge);
    await rejectedAlone();
  });

  it("is rejected alone with all others of a backend whose address Envoy refuses", async () => {
    const { api } = running.now;
    const { edge, backend } = await running.now.tlsEdge("a.example.com", READ_AS.address[0]);
    const backend_id = { backend: { backend_id: backend } };
    const edges = [edge];
    for (const host of ["b.example.com", "c.example.com"])
      edges.push((await api.tlsEdges.create({ hostports: [`${host}:443`], ...backend_id })).id);
    for (const reason of await rejectedAlone(...edges))
      expect(reason).to.match(/^Envoy refuses it: of tcp:fe80::1%25eth0:80 it says: malformed IP address/);
    await othersGoOn();
  });

  it("is rejected alone beside a hundred others at once, each by its own name", async () => {
    const one = running.now;
    await one.gateway.stop();
    const made: { edge: string; backend: string }[] = [];
    for (let index = 0; index < 100; index++)
      made.push(await one.tlsEdge(`bad${index}.example.com`, `127.0.1.${index}${READ_AS.ports[0]}`));
    await one.tlsEdge("good.example.com", one.upstream.address);
    start();
    await one.becomes(200, "good.example.com");
    const reasons = await rejectedAlone(...made.map(({ edge }) => edge));
    for (const [index, reason] of reasons.entries())
      expect(reason).to.contain(`Envoy refuses it: of tcp:127.0.1.${index}:77778 it says: `);
    await othersGoOn();
    for (const { edge, backend } of made) {
      await one.api.tlsEdges.delete(edge);
      await one.api.staticBackends.delete(backend);
      bad.delete(edge);
    }
    await rejectedAlone();
  });

  it("is rejected alone at the next start of the gateway too, and Envoy starts again with all others", async () => {
    const one = running.now;
    await one.gateway.stop();
    const again = await running.now.tlsEdge("bad.example.com", READ_AS.port[0]);
    await running.now.tlsEdge("new.example.com", one.upstream.address);
    start();
    await one.becomes(200, "new.example.com");
    await one.becomes(200, FIRST);
    await rejectedAlone(again.edge);
    await othersGoOn();
    execFileSync("kill", ["-9", ...one.children]);
    await one.gateway.logged("Envoy ended");
    await one.becomes(200, "new.example.com");
    await one.becomesRefused(403, `others${others}.example.com`, FIRST);
  });
});
