import { existsSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runHere } from "../support/commandLine";
import { atEndOfFile } from "../support/endOfFile";
import { newFolder } from "../support/folder";
import { changesOf, World } from "../support/provider";
import { decisionsOf, fillToServe } from "./decisions";
import { CANARY, fill, meaningOf, Project, worldOf } from "./support";

const { isBesideEngine } = require("../../tools/scripts/engine.cjs") as {
  isBesideEngine(program: string): boolean;
};

describe("adopt writes the program of a server", () => {
  const world = new World();

  for (const format of ["ts", "yaml"]) {
    it(`as ${format}, with objects of all kinds: imported, the next preview shows no change, and an empty server gets the same world`, async function () {
      if (!isBesideEngine("pulumi-language-yaml")) {
        console.log(
          "      skipped: there is no language of the engine that `pulumi import` could ask; see tools/scripts/engine.cjs",
        );
        return this.skip();
      }
      const [server, empty] = [await world.server(), await world.server()];
      await fill(server.rest, 0);
      const before = await worldOf(server.rest);
      const made = new Project();
      const adopted = await made.adopt(server, "--format", format);
      expect(adopted.code, adopted.stderr).to.equal(0);
      expect(adopted.stdout).to.contain(`declares ${before.length} of the ${before.length} objects`);
      expect(adopted.stdout).to.contain("it is the API key of this command");
      const files = [
        ".gitignore",
        "Pulumi.yaml",
        "package.json",
        "tsconfig.json",
        "index.ts",
        ...(format === "yaml" ? ["tunnels.yaml"] : []),
      ];
      expect(adopted.stdout + adopted.stderr + files.map(made.read).join()).not.to.contain(CANARY);
      expect(statSync(join(made.folder, "import.json")).mode & 0o777).to.equal(0o600);
      expect(made.read(".gitignore").split("\n")).to.include("import.json");
      const stack = await made.stack(server);
      const set = await made.setSecrets("dev");
      expect(set.code, set.stderr).to.equal(0);
      const imported = await made.import("dev");
      expect(imported.code, imported.stdout + imported.stderr).to.equal(0);
      expect(changesOf(await stack.preview())).to.deep.equal([]);
      await stack.refresh();
      expect(changesOf(await stack.up()), "after a refresh").to.deep.equal([]);
      expect(await worldOf(server.rest), "nothing changes on the server").to.deep.equal(before);
      for (const text of [imported.stdout, imported.stderr, set.stdout, set.stderr, stack.stateFile()])
        expect(text).not.to.contain(CANARY);
      const copy = await made.open(empty, "copy");
      expect((await made.setSecrets("copy")).code).to.equal(0);
      await copy.up();
      const [copied, original] = [meaningOf(await worldOf(empty.rest)), meaningOf(before)];
      expect(copied.filter((one) => !original.includes(one))).to.deep.equal([]);
      expect(copied).to.deep.equal(original);
    });
  }
});

/** Our names, and those of a service that speaks the contract under its own. */
const THEIRS = {
  paths: { "/": "/v9/", "/edges/tls": "/v9/tls_endpoints" },
  fields: { hostports: "host_ports", backend_id: "target_id", tls_edges: "tls_endpoints" },
};

/** A service before a server of ours, with its own names of header, paths and fields; it lacks some lists. */
function foreignService(server: { readonly url: string }): Promise<string> {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== "object" || value === null) return value;
    const names = new Map(Object.entries(THEIRS.fields));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [names.get(name) ?? name, renamed(one)]),
    );
  };
  return listening(async ({ url = "", headers }, response) => {
    const path = url.replace("/v9/tls_endpoints", "/v9/edges/tls").replace(/^\/v9/, "");
    if (!url.startsWith("/v9") || /^\/(caller|projects|memberships|guarantees)/.test(path)) {
      response.writeHead(404).end("{}");
      return;
    }
    const answer = await fetch(server.url + path, {
      headers: {
        authorization: String(headers.authorization),
        "service-version": String(headers["their-version"]),
      },
    });
    const text = await answer.text();
    response.writeHead(answer.status).end(answer.ok ? JSON.stringify(renamed(JSON.parse(text))) : text);
  });
}

