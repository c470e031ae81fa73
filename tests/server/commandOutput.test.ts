import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parse } from "yaml";
import { hostport, serverOfThisFile } from "../support/api/expect";
import { Folder } from "../support/catalogue";
import { runHere } from "../support/commandLine";
import { placeOf, ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";

describe("The output of commands for programs", () => {
  let service: StandInServer;
  const server = serverOfThisFile(async () => {
    service = await StandInServer.start((_request, answer) => answer.end());
    return ServerProcess.start({ args: ["--event-endpoint", `monitoring_service=${service.url}`] });
  });
  const folder = new Folder();
  const run = (...args: string[]) =>
    runHere(args, {
      ...placeOf(server.data),
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
    });

  /** What a command prints for programs, which is the same in JSON and in YAML. */
  async function read(...args: string[]) {
    const { out, err } = await run(...args, "-o", "json");
    expect(out, err).not.to.equal("");
    const value = JSON.parse(out);
    expect(parse((await run(...args, "-o", "yaml")).out), args.join(" ")).to.deep.equal(value);
    return value;
  }

  it("describe: the object, both sides of its references, and the gateways of an edge", async () => {
    const backend = await server.created("/backends/tunnel_group", { labels: { service: "web" } });
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      backend: { backend_id: backend.id },
    });
    const report = { version: "1", envoy_version: "1", sequence: 1, agents: [] };
    await server.rest.put("/gateways/east/status", {
      ...report,
      edges: [{ id: edge.id, state: "rejected", reason: "no certificate" }],
    });
    expect(await read("describe", backend.id)).to.deep.equal({
      ...{ object: await server.read(`/backends/tunnel_group/${backend.id}`), refers_to: [] },
      ...{ referred_to_by: [{ id: edge.id, field: "backend.backend" }], has_more_referrers: false },
    });
    const { refers_to, gateways } = await read("describe", edge.id);
    expect(refers_to).to.deep.equal([{ field: "backend.backend", id: backend.id }]);
    expect(gateways).to.have.length(1);
    expect(gateways[0]).to.include({
      gateway: "east",
      state: "rejected",
      reason: "no certificate",
      served: false,
    });
    expect(await read("gateways", "--edge", edge.id)).to.deep.equal(gateways);
    expect(await read("gateways")).to.deep.equal((await server.read("/gateways")).gateways);
    expect(await read("gateways", "east")).to.deep.equal(await server.read("/gateways/east"));
  });

  it("describe: the first 50 objects that refer to it, and whether more exist", async () => {
    const policy = await server.created("/ip_policies", {});
    const rule = (last: number) => ({ action: "allow", cidr: `192.0.2.${last}/32`, ip_policy_id: policy.id });
    for (let last = 0; last < 50; last++) await server.created("/ip_policy_rules", rule(last));
    expect(await read("describe", policy.id)).to.deep.include({ has_more_referrers: false });
    await server.created("/ip_policy_rules", rule(50));
    const described = await read("describe", policy.id);
    expect(described.referred_to_by).to.have.length(50);
    expect(described.has_more_referrers).to.equal(true);
    expect((await run("describe", policy.id)).out).to.match(/ {2}and perhaps more\n$/);
  });

  it("search: what the API answers; for people a table, or that nothing was found", async () => {
    const [served, description] = [hostport(), "the narwhals of the north"];
    const { id } = await server.created("/edges/tls", { hostports: [served], description });
    const found = await read("search", "narwhal", "NORTH");
    expect(found).to.deep.equal(await server.read("/search?q=narwhal+north"));
    const { out, err } = await run("search", "narwhal");
    expect(out).to.match(new RegExp(`^KIND +NAME +FOUND IN +TEXT +ID\ntls_edge .*${id}\n$`));
    expect(err).to.equal("");
    expect((await run("search", "walrus")).out).to.equal("Nothing was found.\n");
    await server.created("/edges/tls", { hostports: [hostport()], description });
    const { err: more } = await run("search", "narwhal", "--limit", "1");
    expect(more).to.equal("There are more than 1: add a word.\n");
  });

  describe("where objects have names", () => {
    const named = async (path: string, name: string, body: object = {}): Promise<string> =>
      (await server.rest.post(path, body, { "tunnelplane-name": encodeURIComponent(name) })).body.id;
    let [backend, edge, nameless]: string[] = [];
    before(async () => {
      backend = await named("/backends/tunnel_group", "Büro", { labels: { service: "names" } });
      edge = await named("/edges/tls", "shop", { backend: { backend_id: backend } });
      nameless = (await server.created("/edges/tls", {})).id;
    });

    it("list and get: names stand in the first column, and in `resource_name` for programs", async () => {
      const [heading, ...rows] = (await run("list", "tls-edges")).out.split("\n");
      expect(heading).to.match(/^RESOURCE_NAME +ID +HOSTPORTS/);
      const row = (id = "") => rows.find((line) => line.includes(id));
      expect(row(edge)).to.match(new RegExp(`^shop +${edge} `));
      expect(row(nameless)).to.match(new RegExp(`^- +${nameless} `));
      expect((await run("get", `${nameless}`)).out).to.match(/^ID +HOSTPORTS/);
      expect(await read("get", `${edge}`)).to.deep.equal(await server.read(`/edges/tls/${edge}?names=true`));
      expect((await read("list", "tls-edges"))[1]).to.include({ id: edge, resource_name: "shop" });
    });

    it("describe: the object and those on both sides of its references by name, their ids behind it", async () => {
      const ofEdge = (await run("describe", `${edge}`)).out;
      expect(ofEdge).to.match(new RegExp(`^TLS edge "shop" \\(${edge}\\)\n`));
      expect(ofEdge).to.contain(`\n  "Büro" (${backend})  backend.backend\n`);
      expect((await run("describe", `${backend}`)).out).to.contain(`\n  "shop" (${edge})  backend.backend\n`);
      const { refers_to } = await read("describe", `${edge}`);
      expect(refers_to).to.deep.equal([{ id: backend, resource_name: "Büro", field: "backend.backend" }]);
      const { referred_to_by } = await read("describe", `${backend}`);
      expect(referred_to_by).to.deep.equal([{ id: edge, resource_name: "shop", field: "backend.backend" }]);
    });

    it("gateways: edges by name, their ids behind it", async () => {
      const edges = [{ id: edge, state: "applied", reason: "" }];
      await server.rest.put("/gateways/west/status", {
        version: "1",
        envoy_version: "1",
        sequence: 1,
        edges,
        agents: [],
      });
      expect((await run("gateways", "west")).out).to.contain(`\nedge "shop" (${edge}) applied\n`);
    });

    it("diff: a name is no difference, because a PATCH keeps it", async () => {
      folder.write(JSON.stringify({ metadata: "" }), "nothing.json");
      const { changes } = await read("diff", `${edge}`, join(folder.path, "nothing.json"));
      expect(changes).to.deep.equal([]);
    });

    it("guarantees and events deliveries: names before ids", async () => {
      const guarantee = await named("/guarantees", "only-partners", {
        addresses: ["names.example.com:443"],
        expect: "refused",
      });
      expect((await run("guarantees")).out).to.contain(`"only-partners" (${guarantee}), enforced`);
      expect((await run("guarantees", guarantee)).out).to.contain(`"only-partners" (${guarantee}), `);
      const target = { monitoring_service: { api_key: "any" } };
      const { id } = await server.created("/event_destinations", { target });
      await server.created("/event_subscriptions", {
        sources: [{ type: "ip_policy_created.v0" }],
        destination_ids: [id],
      });
      const policy = await named("/ip_policies", "office");
      expect((await run("events", "deliveries", id)).out).to.contain(` "office" (${policy}) attempts `);
    });
  });

  it("diff: the changes by path, and what they mean", async () => {
    const [before, after] = [hostport(), hostport()];
    const { id } = await server.created("/edges/tls", { hostports: [before], metadata: "kept" });
    const [change, same] = [join(folder.path, "change.json"), join(folder.path, "same.json")];
    folder.write(JSON.stringify({ hostports: [after], description: "ours" }), "change.json");
    folder.write(JSON.stringify({ metadata: "kept" }), "same.json");
    const { changes, findings, finding_limits } = await read("diff", id, change);
    expect(changes).to.deep.equal([
      { path: "description", old: "", new: "ours" },
      { path: "hostports", old: [before], new: [after] },
    ]);
    expect(findings.map(({ sentence }: { sentence: string }) => sentence)).to.include(
      `\`${before}\` is no longer served.`,
    );
    expect(finding_limits).to.deep.equal([]);
    expect((await run("diff", id, change, "-o", "json")).code).to.equal(1);
    expect(await read("diff", id, same)).to.deep.equal({ changes: [], findings: [], finding_limits: [] });
  });

  it("apply: the answer of the API, of a plan with its findings; --json is the same as -o json", async () => {
    folder.write(`tlsEdges:\n  app:\n    hostports: ["${hostport()}"]\n`);
    const apply = async (...args: string[]) =>
      (await run("apply", folder.catalogue, "--set", "printed", ...args)).out;
    const planned = JSON.parse(await apply("--plan", "-o", "json"));
    expect(planned).to.have.keys("set", "operations", "digest", "findings", "access");
    expect(planned.operations[0]).to.include({ op: "create", kind: "tls_edge", key: "app" });
    expect(JSON.parse(await apply("--plan", "--json")).digest).to.equal(planned.digest);
    expect(parse(await apply("--plan", "-o", "yaml"))).to.deep.include({ operations: planned.operations });
    expect(JSON.parse(await apply("-o", "json")))
      .to.have.keys("set", "operations", "digest")
      .and.to.include({ digest: planned.digest });
  });

  it("explain: what is known of kinds, a kind, a field, an error and an event", async () => {
    const kinds = await read("explain");
    expect(kinds[0]).to.have.keys("name", "description");
    const kind = await read("explain", "tls-edges");
    expect(kind).to.include({
      name: "tls-edges",
      kind: "tls_edge",
      endpoint: "/edges/tls",
      id_prefix: "edgtls",
    });
    const named = (name: string) => kind.fields.find((one: { name: string }) => one.name === name);
    expect(named("hostports")).to.include({ type: "list of string", required: false, secret: false });
    expect(named("mutual_tls").fields[1]).to.include({ name: "certificate_authority_ids", required: true });
    expect(named("metadata").limits).to.deep.equal({ max_bytes: 4096 });
    const { name, ...field } = await read("explain", "tls-edges.tls_termination");
    expect(name).to.equal("tls-edges.tls_termination");
    expect({ ...field, name: "tls_termination" }).to.deep.equal(named("tls_termination"));
    expect(field.fields[1]).to.include({ name: "terminate_at", type: "edge | upstream", default: "edge" });
    expect((await read("explain", "tls-edges.mutual_tls.certificate_authority_ids")).refers_to).to.deep.equal(
      ["certificate-authorities"],
    );
    expect(await read("explain", "TP_1501")).to.include({ name: "TP_1501", status: 409 });
    expect(await read("explain", "ip_policy_created.v0")).to.have.keys("name", "description");
  });

  it("events deliveries: as the API answers them", async () => {
    const target = { monitoring_service: { api_key: "any" } };
    const { id } = await server.created("/event_destinations", { target });
    expect(await read("events", "deliveries", id)).to.deep.equal([]);
    await server.created("/event_subscriptions", {
      sources: [{ type: "bot_user_created.v0" }],
      destination_ids: [id],
    });
    for (const name of ["one", "two"]) await server.created("/bot_users", { name });
    // Deliveries that are in flight change between two reads.
    const delivered = `/event_destinations/${id}/deliveries?status=delivered`;
    while ((await server.read(delivered)).deliveries.length < 2) await setTimeout(50);
    const [delivery, ...more] = await read("events", "deliveries", id, "--limit", "1");
    expect(more).to.deep.equal([]);
    expect(delivery).to.include({ event_type: "bot_user_created.v0", status: "delivered" });
  });
});
