import { hostport, serverOfThisFile, unique } from "../support/api/expect";
import { Folder } from "../support/catalogue";
import { DATABASES } from "../support/databases";
import { command, type Ended, endOf, ServerProcess } from "../support/server";
import { SetInTest } from "./support";

const start = async () => ServerProcess.start({ data: await DATABASES[0]?.create() });

describe("tunnelplane apply", () => {
  const server = serverOfThisFile(start);
  const folder = new Folder();
  const apply = (...args: string[]): Promise<Ended> =>
    endOf(
      command(server.data, ["apply", folder.catalogue, "--url", server.url, ...args], {
        TUNNELPLANE_API_KEY: server.apiKey,
        TUNNELPLANE_TEST_NOTE: "from the environment",
      }),
    );

  const catalogue = (served: string, more = "") => `
tunnelGroupBackends:
  web:
    labels: { service: web }
    description: !env TUNNELPLANE_TEST_NOTE
tlsEdges:
  app:
    hostports: ["${served}"]
    backend: { backendId: web }
    metadata: !file note.txt
${more}`;

  it("shows a plan and what it means, and changes nothing", async () => {
    const [set, served] = [unique("set"), hostport()];
    folder.write("a note", "note.txt");
    folder.write(catalogue(served));
    const { code, out } = await apply("--set", set, "--plan");
    expect(code).to.equal(0);
    expect(out)
      .to.contain("2 to create")
      .and.to.contain("tls_edge/app")
      .and.to.contain(`hostports: ["${served}"]`);
    expect(out).to.contain(`\`${served}\` is new, and anybody may reach it`);
    expect((await server.rest.get(`/changesets/${set}`)).status).to.equal(404);
  });

  it("changes nothing and ends with 3 for findings that --fail-on names, and prints them", async () => {
    const [set, served] = [unique("set"), hostport()];
    folder.write("a note", "note.txt");
    folder.write(catalogue(served));
    for (const more of [[], ["--plan"]]) {
      const { code, out, err } = await apply("--set", set, "--fail-on", "high", ...more);
      expect(code, err).to.equal(3);
      expect(out).to.contain(`\`${served}\` is new, and anybody may reach it`).and.to.contain("2 to create");
      expect(err).to.contain("nothing was changed").and.to.contain("--fail-on high");
    }
    const json = await apply("--set", set, "--fail-on", "low", "-o", "json");
    expect(json.code).to.equal(3);
    expect(JSON.parse(json.out).findings.map(({ severity }: { severity: string }) => severity)).to.include(
      "high",
    );
    expect((await server.rest.get(`/changesets/${set}`)).status).to.equal(404);
    expect((await apply("--set", set, "--fail-on", "sometimes")).code).to.equal(2);
    expect((await apply("--set", set, "--fail-on", "never")).code).to.equal(0);
    const unchanged = await apply("--set", set, "--fail-on", "low");
    expect([unchanged.code, unchanged.out]).to.deep.equal([0, `Set ${set}: 2 unchanged\n`]);
  });

  it("applies a catalogue, prints tokens once, and does nothing the second time", async () => {
    const set = unique("set");
    folder.write(catalogue(hostport(), 'tunnelCredentials:\n  agent:\n    acl: ["*"]\n'));
    const first = await apply("--set", set);
    expect(first.code, first.err).to.equal(0);
    expect(first.out)
      .to.contain("3 created")
      .and.to.match(/tunnel_credential\/agent tpt_/);
    const ids = await new SetInTest(server.rest, set).ids();
    expect((await server.read(`/edges/tls/${ids["tls_edge/app"]}`)).metadata).to.equal("a note");
    expect(
      (await server.read(`/backends/tunnel_group/${ids["tunnel_group_backend/web"]}`)).description,
    ).to.equal("from the environment");
    const second = await apply("--set", set);
    expect(second.out).to.contain("3 unchanged").and.not.to.contain("tpt_");
    expect((await apply("--set", set, "--plan")).out).to.contain("3 unchanged");
  });

  it("with --own deletes what left the catalogue, as many as --max-deletes allows", async () => {
    const [set, served] = [unique("set"), hostport()];
    folder.write(catalogue(served, "ipPolicies:\n  office:\n"));
    await apply("--set", set);
    folder.write(catalogue(served));
    expect((await apply("--set", set)).out).to.contain("2 unchanged");
    const plan = await apply("--set", set, "--own", "--plan");
    expect(plan.out).to.contain("delete ip_policy/office").and.to.contain("--max-deletes 1");
    const refused = await apply("--set", set, "--own");
    expect(refused.code).to.equal(1);
    expect(refused.err).to.contain("ip_policy/office").and.to.contain("nothing was changed");
    expect((await apply("--set", set, "--own", "--max-deletes", "1")).code).to.equal(0);
    expect(await new SetInTest(server.rest, set).ids()).not.to.have.property("ip_policy/office");
  });

  it("refuses --max-deletes without --own, and a name that no set may have, as wrong command lines", async () => {
    folder.write("ipPolicies:\n  a:\n");
    const alone = await apply("--set", unique("set"), "--max-deletes", "3");
    expect(alone.code).to.equal(2);
    expect(alone.err).to.contain("--max-deletes says how many objects --own may delete");
    const misnamed = await apply("--set", "a b");
    expect(misnamed.err).to.contain("Applying 1 object as the change set");
    expect(misnamed.code).to.equal(2);
    expect(misnamed.err).to.contain("tunnelplane: --set must have 1 to 255 letters");
  });

  it("works in the project that the catalogue names", async () => {
    await server.rest.post("/projects", { name: "shop" });
    const set = unique("set");
    folder.write("project: shop\nipPolicies: { office: }\n");
    const { code, err } = await apply("--set", set);
    expect(code, err).to.equal(0);
    const inShop = { "tunnelplane-project": "shop" };
    expect((await server.rest.get(`/changesets/${set}`, inShop)).body.objects).to.have.length(1);
    expect((await server.rest.get(`/changesets/${set}`)).status).to.equal(404);
  });

  it("refuses another project than the one that the catalogue names, and names both", async () => {
    folder.write("project: shop\nipPolicies: { office: }\n");
    for (const given of [["--project", "billing"], []]) {
      const { code, err } = await endOf(
        command(server.data, ["apply", folder.catalogue, "--url", server.url, "--set", "prod", ...given], {
          TUNNELPLANE_API_KEY: server.apiKey,
          TUNNELPLANE_PROJECT: "billing",
        }),
      );
      expect(code, err).to.equal(2);
      expect(err).to.contain("is for the project shop, and --project or TUNNELPLANE_PROJECT says billing");
    }
  });

  it("refuses !config and !secret, and says why, with their lines", async () => {
    folder.write("ipPolicies:\n  a:\n    description: !config place\n  b:\n    description: !secret note\n");
    const { code, err } = await apply("--set", unique("set"));
    expect(code).to.equal(1);
    expect(err)
      .to.contain("tunnels.yaml:3:")
      .and.to.contain("tunnels.yaml:5:")
      .and.to.contain("!config")
      .and.to.contain("!secret");
    expect(err).to.contain("Pulumi").and.to.contain("!env");
  });

  it("shows what the server refuses with the lines of the catalogue", async () => {
    const { hostports } = await server.created("/edges/tls", { hostports: [hostport()] });
    folder.write(catalogue(hostports[0]));
    const { code, err } = await apply("--set", unique("set"));
    expect(code).to.equal(1);
    expect(err).to.contain("tunnels.yaml:7:").and.to.contain("tlsEdges.app").and.to.contain("hostports[0]");
  });
});