/** Is busy at first, then answers one page after the other, and nothing else. */
function pagedService(pages: readonly object[]): Promise<string> {
  const answers = [undefined, ...pages];
  return listening((_, response) => {
    if (answers.length === 0) response.writeHead(404).end("{}");
    else if (answers[0]) response.end(JSON.stringify(answers.shift()));
    else response.writeHead(429, { "retry-after": "0" }).end(String(answers.shift()));
  });
}

/** Sends what never ends, as fast as it is taken. */
const endlessService = () =>
  listening((_, response) => {
    Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1 << 20, "[");
      })(),
    ).pipe(response);
  });

async function listening(answer: RequestListener): Promise<string> {
  const service = createServer(answer);
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => service.close());
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}

const EVERY_OUTCOME = ["answered", "refused", "closed", "sign_in", "not_found"];

describe("adopt --from moves the account of another service", () => {
  const world = new World();
  const options = async (server: { readonly url: string }) => {
    const names = join(newFolder(), "names.json");
    writeFileSync(names, JSON.stringify(THEIRS));
    return [
      "--from",
      await foreignService(server),
      "--from-header",
      "Their-Version: 2",
      "--from-names",
      names,
    ];
  };

  it("as a catalogue, which makes the same world on an empty server but for what it lists, with secrets to fill in, and serves the same requests", async () => {
    const [server, empty] = [await world.server(), await world.server()];
    await fill(server.rest, 0);
    await fillToServe(server.rest);
    const labels = { host_ports: "a name that users chose" };
    await server.rest.created("/backends/tunnel_group", { labels });
    const before = await worldOf(server.rest);
    const made = new Project();
    const adopted = await made.adopt(server, ...(await options(server)), "--format", "yaml");
    expect(adopted.code, adopted.stderr).to.equal(0);
    expect(adopted.stdout).to.contain("the service has no lists of guarantees, projects, memberships");
    expect(made.read("tunnels.yaml")).not.to.contain(CANARY);
    expect(existsSync(join(made.folder, "import.json"))).to.equal(false);
    const secrets = [...adopted.stdout.matchAll(/export (\w+)=…/g)].map(([, name = ""]) => [
      name,
      `${CANARY} of ${/OIDC/.test(name) ? 'oidc \n"quoted"\n' : /STREAM/.test(name) ? "the cloud" : "the monitoring"}`,
    ]);
    const env = {
      TUNNELPLANE_BASE_URL: empty.url,
      TUNNELPLANE_API_KEY: empty.apiKey,
      ...Object.fromEntries(secrets),
    };
    const file = join(made.folder, "tunnels.yaml");
    const applied = await runHere(["apply", file, "--set", "moved"], env);
    expect(applied.code, applied.err).to.equal(0);
    const isMoved = (object: Record<string, unknown>) => !/^(ak|grnt)_/.test(String(object.id));
    const after = await worldOf(empty.rest);
    const [copied, original] = [after, before].map((all) => meaningOf(all.filter(isMoved)));
    expect(copied).to.deep.equal(original);
    const asked = { seed: 52, numRuns: 1000 };
    const decided = await decisionsOf(server.rest, before, asked);
    expect(new Set(decided.map(({ outcome }) => outcome))).to.include.all.keys(EVERY_OUTCOME);
    expect(await decisionsOf(empty.rest, after, asked)).to.deep.equal(decided);
  });

  it("and says which call was answered how where it cannot be read", async () => {
    const server = await world.server();
    const [, url = "", ...others] = await options(server);
    const adopt = async (...args: string[]) => {
      const { code, stderr } = await new Project().adopt(server, ...args);
      expect(code).to.equal(1);
      return stderr;
    };
    expect(await adopt("--from", url, "--from-header", "Their-Version: 9", ...others.slice(2))).to.match(
      new RegExp(`GET ${url}/v9/\\S+ answered 400: .*Service-Version`),
    );
    expect(await adopt("--from", url)).to.contain("has none of the lists");
    expect(await adopt("--from", url, "--from-header", "no header")).to.contain('expected "NAME: VALUE"');
    expect(await adopt("--from", await endlessService())).to.match(/GET \S+ was not answered .*larger than/);
    const next = { credentials: [], next_page_uri: "/credentials?before_id=x" };
    for (const [pages, why] of [
      [[{ credentials: [{}] }], /limit=100 answered an object without an id: {}/],
      [[next], /before_id=x answered 404/],
      [[next, next], /before_id=x answered a next page that leads nowhere new/],
    ] as const)
      expect(await adopt("--from", await pagedService(pages))).to.match(why);
    expect(await adopt("--from", "ftp://x")).to.contain("is not a valid address");
  });

  it("from a state of its Terraform provider, by type, and lists what cannot be kept here, without which nobody comes in", async () => {
    const [server, made] = [await world.server(), new Project()];
    const state = join(newFolder(), "state.json");
    const resource = (type: string, name: string, attributes: object) => ({
      ...{ mode: "managed", type: `hosted_${type}`, name },
      instances: [{ attributes }, { attributes: { ...attributes, id: "x" }, deposed: "0a1b2c3d" }],
    });
    const backend = { id: "bkdtg_0ERtNczXWy7zy1CB3fJ10nEssDV", labels: { service: "web" } };
    const edge = {
      id: "edghts_0ERtNd29nktaMzdp4fiXIFhQ61j",
      hostports: ["app.example.com:443"],
      tls_termination: [{ min_version: "1.3" }],
      mutual_tls: [],
    };
    const route = {
      ...{
        id: "edghtsrt_0ERtNd3wMab3QqcDzdg8miI199P",
        edge_id: edge.id,
        match: "/",
        match_type: "path_prefix",
      },
      backend: [{ enabled: true, backend_id: backend.id }],
      oidc: [{ issuer: "https://id.example.com", client_id: "app", client_secret: "" }],
      saml: [{ enabled: true, idp_metadata: "<xml/>" }],
    };
    const guarded = {
      ...{ id: "edgtls_0ERtNd3wMab3QqcDzdg8miI199P", hostports: ["tls.example.com:443"] },
      ip_restriction: [{ ip_policy_ids: ["ipp_0ERtNd3wMab3QqcDzdg8miI199P"] }],
    };
    const theirKey = { id: "ak-1", description: "a key of another provider" };
    const resources = [
      resource("tunnel_group_backend", "web", backend),
      resource("https_edge", "app", edge),
      resource("https_edge_route", "all", route),
      resource("edge_tls", "guarded", guarded),
      resource("log_exporting", "logs", { id: "x" }),
      { ...resource("api_key", "theirs", theirKey), type: "metrics_api_key" },
    ];
    writeFileSync(state, JSON.stringify({ version: 4, resources }));
    const adopted = await made.adopt(server, "--from-terraform", state, "--format", "yaml");
    expect(adopted.code, adopted.stderr).to.equal(0);
    expect(adopted.stdout)
      .to.contain("hosted_log_exporting.logs: there is no such type here")
      .and.to.contain("its `saml`, which cannot be kept here")
      .and.to.contain("hosted_https_edge.app: it is deposed")
      .and.to.contain("it refers to ipp_0ERtNd3wMab3QqcDzdg8miI199P, which is not there")
      .and.to.contain("1 resource of other providers");
    const secret = /export (\w+)=…/.exec(adopted.stdout)?.[1] ?? "";
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey, [secret]: CANARY };
    const applied = await runHere(["apply", join(made.folder, "tunnels.yaml"), "--set", "moved"], env);
    expect(applied.code, applied.err).to.equal(0);
    const [moved] = (await server.rest.get("/edges/https")).body.https_edges;
    expect(moved.tls_termination.min_version).to.equal("1.3");
    expect(moved.routes[0].backend.backend.id).to.match(/^bkdtg_/);
    const session = { issuer: "https://id.example.com", client_id: "app" };
    const requests = ["app", "tls"].map((name) => ({
      address: `${name}.example.com:443`,
      from: "192.0.2.1",
      session,
    }));
    const { decisions } = (await server.rest.post("/exposure/decisions", { requests })).body;
    expect(decisions.map((one: { outcome: string }) => one.outcome)).to.deep.equal(["refused", "closed"]);
    expect((await server.rest.get("/api_keys")).body.keys).to.have.length(1);
  });
});
