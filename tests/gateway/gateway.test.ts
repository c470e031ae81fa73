import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { expect } from "chai";
import { certificate, type SshKey, sshKey } from "../support/api/fixtures";
import { ENVOY } from "../support/envoy";
import { GatewayProcess } from "../support/gateway";
import { API_KEY, ServerProcess } from "../support/server";
import { freePort, http1, Upstream } from "./traffic";
import { WORLDS } from "./worlds";

describe("A gateway", () => {
  let [server, upstream, gateway]: [ServerProcess?, Upstream?, GatewayProcess?] = [];
  let [state, certs, port, metrics] = ["", "", 0, 0];
  let api: Tunnelplane;
  const at = async () => upstream?.address as string;

  beforeEach("start a server", async function () {
    if (!ENVOY) {
      console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
      this.skip();
    }
    [state, certs] = [mkdtempSync(join(tmpdir(), "tpg-")), mkdtempSync(join(tmpdir(), "tpg-"))];
    [server, upstream, port, metrics] = [await ServerProcess.start(), await Upstream.start("one"), await freePort(), await freePort()];
    api = new Tunnelplane({ baseUrl: server.url, apiKey: API_KEY });
  });
  afterEach("stop everything", async () => {
    await gateway?.stop();
    await api?.close();
    await server?.stop();
    await upstream?.stop();
    for (const folder of [state, certs]) if (folder) rmSync(folder, { recursive: true, force: true });
    gateway = undefined;
  });

  const start = (...args: string[]) => {
    gateway = GatewayProcess.start([
      "run",
      "--url",
      server?.url as string,
      "--state",
      state,
      "--listen",
      `443=127.0.0.1:${port}`,
      "--envoy",
      ENVOY as string,
      "--metrics",
      `127.0.0.1:${metrics}`,
      ...args,
    ]);
    return gateway;
  };
  const site = async (host: string) => {
    const backend = await api.staticBackends.create({ address: await at() });
    const edge = await api.httpsEdges.create({ hostports: [`${host}:443`] });
    const route = await api.httpsEdgeRoutes(edge.id).create({ match_type: "path_prefix", match: "/", backend: { backend_id: backend.id } });
    return { edge, route };
  };
  /** Asks until the status is this one. */
  const becomes = async (status: number, sni: string) => {
    for (;;) {
      const { status: seen } = await http1(port, "/", { sni });
      if (seen === status) return;
      await sleep(50);
    }
  };
  const ready = async () => (await fetch(`http://127.0.0.1:${metrics}/readyz`)).status;

  it("serves what a server declares, follows each change, and goes on when the server is gone", async () => {
    const { route } = await site("app.example.com");
    start("--dev-ca");
    await becomes(200, "app.example.com");
    expect(await ready()).to.equal(200);
    await site("second.example.com");
    await becomes(200, "second.example.com");
    const policy = await api.ipPolicies.create({});
    const module = { ip_restriction: { ip_policy_ids: [policy.id] } };
    await api.httpsEdgeRoutes(route.edge_id).update(route.id, module);
    await becomes(403, "app.example.com");
    await server?.stop("SIGKILL");
    await gateway?.logged("could not be read");
    await becomes(200, "second.example.com");
    await gateway?.stop("SIGTERM");
    start("--dev-ca");
    await gateway?.logged("serving what was declared when the server was last read");
    await becomes(200, "second.example.com");
    await becomes(403, "app.example.com");
    expect(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()).to.contain("tunnelplane_gateway_edges_applied 2");
  });

  it("finds the edge that Envoy refuses, reports it, and serves the others", async () => {
    const put = (name: string, pem: string, key: string) => {
      writeFileSync(join(certs, `${name}.pem`), pem);
      writeFileSync(join(certs, `${name}.key`), key);
    };
    for (const host of ["one.example.com", "two.example.com", "weak.example.com"]) await site(host);
    for (const host of ["one.example.com", "two.example.com"]) {
      const own = certificate({ extensions: [`subjectAltName = DNS:${host}`] });
      put(host, own.pem, own.privateKey);
    }
    const weak = join(certs, "weak");
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:1024",
        "-nodes",
        "-keyout",
        `${weak}.key`,
        "-out",
        `${weak}.pem`,
        "-subj",
        "/CN=weak",
        "-addext",
        "subjectAltName=DNS:weak.example.com",
      ],
      { stdio: "pipe" },
    );
    writeFileSync(join(certs, "alone.pem"), certificate().pem);
    start("--certs", certs);
    await becomes(200, "one.example.com");
    await becomes(200, "two.example.com");
    expect((await http1(port, "/", { sni: "weak.example.com" })).status).to.equal(0);
    expect(gateway?.log).to.contain("edge rejected").and.to.contain("Envoy refuses it").and.to.contain("alone.pem has no key beside it");
  });

  it("writes files that only their owner can read, above all keys", async () => {
    await site("app.example.com");
    start("--dev-ca");
    await becomes(200, "app.example.com");
    const files = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? files(join(folder, one.name)) : one.isFile() ? [join(folder, one.name)] : [],
      );
    expect(files(state)).not.to.have.length(0);
    for (const file of files(state)) expect(statSync(file).mode & 0o077, file).to.equal(0);
    expect(files(state).some((file) => readFileSync(file, "utf8").includes("PRIVATE KEY"))).to.equal(true);
  });

  it("renders the configuration for a file of objects, and reports what is not served", async () => {
    const file = join(state, "objects.json");
    writeFileSync(file, JSON.stringify({ objects: WORLDS.refused }));
    const render = GatewayProcess.start(["render", file, "--dev-ca", "--state", state, "--listen", "443=127.0.0.1:8443"]);
    expect(await render.ended()).to.equal(0);
    expect(JSON.parse(render.out).static_resources.listeners[0].name).to.equal("port 443");
    expect(render.log).to.contain("edghts_1 is rejected: the backend bkdhr_gone does not exist");
  });

  describe("with agents that come in by ssh -R", () => {
    let ssh = 0;
    const agents: ChildProcess[] = [];
    const agent = (key: SshKey, bind: string, local = upstream?.address) => {
      const file = join(certs, `key${agents.length}`);
      writeFileSync(file, key.privateKey, { mode: 0o600 });
      const options = [
        "ExitOnForwardFailure=yes",
        "StrictHostKeyChecking=no",
        "UserKnownHostsFile=/dev/null",
        "IdentitiesOnly=yes",
        "IdentityAgent=none",
      ];
      const child = spawn(
        "ssh",
        [
          "-N",
          "-F",
          "none",
          "-p",
          String(ssh),
          "-i",
          file,
          ...options.flatMap((one) => ["-o", one]),
          "-R",
          `${bind}:${local}`,
          "any@127.0.0.1",
        ],
        { stdio: "ignore" },
      );
      agents.push(child);
      return child;
    };
    const ended = (child: ChildProcess) => (child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve());
    const credential = async (acl: string[]) => {
      const key = sshKey();
      return { key, ...(await api.sshCredentials.create({ public_key: key.openssh, acl })) };
    };

    beforeEach("listen for agents", async () => {
      ssh = await freePort();
      start("--dev-ca", "--ssh-listen", `127.0.0.1:${ssh}`);
    });
    afterEach("end agents", () => {
      for (const child of agents.splice(0)) child.kill("SIGKILL");
    });

    it("serves a hostport through the ordinary ssh client, and ends its session when the credential is deleted", async () => {
      await api.tlsEdges.create({ hostports: ["app.example.com:443"] });
      const one = await credential(["bind:*.example.com"]);
      await gateway?.logged("edge applied");
      const child = agent(one.key, "app.example.com:443");
      await becomes(200, "app.example.com");
      await api.sshCredentials.delete(one.id);
      await ended(child);
      expect((await http1(port, "/", { sni: "app.example.com" })).status).to.equal(0);
    });

    it("refuses hostports that the ACL does not allow or nobody declared, and unknown keys", async () => {
      await api.tlsEdges.create({ hostports: ["app.example.com:443"] });
      const one = await credential(["bind:other.example.com", "bind:service=web"]);
      await gateway?.logged("edge applied");
      await sleep(1500); // until the credential was read
      for (const [key, bind] of [
        [one.key, "app.example.com:443"],
        [one.key, "other.example.com:443"],
        [one.key, "service=db:1"],
        [sshKey(), "app.example.com:443"],
      ] as const)
        await ended(agent(key, bind));
      expect(gateway?.log)
        .to.contain("its credential does not allow it")
        .and.to.contain("no edge without a backend declares this hostport");
    });

    it("serves tunnel groups by labels, balances their load, and goes on when an agent leaves", async () => {
      const group = await api.tunnelGroupBackends.create({ labels: { service: "web" } });
      await api.tlsEdges.create({ hostports: ["app.example.com:443"], backend: { backend_id: group.id } });
      const one = await credential(["bind:service=web", "bind:env=*"]);
      const second = await Upstream.start("two");
      const seen = async () => {
        const { body } = await http1(port, "/", { sni: "app.example.com" });
        return body === "" ? undefined : (JSON.parse(body) as { name: string }).name;
      };
      try {
        await gateway?.logged("edge applied");
        await sleep(1500); // until the credential was read
        const first = agent(one.key, "service=web,env=prod:443");
        agent(one.key, "service=web:443", second.address);
        for (const names = new Set<string | undefined>(); !(names.has("one") && names.has("two")); await sleep(20)) {
          const [a, b] = await Promise.all([seen(), seen()]);
          names.add(a).add(b);
        }
        first.kill("SIGKILL");
        await ended(first);
        while ((await seen()) !== "two") await sleep(20);
        for (let index = 0; index < 10; index++) expect(await seen()).to.equal("two");
      } finally {
        await second.stop();
      }
    });
  });

  it("says in one line which setting is missing", async () => {
    for (const [args, expected] of [
      [["run", "--state", state], "use --certs FOLDER, or --dev-ca"],
      [["run", "--state", state, "--dev-ca", "--envoy", "/nowhere/envoy"], "install it, or say where it is with --envoy"],
      [["run", "--state", state, "--dev-ca", "--trust", "/nowhere.pem"], "name a PEM file with --trust"],
      [["render", "/nowhere.json", "--dev-ca", "--state", state], "could not be read"],
      [["run", "--listen", "example.com:443"], "Expected [PORT=]ADDRESS:PORT"],
    ] as const) {
      const process = GatewayProcess.start(args);
      expect(await process.ended()).to.equal(1);
      expect(process.log.trim().split("\n"), process.log).to.have.length(1);
      expect(process.log).to.contain(expected);
    }
  });
});
