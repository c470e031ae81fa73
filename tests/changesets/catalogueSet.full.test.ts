import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { review } from "@tunnelplane/pulumi/review";
import { Folder } from "../support/catalogue";
import type { Engine } from "../support/engine";
import { changesOf, describeStacks, failureOf, failuresOf } from "../support/provider";
import { NAMES, type Name, PROVIDERS } from "../support/providers";

const CATALOGUE = readFileSync(join(__dirname, "catalogue.yaml"), "utf8");
const WITHOUT_AGENT = CATALOGUE.slice(0, CATALOGUE.indexOf("tunnelCredentials:"));

describeStacks("A catalogue as one resource", ({ world, server }) => {
  const folder = new Folder();
  /** The sets that the program declares, and who makes those of which another provider made the first. */
  let declaring: readonly Name[] = NAMES;
  let isMoved = false;
  const program = async () => {
    // The native provider gets of the stack's configuration what the program hands on.
    const config = new pulumi.Config();
    const values = { place: config.require("place"), note: config.requireSecret("note") };
    return Object.fromEntries(
      declaring.map((name) => {
        const by = isMoved ? "native" : name;
        const args = { file: fileOf(name), ...(by === "native" && { values }) };
        const { ids, tokens } = new PROVIDERS[by].CatalogueSet(name, args);
        return [name, pulumi.all([ids, tokens]).apply(([ids, tokens]) => ({ ids, tokens }))];
      }),
    );
  };
  const config = { place: { value: "Berlin" }, note: { value: "canary of the client", secret: true } };
  let stack: Engine;

  before(async () => {
    process.env.TUNNELPLANE_TEST_NOTE = "from the environment";
    stack = await world.stack(server, program, { config });
  });

  const fileOf = (name: Name, text?: string): string =>
    text === undefined
      ? `${folder.path}/${name}.yaml`
      : folder.write(text.replaceAll("NAME", name), `${name}.yaml`);
  const write = (text: string): void => {
    for (const name of NAMES) fileOf(name, text);
  };
  const outputsOf = (name: Name) =>
    stack.outputs()[name]?.value as { ids: Record<string, string>; tokens: Record<string, string> };
  const idsOf = (key: string): string[] => NAMES.map((name) => outputsOf(name).ids[key] as string);
  const read = async (path: string) => (await server.rest.get(path)).body;
  async function expectPreview(...shown: string[]): Promise<void> {
    const { stdout } = await stack.preview();
    for (const text of shown) expect(stdout.split(text), text).to.have.length(NAMES.length + 1);
  }
  /** Runs fail for each of the sets; a preview stops at the first that fails. */
  async function expectFailures(runs: readonly ("up" | "destroy")[], ...words: string[]): Promise<void> {
    const said: string[] = [];
    for (const run of runs) {
      const failures = await failuresOf(stack, () => stack[run]({ continueOnError: true }));
      for (const name of NAMES) said.push(failures.get(name) ?? "");
    }
    for (const name of NAMES) {
      declaring = [name];
      said.push(await failureOf(stack.preview({ target: [urnOf(name)] })));
    }
    declaring = NAMES;
    for (const message of said) for (const word of words) expect(message).to.contain(word);
    for (const message of said) expect(message).not.to.contain("max_deletes");
  }
  const urnOf = (name: Name): string =>
    stack.resources().find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";

  it("is made in one request, after a preview that shows each object, and outputs ids and tokens by key", async () => {
    write(CATALOGUE);
    await expectPreview(
      "create tunnel_group_backend/web",
      "create weighted_backend/both",
      "create https_edge/site",
      "create https_edge_route/all",
      "create tunnel_credential/agent",
    );
    expect(changesOf(await stack.up())).to.have.length(NAMES.length);
    for (const name of NAMES) {
      const { ids, tokens } = outputsOf(name);
      const route = await read(
        `/edges/https/${ids["https_edge/site"]}/routes/${ids["https_edge_route/all"]}`,
      );
      expect(route.oidc.client_secret).to.equal("canary of the client");
      expect(route.backend.backend.id).to.equal(ids["weighted_backend/both"]);
      const group = await read(`/backends/tunnel_group/${ids["tunnel_group_backend/web"]}`);
      expect(group.description).to.equal("Berlin");
      const credential = await read(`/credentials/${ids["tunnel_credential/agent"]}`);
      expect(credential.metadata).to.equal("from the environment");
      expect(stack.outputs()[name]?.secret).to.equal(true);
      expect(tokens["tunnel_credential/agent"]).to.match(/^tpt_/);
    }
    expect(stack.stateFile()).not.to.contain("canary").and.not.to.contain("tpt_");
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("keeps its tokens through a change, whose preview shows the property, the object, and what somebody changed on the server, which it puts back", async () => {
    const before = NAMES.map((name) => outputsOf(name).tokens);
    const groups = idsOf("tunnel_group_backend/web");
    for (const id of groups)
      await server.rest.patch(`/backends/tunnel_group/${id}`, { description: "by hand" });
    write(CATALOGUE.replace("service: web", "service: other"));
    const preview = await stack.preview();
    for (const name of NAMES)
      expect(changesOf(preview, name).join())
        .to.contain("tunnel_group_backend/web")
        .and.to.contain("labels.service");
    for (const shown of ["update tunnel_group_backend/web", 'description: "by hand" → "Berlin"'])
      expect(preview.stdout.split(shown), shown).to.have.length(NAMES.length + 1);
    await stack.up();
    expect(NAMES.map((name) => outputsOf(name).tokens)).to.deep.equal(before);
    for (const id of groups)
      expect(await read(`/backends/tunnel_group/${id}`)).to.deep.include({
        description: "Berlin",
        labels: { service: "other" },
      });
  });

  it("makes anew what somebody deleted, after a refresh too", async () => {
    const before = idsOf("tunnel_credential/agent");
    for (const id of before) await server.rest.delete(`/credentials/${id}`);
    await stack.refresh();
    await expectPreview("create tunnel_credential/agent");
    await stack.up();
    for (const [index, name] of NAMES.entries()) {
      expect(outputsOf(name).ids["tunnel_credential/agent"]).not.to.equal(before[index]);
      expect(outputsOf(name).tokens["tunnel_credential/agent"]).to.match(/^tpt_/);
    }
  });

  it("deletes what left the file, and nothing that others put into the set", async () => {
    const agents = idsOf("tunnel_credential/agent");
    write(WITHOUT_AGENT);
    await expectPreview("delete tunnel_credential/agent");
    await stack.up();
    for (const id of agents) expect((await server.rest.get(`/credentials/${id}`)).status).to.equal(404);
    const others = { kind: "ip_policy", key: "others" };
    for (const set of NAMES) await server.rest.post("/changesets", { set, objects: [others] });
    write(WITHOUT_AGENT.replace("service: web", "service: third"));
    await expectFailures(["up", "destroy"], "ip_policy/others", "declare");
    for (const name of NAMES) {
      const { objects } = await read(`/changesets/${name}`);
      const policy = objects.find(({ kind }: { kind: string }) => kind === "ip_policy");
      await server.rest.delete(`/ip_policies/${policy.id}`);
    }
    await stack.up();
  });

  it("deletes no object of others if its own is gone already, before a refresh", async () => {
    const policies = new Map<Name, string>();
    for (const name of NAMES) {
      const { ids } = outputsOf(name);
      const { id } = (await server.rest.post("/ip_policies", {})).body;
      policies.set(name, id);
      const objects = [{ kind: "ip_policy", key: "others", id }];
      await server.rest.post("/changesets", { set: name, objects });
      await server.rest.delete(
        `/edges/https/${ids["https_edge/site"]}/routes/${ids["https_edge_route/all"]}`,
      );
    }
    write(WITHOUT_AGENT.slice(0, WITHOUT_AGENT.indexOf("httpsEdgeRoutes:")));
    await expectFailures(["up"], "ip_policy/others");
    for (const id of policies.values())
      expect((await server.rest.get(`/ip_policies/${id}`)).status).to.equal(200);
    await stack.refresh();
    await expectPreview("delete ip_policy/others");
    await stack.up();
    for (const id of policies.values())
      expect((await server.rest.get(`/ip_policies/${id}`)).status).to.equal(404);
    write(WITHOUT_AGENT);
    await stack.up();
  });

  it("is reviewed as its objects: what a change means for callers", async () => {
    write(CATALOGUE.replace(/ {4}oidc:.*\n/, ""));
    const report = review(await stack.previewJson());
    const findings = report.findings.map(({ rule, address }) => `${rule} ${address}`);
    for (const name of NAMES) expect(findings).to.include(`sign-in-dropped ${name}.example.com:443/`);
    const changes = report.changes.filter(({ op, kind }) => op === "update" && kind === "https_edge_route");
    expect(changes).to.have.length(NAMES.length);
    expect(JSON.stringify(report)).not.to.contain("canary");
  });

  it("shows all faults in the preview", async () => {
    await server.rest.post("/edges/tls", { hostports: ["taken.example.com:443"] });
    write(
      `${CATALOGUE}\ntlsEdges:\n  a:\n    hostports: [taken.example.com:443]\n  b:\n    backend: { backendId: bkdtg_000000000000000000000000000 }\n    hostports: [b.NAME.example.com:443]\n`,
    );
    await expectFailures([], "tls_edge/a hostports[0]", "tls_edge/b backend.backend_id");
  });

  it("moves to the native provider with nothing changed and its tokens kept", async () => {
    write(CATALOGUE);
    await stack.up();
    const before = NAMES.map(outputsOf);
    isMoved = true;
    expect(changesOf(await stack.preview())).to.deep.equal([]);
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect(NAMES.map(outputsOf)).to.deep.equal(before);
    isMoved = false;
  });

  it("deletes all its objects and releases the set when it is destroyed, and can be made again", async () => {
    const before = idsOf("https_edge/site");
    await stack.destroy();
    for (const name of NAMES) expect((await server.rest.get(`/changesets/${name}`)).status).to.equal(404);
    for (const id of before) expect((await server.rest.get(`/edges/https/${id}`)).status).to.equal(404);
    expect(await read("/credentials")).to.deep.include({ credentials: [] });
    await stack.up();
    for (const id of idsOf("https_edge/site")) expect(before).not.to.include(id);
  });
});
