import { certificate } from "../support/api/fixtures";
import { StandInDns } from "../support/dns";
import { GatewayProcess } from "../support/gateway";
import { freePort } from "../support/ports";
import { StandInServer } from "../support/standIn";
import { runningForEachTest } from "./running";
import { Upstream } from "./traffic";
import { jwt } from "./worlds";

const APP = "app.example.com";

describe("The target of a gateway's traffic", () => {
  const running = runningForEachTest();
  /** The reason that the gateway reports for an edge in this state, once it has the words. */
  const reported = async (edge: string, state: string, words = ""): Promise<string> =>
    (await running.now.reported(edge, (one) => one.state === state && one.reason.includes(words))).reason;

  it("is one of the addresses of a name, whichever answers: alone, by weight and in a failover, on both kinds of edges", async () => {
    const one = running.now;
    const [v4, v6] = [await Upstream.start("v4", "127.0.0.1"), await Upstream.start("v6", "::1")];
    try {
      const at = async (address: string) => (await one.api.staticBackends.create({ address })).id;
      const [four, six, last] = [
        await at(`localhost:${v4.port}`),
        await at(`localhost:${v6.port}`),
        await at(one.upstream.address),
      ];
      const weighted = await one.api.weightedBackends.create({ backends: { [four]: 1, [six]: 1 } });
      const [safe4, safe6] = [
        await one.api.failoverBackends.create({ backends: [four, last] }),
        await one.api.failoverBackends.create({ backends: [six, last] }),
      ];
      const expected = { four: ["v4"], six: ["v6"], both: ["v4", "v6"], safe4: ["v4"], safe6: ["v6"] };
      const backends = { four, six, both: weighted.id, safe4: safe4.id, safe6: safe6.id };
      for (const [name, backend_id] of Object.entries(backends)) {
        const edge = await one.api.httpsEdges.create({ hostports: [`${name}.https.example.com:443`] });
        await one.api
          .httpsEdgeRoutes(edge.id)
          .create({ match_type: "path_prefix", match: "/", backend: { backend_id } });
        await one.api.tlsEdges.create({
          hostports: [`${name}.tls.example.com:443`],
          backend: { backend_id },
        });
      }
      one.run("--dev-ca");
      for (const [name, names] of Object.entries(expected))
        for (const kind of ["https", "tls"]) {
          const sni = `${name}.${kind}.example.com`;
          await one.becomes(200, sni);
          const seen = new Set<string | undefined>();
          for (let index = 0; index < 20; index++) seen.add(await one.answers(sni));
          expect([...seen].sort(), sni).to.deep.equal(names);
        }
    } finally {
      await Promise.all([v4.stop(), v6.stop()]);
    }
  });

  it("is nothing link-local, nothing of the gateway itself and not the server, in whatever form, unless --allow-upstreams names it", async () => {
    const one = running.now;
    const serverPort = new URL(one.server.url).port;
    const everywhere = await freePort();
    const own = {
      ...{ listen: one.httpsPort, metrics: one.metricsPort, agents: one.sshPort },
      server: Number(serverPort),
    };
    const denied = [
      [
        "169.254.169.254:80",
        /goes to 169\.254\.169\.254:80, which is link-local, where clouds keep .* --allow-upstreams 169\.254\.169\.254\/32$/,
      ],
      ["[fe80::1]:80", /goes to \[fe80::1\]:80, which is link-local: .* --allow-upstreams fe80::1\/128$/],
      ["[::ffff:169.254.169.254]:80", /which is link-local, .* --allow-upstreams 169\.254\.169\.254\/32$/],
      ["[64:ff9b::a9fe:a9fe]:80", /which is link-local, .* --allow-upstreams 169\.254\.169\.254\/32$/],
      ["[fd00:ec2::254]:80", /which is where Amazon's cloud keeps secrets/],
      [
        `127.0.0.1:${own.listen}`,
        /which is where this gateway itself listens \(--listen\): .* --allow-upstreams 127\.0\.0\.1\/32$/,
      ],
      [`127.0.0.1:${own.metrics}`, /which is where this gateway's metrics are \(--metrics\)/],
      [`0.0.0.0:${own.metrics}`, /which is where this gateway's metrics are/],
      [
        `localhost:${own.metrics}`,
        /goes to localhost:\d+, now at 127\.0\.0\.1, which is where this gateway's metrics are/,
      ],
      [`[::ffff:7f00:1]:${own.metrics}`, /which is where this gateway's metrics are/],
      [`127.0.0.9:${everywhere}`, /which is where this gateway itself listens/],
      [`127.0.0.1:${own.agents}`, /which is where this gateway's agents come in \(--ssh-listen\)/],
      [`127.0.0.1:${own.server}`, /which is where the server is \(--url\)/],
      [`127.0.0.2:${own.server}`, /which is where the server is \(--url\)/],
    ] as const;
    const edges = [];
    for (const [index, [address]] of denied.entries())
      edges.push(await running.now.tlsEdge(`no${index}.example.com`, address));
    await one.site(APP);
    one.runWithAgents("--listen", `444=0.0.0.0:${everywhere}`);
    await one.becomes(200, APP);
    for (const [index, [, reason]] of denied.entries()) {
      const { edge, backend } = edges[index] as { edge: string; backend: string };
      expect(await reported(edge, "rejected"))
        .to.match(reason)
        .and.to.match(new RegExp(`^the backend ${backend} goes to `));
      expect((await one.ask(`no${index}.example.com`)).status).to.equal(0);
    }
    await one.gateway.stop();
    one.runWithAgents("--allow-upstreams", "127.0.0.0/8", "--allow-upstreams", "fe80::/10");
    const metrics = denied.findIndex(([address]) => address === `127.0.0.1:${own.metrics}`);
    await one.until(async () =>
      (await one.ask(`no${metrics}.example.com`, "/metrics")).body.includes("tunnelplane_gateway"),
    );
    await reported(edges[1]?.edge ?? "", "applied");
    expect(await reported(edges[0]?.edge ?? "", "rejected")).to.contain("is link-local");
  });

  it("is nothing in --deny-upstreams, except for a smaller network in --allow-upstreams; the environment may set both", async () => {
    const one = running.now;
    const { edge, route } = await one.site(APP);
    one.env = { TUNNELPLANE_GATEWAY_DENY_UPSTREAMS: "10.0.0.0/8,127.0.0.0/8" };
    one.run("--dev-ca");
    expect(await reported(edge.id, "rejected")).to.equal(
      `the route / is refused, and the others are served: the backend ${route.backend?.backend.id} goes to ${one.upstream.address}, which is in 127.0.0.0/8 of --deny-upstreams: take that out, or add --allow-upstreams 127.0.0.1/32`,
    );
    expect(await one.answers(APP)).to.equal(undefined);
    await one.gateway.stop();
    one.run("--dev-ca", "--allow-upstreams", "127.0.0.1/32");
    await one.becomes(200, APP);
    await one.gateway.stop();
    one.run("--dev-ca", "--allow-upstreams", "127.0.0.1/32", "--deny-upstreams", "127.0.0.1/32");
    await reported(edge.id, "rejected", "127.0.0.1/32 of --deny-upstreams");
    const render = GatewayProcess.start(
      [
        ...["render", "--dev-ca", "--state", one.state, "--url", one.server.url, "--deny-upstreams"],
        "127.0.0.0/8",
      ],
      { TUNNELPLANE_API_KEY: one.server.apiKey },
    );
    expect(await render.ended()).to.equal(0);
    expect(render.log).to.contain("which is in 127.0.0.0/8 of --deny-upstreams");
  });

  it("follows a name: what it comes to point to is asked again, refused where it is denied, and stays while nobody answers", async () => {
    const one = running.now;
    const dns = await StandInDns.start();
    one.env = dns.environment(one.folder);
    const [name, later] = ["moving.internal", "later.internal"];
    dns.names = { [name]: ["127.0.0.1"] };
    const { edge, backend } = await running.now.tlsEdge(APP, `${name}:${one.upstream.port}`);
    const slow = await running.now.tlsEdge("later.example.com", `${later}:${one.upstream.port}`);
    one.run("--dev-ca");
    await one.becomes(200, APP);
    await one.gateway.logged(
      `the name ${later} cannot be resolved (ENOTFOUND): requests to it are refused until it can`,
    );
    expect(await reported(slow.edge, "applied")).to.equal("");
    dns.names = { [name]: "fails", [later]: ["127.0.0.1"] };
    await one.becomes(200, "later.example.com");
    await one.gateway.logged(
      `the name ${name} cannot be resolved (ESERVFAIL): the gateway goes on using its last addresses`,
    );
    expect(await one.answers(APP)).to.equal("one");
    await one.gateway.stop("SIGKILL");
    for (let index = 0; index < 5; index++) expect(await one.answers(APP)).to.equal("one");
    one.run("--dev-ca");
    await one.gateway.logged("the gateway goes on using its last addresses");
    expect(await one.answers(APP)).to.equal("one");
    dns.names = { [name]: ["127.0.0.1", "169.254.169.254"] };
    expect(await reported(edge, "rejected")).to.match(
      new RegExp(
        `^the backend ${backend} goes to ${name}:\\d+, now at 169.254.169.254, which is link-local, .*/32$`,
      ),
    );
    await one.becomes(0, APP);
    dns.names = { [name]: ["127.0.0.1"] };
    await one.becomes(200, APP);
  });

  it("holds for key sets and issuers, too, which neither Envoy nor the gateway connects to where they are denied", async () => {
    const one = running.now;
    let connections = 0;
    const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
    const hidden = await StandInServer.start((_, response) => response.end("{}"), own);
    hidden.onConnection(() => connections++);
    const url = hidden.url.replace("127.0.0.1", "localhost");
    const page = await one.api.httpResponseBackends.create({ status_code: 200, body: "" });
    const backend = { backend_id: page.id };
    const keys = await one.site("keys.example.com", { backend, jwt_validation: jwt({}, `${url}/jwks`) });
    const fields = { client_id: "a", client_secret: "b", scopes: ["openid"] };
    const issuer = await one.site("issuer.example.com", { backend, oidc: { issuer: hidden.url, ...fields } });
    const metadata = await one.site("cloud.example.com", {
      backend,
      jwt_validation: jwt({}, "https://169.254.169.254/jwks"),
    });
    one.run("--dev-ca", "--deny-upstreams", "127.0.0.1/32");
    expect(await reported(keys.edge.id, "rejected"))
      .to.contain(`${url}/jwks goes to localhost:`)
      .and.to.contain(", now at 127.0.0.1, which is in 127.0.0.1/32 of --deny-upstreams");
    expect(await reported(issuer.edge.id, "rejected")).to.contain("127.0.0.1/32 of --deny-upstreams");
    expect(await reported(metadata.edge.id, "rejected")).to.contain("is link-local");
    await one.gateway.logged(
      `the discovery document of the issuer ${hidden.url} could not be read: it goes to`,
    );
    await one.gateway.logged(`the key set ${url}/jwks could not be read: it goes to`);
    expect(connections).to.equal(0);
  });
});
