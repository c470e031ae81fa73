import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import { GatewayProcess } from "../support/gateway";
import { runningForEachTest } from "./running";
import { http1 } from "./traffic";
import { WORLDS } from "./worlds";

describe("A gateway", () => {
  const running = runningForEachTest();

  it("serves what a server declares, follows each change, and goes on when the server is gone", async () => {
    const one = running.now;
    const { route, edge } = await one.site("app.example.com");
    one.run("--dev-ca");
    await one.becomes(200, "app.example.com");
    expect(await one.ready()).to.equal(200);
    await one.site("second.example.com");
    await one.becomes(200, "second.example.com");
    for (let seen = 0; seen < 2; )
      seen = (await one.api.gateways.get("edge-1").catch(() => ({ applied: 0 }))).applied;
    const { version, envoy_version, sequence, edges } = await one.api.gateways.get("edge-1");
    expect([version, envoy_version, edges[0]]).to.deep.equal([
      "0.1.0",
      "1.40.0",
      { id: edge.id, state: "applied", reason: "" },
    ]);
    expect(sequence).to.be.greaterThan(0);
    const policy = await one.api.ipPolicies.create({});
    const module = { ip_restriction: { ip_policy_ids: [policy.id] } };
    await one.api.httpsEdgeRoutes(route.edge_id).update(route.id, module);
    await one.becomes(403, "app.example.com");
    await one.server.stop("SIGKILL");
    await one.gateway.logged("could not be read");
    await one.becomes(200, "second.example.com");
    await one.gateway.stop("SIGTERM");
    one.run("--dev-ca");
    await one.gateway.logged("serving what was declared when the server was last read");
    await one.becomes(200, "second.example.com");
    await one.becomes(403, "app.example.com");
    expect(await one.metrics()).to.contain("tunnelplane_gateway_edges_applied 2");
  });

  it("finds the edge that Envoy refuses, reports it, serves the others, and serves it once it is mended", async () => {
    const one = running.now;
    const certs = one.folder;
    const put = (name: string, pem: string, key: string) => {
      writeFileSync(join(certs, `${name}.pem`), pem);
      writeFileSync(join(certs, `${name}.key`), key);
    };
    for (const host of ["one.example.com", "two.example.com", "weak.example.com"]) await one.site(host);
    for (const host of ["one.example.com", "two.example.com"]) {
      const own = certificate({ extensions: [`subjectAltName = DNS:${host}`] });
      put(host, own.pem, own.privateKey);
    }
    const weak = certificate({ key: "weak", extensions: ["subjectAltName = DNS:weak.example.com"] });
    put("weak", weak.pem, weak.privateKey);
    writeFileSync(join(certs, "alone.pem"), certificate().pem);
    one.run("--certs", certs);
    await one.becomes(200, "one.example.com");
    await one.becomes(200, "two.example.com");
    expect((await http1(one.httpsPort, "/", { sni: "weak.example.com" })).status).to.equal(0);
    expect(one.gateway.log)
      .to.contain("edge rejected")
      .and.to.contain("Envoy refuses it")
      .and.to.contain("alone.pem has no key beside it");
    await one.site("third.example.com");
    for (const host of ["third.example.com", "weak.example.com"]) {
      const own = certificate({ extensions: [`subjectAltName = DNS:${host}`] });
      put(host === "weak.example.com" ? "weak" : host, own.pem, own.privateKey);
      await one.becomes(200, host);
    }
  });

  it("writes files that only their owner can read, above all keys", async () => {
    const { state } = running.now;
    const one = running.now;
    await one.site("app.example.com");
    one.run("--dev-ca");
    await one.becomes(200, "app.example.com");
    const files = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? files(join(folder, one.name)) : one.isFile() ? [join(folder, one.name)] : [],
      );
    expect(files(state)).not.to.have.length(0);
    for (const file of files(state)) expect(statSync(file).mode & 0o077, file).to.equal(0);
    expect(files(state).some((file) => readFileSync(file, "utf8").includes("PRIVATE KEY"))).to.equal(true);
  });

  it("renders the configuration for a file of objects, and reports what is not served", async () => {
    const { state } = running.now;
    const file = join(state, "objects.json");
    writeFileSync(file, JSON.stringify({ objects: WORLDS.refused }));
    const render = GatewayProcess.start([
      "render",
      file,
      "--dev-ca",
      "--state",
      state,
      "--listen",
      "443=127.0.0.1:8443",
    ]);
    expect(await render.ended()).to.equal(0);
    expect(JSON.parse(render.out).static_resources.listeners[0].name).to.equal("port 443");
    expect(render.log).to.contain("edghts_1 is rejected: the backend bkdhr_gone does not exist");
  });

  it("renders without leaving a file or folder behind, however it ends", async () => {
    const { folder } = running.now;
    const [state, file] = [join(folder, "rendered"), join(folder, "refused.json")];
    writeFileSync(file, JSON.stringify({ objects: WORLDS.refused }));
    const before = readdirSync(folder);
    const ends: [code: number, ...args: string[]][] = [
      [0, file],
      [1, join(folder, "missing.json")],
      [1, file, "--trust", "/nowhere.pem"],
      [1, "--url", "http://127.0.0.1:9", "--api-key", "nobodys"],
    ];
    for (const [code, ...args] of ends) {
      const render = GatewayProcess.start(["render", ...args, "--dev-ca", "--state", state]);
      expect(await render.ended(), args.join(" ")).to.equal(code);
      expect(existsSync(state), args.join(" ")).to.equal(false);
    }
    expect(readdirSync(folder)).to.deep.equal(before);
  });

  it("believes the balancers that it is started with, by flags or the environment, and so does render", async () => {
    const one = running.now;
    const office = await one.api.ipPolicies.create({});
    await one.api.ipPolicyRules.create({ ip_policy_id: office.id, cidr: "203.0.113.9/32", action: "allow" });
    await one.site("app.example.com", { ip_restriction: { ip_policy_ids: [office.id] } });
    one.run("--dev-ca", "--trust-forwarded", "127.0.0.2/32", "--trust-forwarded", "10.0.0.0/8,127.0.0.3/32");
    await one.becomes(403, "app.example.com");
    const headers = { "x-forwarded-for": "203.0.113.9" };
    const from = async (localAddress: string) =>
      (await http1(one.httpsPort, "/", { sni: "app.example.com", headers, localAddress })).status;
    expect([await from("127.0.0.1"), await from("127.0.0.2"), await from("127.0.0.3")]).to.deep.equal([
      403, 200, 200,
    ]);
    const file = join(one.state, "objects.json");
    writeFileSync(file, JSON.stringify({ objects: WORLDS["tls-edge"] }));
    const args = ["render", file, "--dev-ca", "--state", one.state, "--listen", "443=127.0.0.1:8443"];
    const env = {
      TUNNELPLANE_GATEWAY_TRUST_FORWARDED: "10.0.0.0/8, 2001:db8::/32",
      TUNNELPLANE_GATEWAY_PROXY_PROTOCOL: "true",
    };
    const render = GatewayProcess.start(args, env);
    expect(await render.ended()).to.equal(0);
    const { layered_runtime, static_resources } = JSON.parse(render.out);
    const [listener] = static_resources.listeners;
    expect(listener.listener_filters.map(({ name }: { name: string }) => name)).to.deep.equal([
      "proxy_protocol",
      "tls_inspector",
    ]);
    expect(listener.filter_chains[0].filter_chain_match.direct_source_prefix_ranges).to.deep.equal([
      { address_prefix: "10.0.0.0", prefix_len: 8 },
      { address_prefix: "2001:db8::", prefix_len: 32 },
    ]);
    expect(JSON.stringify(layered_runtime)).to.contain("listener.port 443.connection_limit");
  });

  it("renders no file in which a kind or a field is misspelt, and says where", async () => {
    const { state } = running.now;
    const file = join(state, "objects.json");
    const fields = { id: "edghts_1", hostports: ["app.example.com:443"] };
    for (const [object, expected] of [
      [{ kind: "ip_policy_rul", fields }, 'objects[0]: there is no kind "ip_policy_rul"; expected one of'],
      [
        { kind: "https_edge", fields },
        "objects[0]: routes missing; give each https_edge as the API answers it",
      ],
    ] as const) {
      writeFileSync(file, JSON.stringify({ objects: [object] }));
      const render = GatewayProcess.start([
        "render",
        file,
        "--dev-ca",
        "--state",
        state,
        "--listen",
        "443=127.0.0.1:8443",
      ]);
      expect(await render.ended()).to.equal(1);
      expect(render.out).to.equal("");
      expect(render.log).to.contain(expected);
    }
  });

  it("says in one line which setting is missing", async () => {
    const { state, folder } = running.now;
    const [junk, broken] = [join(folder, "junk.pem"), join(folder, "broken.pem")];
    writeFileSync(junk, "no certificate\n");
    writeFileSync(
      broken,
      `${certificate().pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    );
    for (const [args, expected] of [
      [["run", "--state", state], "use --certs FOLDER, or --dev-ca"],
      [
        ["run", "--state", state, "--dev-ca", "--envoy", "/nowhere/envoy"],
        "install it, or say where it is with --envoy",
      ],
      [["run", "--state", state, "--dev-ca", "--trust", "/nowhere.pem"], "name a PEM file with --trust"],
      [["render", "/nowhere.json", "--dev-ca", "--state", state], "could not be read"],
      [["run", "--listen", "example.com:443"], "Expected [PORT=]ADDRESS:PORT"],
      [
        ["run", "--listen", "127.0.0.1:8443", "--listen", "444=127.0.0.1:8443"],
        '"8443=127.0.0.1:8443" listens in that place already',
      ],
      [
        ["run", "--listen", "[::1]:8443", "--listen", "444=[0:0:0:0:0:0:0:1]:8443"],
        "choose another address or port for one of them",
      ],
      [
        ["run", "--trust-forwarded", "10.0.0.0/33"],
        `argument '10.0.0.0/33' is invalid. "10.0.0.0/33" must have a mask from /0 to /32`,
      ],
      [["run", "--trust-forwarded", "10.0.0.0/8,here"], '"here" must be a network in CIDR notation'],
      [["render", "--trust-forwarded", "10.0.0.1"], '"10.0.0.1" has no mask: write "10.0.0.1/32"'],
      [["render", "--trust-forwarded", "10.0.0.1/8"], 'has bits set after its mask: write "10.0.0.0/8"'],
      [
        ["run", "--dev-ca", "--state", state, "--proxy-protocol"],
        "name their networks with --trust-forwarded CIDR",
      ],
      [
        ["render", "--dev-ca", "--state", state, "--proxy-protocol"],
        "--proxy-protocol lets nobody in, because no load balancer is trusted",
      ],
      [
        ["run", "--metrics", "foo"],
        "error: option '--metrics <address:port>' argument 'foo' is invalid. Expected ADDRESS:PORT",
      ],
      [
        ["run", "--ssh-listen", "2222"],
        "error: option '--ssh-listen <address:port>' argument '2222' is invalid. Expected ADDRESS:PORT",
      ],
      [
        ["run", "--dev-ca", "--metrics", "192.0.2.1:4041", "--state", state, "--envoy", "none"],
        "choose another with --metrics",
      ],
      [
        ["run", "--dev-ca", "--state", `/${"s".repeat(77)}`],
        "has 78 bytes, and with the sockets in it at most 77 fit: choose a shorter one",
      ],
      [
        ["run", "--state", state, "--dev-ca", "--trust", junk],
        `not in ${junk}: certificates in PEM were expected`,
      ],
      [["run", "--state", state, "--dev-ca", "--trust", broken], "name another file with --trust"],
      [["run", "--state", state, "--dev-ca", "--trust", state], "name another file with --trust"],
    ] as const) {
      const process = GatewayProcess.start(args);
      expect(await process.ended()).to.equal(1);
      expect(process.log.trim().split("\n"), process.log).to.have.length(1);
      expect(process.log).to.contain(expected);
    }
  });
});
