import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { certificate } from "../support/api/fixtures";
import { commandsInOne } from "../support/commandsInOne";
import { GatewayProcess } from "../support/gateway";
import { freePort } from "../support/ports";
import { runningForAllTests } from "./running";
import { http1 } from "./traffic";
import { WORLDS } from "./worlds";

const CLI = join(__dirname, "../../gateway/dist/cli.js");
const LISTEN = ["--listen", "443=127.0.0.1:8443"];

describe("The command line of a gateway", () => {
  const running = runningForAllTests();

  it("renders the configuration for a file of objects, and reports what is not served", async () => {
    const { state } = running.now;
    const file = join(state, "objects.json");
    writeFileSync(file, JSON.stringify({ objects: WORLDS.everything }));
    const render = GatewayProcess.start(["render", file, "--dev-ca", "--state", state, ...LISTEN]);
    expect(await render.ended()).to.equal(0);
    expect(JSON.parse(render.out).static_resources.listeners[0].name).to.equal("port 443");
    expect(render.log).to.contain("edghts_gone is rejected: the backend bkdhr_gone does not exist");
  });

  it("calls edges that it reports as their programs do, before their ids", async () => {
    const { api, server, state } = running.now;
    const { id } = await api.httpsEdges.create({ hostports: ["named.example.com:444"] }, { name: "site" });
    const places = ["--url", server.url, "--api-key", server.apiKey, "--state", state];
    const render = GatewayProcess.start(["render", "--dev-ca", ...places, ...LISTEN]);
    expect(await render.ended(), render.log).to.equal(0);
    expect(render.log).to.contain(`"site" (${id}) is rejected`);
    await api.httpsEdges.delete(id);
  });

  it("renders without leaving a file or folder behind, however it ends", async () => {
    const { folder } = running.now;
    const [state, file] = [join(folder, "rendered"), join(folder, "refused.json")];
    writeFileSync(file, JSON.stringify({ objects: WORLDS.everything }));
    const before = readdirSync(folder);
    const ends: [code: number, ...args: string[]][] = [
      [0, file],
      [1, join(folder, "missing.json")],
      [1, file, "--trust", "/nowhere.pem"],
      [1, "--url", "http://127.0.0.1:9", "--api-key", "nobodys"],
    ];
    const ended = await commandsInOne(
      CLI,
      ends.map(([, ...args]) => ({ args: ["render", ...args, "--dev-ca", "--state", state] })),
    );
    expect(ended.map(({ code }) => code)).to.deep.equal(ends.map(([code]) => code));
    expect(existsSync(state)).to.equal(false);
    expect(readdirSync(folder)).to.deep.equal(before);
  });

  it("believes the balancers that it is started with, by flags or the environment, and so does render", async () => {
    const one = running.now;
    const office = await one.api.ipPolicies.create({});
    await one.api.ipPolicyRules.create({ ip_policy_id: office.id, cidr: "203.0.113.9/32", action: "allow" });
    await one.site("app.example.com", { ip_restriction: { ip_policy_ids: [office.id] } });
    one.run("--dev-ca", "--trust-forwarded", "127.0.0.2/32", "--trust-forwarded", "10.0.0.0/8,127.0.0.3/32");
    await one.until(async () => (await one.ask("app.example.com")).status !== 0);
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
      "set_filter_state",
      "tls_inspector",
    ]);
    const { input, custom_match } = listener.filter_chain_matcher.matcher_tree;
    expect(input.name).to.equal("DirectSourceIPInput");
    expect(custom_match.typed_config.range_matchers[0].ranges).to.deep.equal([
      { address_prefix: "10.0.0.0", prefix_len: 8 },
      { address_prefix: "2001:db8::", prefix_len: 32 },
    ]);
    expect(JSON.stringify(layered_runtime)).to.contain("listener.port 443.connection_limit");
  });

  it("says in one line which setting or object is missing or wrong, and what to do", async () => {
    const one = running.now;
    const { state, folder } = one;
    const [junk, broken] = [join(folder, "junk.pem"), join(folder, "broken.pem")];
    writeFileSync(junk, "no certificate\n");
    writeFileSync(
      broken,
      `${certificate().pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    );
    const misspelt = ["ip_policy_rul", "https_edge"].map((kind) => {
      const fields = { id: "edghts_1", hostports: ["app.example.com:443"] };
      writeFileSync(join(folder, kind), JSON.stringify({ objects: [{ kind, fields }] }));
      return `render ${join(folder, kind)} --dev-ca --state ${state} --listen 443=127.0.0.1:8443`;
    });
    const saying = (name: string, text: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\necho "${text}"\n`, { mode: 0o700 });
      return join(folder, name);
    };
    const old = saying("envoy", "envoy  version: 0123abc/1.30.1/Clean/RELEASE/BoringSSL");
    const [newer, other] = [saying("newer", "a/2.0.0/b"), saying("other", "hello")];
    const occupied = join(folder, "occupied");
    mkdirSync(join(occupied, "envoy/ads.sock"), { recursive: true });
    const taken = await freePort();
    const holder = createServer().listen(taken, "127.0.0.1");
    await once(holder, "listening");
    const at = `127.0.0.1:${taken}`;
    const [stored, dev] = [`--state ${state}`, `--dev-ca --state ${state}`];
    const places = `run ${dev} --url ${one.server.url}`;
    const certificateOf = `--ssh-host-certificate shcrt_${"0".repeat(27)}`;
    const isTaken = `another process listens on ${at}: stop it, or choose another with`;
    const option = (name: string, value: string) =>
      `error: option '${name} <address:port>' argument '${value}' is invalid. Expected ADDRESS:PORT`;
    const mistakes: readonly (readonly [args: string, expected: string])[] = [
      [misspelt[0] as string, 'objects[0]: there is no kind "ip_policy_rul"; expected one of'],
      [misspelt[1] as string, "objects[0]: routes missing; give each https_edge as the API answers it"],
      [`run ${stored}`, "use --certs FOLDER, or --dev-ca"],
      [`run ${dev} --envoy /nowhere/envoy`, "install it, or say where it is with --envoy"],
      [`run ${dev} --trust /nowhere.pem`, "name a PEM file with --trust"],
      [`render /nowhere.json ${dev}`, "could not be read"],
      ["run --listen example.com:443", "Expected [PORT=]ADDRESS:PORT"],
      [
        "run --listen 127.0.0.1:8443 --listen 444=127.0.0.1:8443",
        '"8443=127.0.0.1:8443" already listens there',
      ],
      [
        "run --listen [::1]:8443 --listen 444=[0:0:0:0:0:0:0:1]:8443",
        "choose another address or port for one of them",
      ],
      [
        "run --trust-forwarded 10.0.0.0/33",
        `argument '10.0.0.0/33' is invalid. "10.0.0.0/33" must have a mask from /0 to /32`,
      ],
      ["run --trust-forwarded 10.0.0.0/8,here", '"here" must be a network in CIDR notation'],
      ["render --trust-forwarded 10.0.0.1", '"10.0.0.1" has no mask: write "10.0.0.1/32"'],
      ["render --trust-forwarded 10.0.0.1/8", 'has bits set after its mask: write "10.0.0.0/8"'],
      [`run ${dev} --proxy-protocol`, "name their networks with --trust-forwarded CIDR"],
      [
        `render ${dev} --proxy-protocol`,
        "--proxy-protocol lets nobody in, because no load balancer is trusted",
      ],
      ["run --metrics foo", option("--metrics", "foo")],
      ["run --ssh-listen 2222", option("--ssh-listen", "2222")],
      [`run ${dev} --metrics 192.0.2.1:4041 --envoy none`, "choose another with --metrics"],
      [
        `run --dev-ca --state /${"s".repeat(77)}`,
        "has 78 bytes, and with the sockets in it at most 77 fit: choose a shorter one",
      ],
      [`run ${dev} --trust ${junk}`, `not in ${junk}: certificates in PEM were expected`],
      ...[broken, state].map(
        (file) => [`run ${dev} --trust ${file}`, "name another file with --trust"] as const,
      ),
      [
        `${places} --envoy ${old}`,
        `Envoy 1.30.1 at ${old} is too old: 1.40 or a newer 1.x is needed; install it, or say where it is with --envoy`,
      ],
      [`${places} --envoy ${newer}`, `Envoy 2.0.0 at ${newer} is newer than this gateway knows: 1.40 or`],
      [`${places} --envoy ${other}`, "it says no version: name Envoy's program with --envoy"],
      [
        `${places} --envoy none --state ${occupied} --metrics 127.0.0.1:${await freePort()}`,
        "/envoy/ads.sock: move away what is there",
      ],
      [`${places} --envoy none --metrics ${at}`, `${isTaken} --metrics`],
      [`${places} --envoy none --ssh-listen ${at}`, `${isTaken} --ssh-listen`],
      [
        `${places} --envoy none --ssh-listen ${at} ${certificateOf}`,
        "--ssh-host-certificate could not be read",
      ],
      [`${places} --envoy none --name a\tname`, "Expected at most 255 letters"],
      ["run --dev-ca --deny-upstreams 127.0.0.1", 'has no mask: write "127.0.0.1/32" for this one address'],
      ["run --dev-ca --deny-upstreams 10.1.2.3/8", 'write "10.0.0.0/8" for the network'],
      [
        "run --dev-ca --deny-upstreams home",
        "--deny-upstreams <cidr>' argument 'home' is invalid. \"home\" must be a network in CIDR notation",
      ],
    ];
    const env = { TUNNELPLANE_API_KEY: one.key };
    const ended = await commandsInOne(
      CLI,
      mistakes.map(([args]) => ({ args: args.split(" "), env })),
    );
    for (const [index, { code, stdout, stderr }] of ended.entries()) {
      expect([code, stdout], stderr).to.deep.equal([1, ""]);
      expect(stderr.trim().split("\n"), stderr).to.have.length(1);
      expect(stderr).to.contain(mistakes[index]?.[1]);
    }
    await new Promise((resolve) => holder.close(resolve));
  });
});
