import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { parse } from "yaml";
import { tunnelplanePulumi } from "../adopt/support";
import { Plugin } from "../plugin/plugin";
import { Folder } from "../support/catalogue";
import { Engine } from "../support/engine";
import { changesOf, describeStacks, failureOf, failuresOf } from "../support/provider";
import { NAMES, type Name, PROVIDERS } from "../support/providers";

/** What a program declares with each provider, without the prefix of the provider. */
const RESOURCES = ["backend", "catalogue", "credential"];
const COLLECTIONS = ["/backends/tunnel_group", "/ip_policies", "/credentials"];

describeStacks("A stack and the project that has its objects", ({ world, server }) => {
  const folder = new Folder();
  let stack: Engine;
  let description = "first";
  /** The project of the account that the program hands to its resources, if it does. */
  let account: { readonly name: string; readonly project: string } | undefined;
  let declaring: readonly Name[] = NAMES;
  function declare(provider: Name): void {
    const tunnels = PROVIDERS[provider];
    const options: CustomResourceOptions = account
      ? { provider: new tunnels.Account(`${provider}-${account.name}`, { project: account.project }) }
      : {};
    const [backend, catalogue, credential] = RESOURCES.map((name) => `${provider}-${name}`) as [
      string,
      string,
      string,
    ];
    new tunnels.TunnelGroupBackend(backend, { description, labels: { service: "web" } }, options);
    new tunnels.CatalogueSet(catalogue, { file: folder.catalogue }, options);
    new tunnels.TunnelCredential(credential, { description }, options);
  }
  const program = async () => {
    for (const provider of declaring) declare(provider);
  };

  before("declare everything in the project shop", async () => {
    folder.write("ipPolicies: { office: { description: of the catalogue } }\n");
    for (const name of ["shop", "billing"]) await server.rest.post("/projects", { name });
    stack = await world.stack(server, program, { env: { TUNNELPLANE_PROJECT: "shop" } });
    await stack.up();
  });
  afterEach("declare everything as recorded", () => {
    [description, declaring] = ["first", NAMES];
  });

  const envOf = (project: string) => ({
    TUNNELPLANE_BASE_URL: server.url,
    TUNNELPLANE_API_KEY: server.apiKey,
    TUNNELPLANE_PROJECT: project,
  });
  /** A stack, which the environment leads to another project. */
  const leadTo = (project: string, { folder } = stack) =>
    Engine.open(folder, { program, env: envOf(project) });
  async function projectNamed(wanted: string): Promise<{ id: string }> {
    const { projects } = (await server.rest.get("/projects")).body;
    return projects.find(({ name }: { name: string }) => name === wanted);
  }
  async function countIn(project: string): Promise<number> {
    const inProject = { "tunnelplane-project": project };
    const lists = await Promise.all(
      COLLECTIONS.map(async (path) => {
        const { body } = await server.rest.get(path, inProject);
        return Object.values(body).find(Array.isArray) ?? [];
      }),
    );
    return lists.flat().length;
  }
  const counts = () => Promise.all(["shop", "billing", "default"].map(countIn));
  const ALL = COLLECTIONS.length * NAMES.length;

  it("keeps it with each object", async () => {
    expect(await counts()).to.deep.equal([ALL, 0, 0]);
    const kept = stack.resources().flatMap(({ outputs }) => outputs.__project ?? []);
    expect(kept).to.have.length(ALL);
    for (const project of kept) expect(project).to.match(/^proj_\w+ shop$/);
  });

  for (const provider of NAMES)
    it(`is refused by every step that works in another one, with the cure, and in one that does not exist for the API key (${provider} provider)`, async () => {
      const recorded = stack.resources().filter(({ urn }) => urn.includes(`::${provider}-`));
      expect(recorded).to.have.length(RESOURCES.length);
      const refusalsIn = async (project: string): Promise<[string, string][]> => {
        const host = await Plugin.start(envOf(project), {}, "default", provider);
        const all = await Promise.all(recorded.map((resource) => host.refusals(resource)));
        return all.flatMap((refusals) => Object.entries(refusals));
      };
      for (const [step, message] of await refusalsIn("billing")) {
        expect(message, step)
          .to.contain(`is in the project shop of ${server.url}, and this run works in billing`)
          .and.to.contain("So set the project back to shop")
          .and.to.contain("The project comes from TUNNELPLANE_PROJECT");
        expect(message, `${step}: no stack trace`).not.to.match(/\n\s+at /);
      }
      const nowhere = await refusalsIn("nowhere");
      expect(nowhere.map(([, message]) => message).join()).to.contain('no project "nowhere"');
      for (const [step, message] of nowhere)
        expect(message, step).to.match(/no project "nowhere"|^not done: .* see the first error$/);
    });

  it("is refused with its state kept, and is not taken for emptied", async () => {
    const before = stack.resources();
    const [elsewhere, nowhere] = [await leadTo("billing"), await leadTo("nowhere")];
    description = "second";
    const refused = await failuresOf(elsewhere, () => elsewhere.destroy({ continueOnError: true }));
    for (const { urn } of before)
      expect(refused.get(urn.split("::").at(-1) ?? ""), urn).to.contain("is in the project shop");
    expect(await failureOf(elsewhere.preview())).to.contain("is in the project shop");
    for (const step of [() => nowhere.refresh(), () => nowhere.up()])
      expect(await failureOf(step())).to.contain('no project "nowhere"');
    expect(stack.resources()).to.deep.equal(before);
    expect(await counts()).to.deep.equal([ALL, 0, 0]);
  });

  it("may get another name: nothing changes, and the next write records it", async () => {
    const { id } = await projectNamed("shop");
    const rename = (name: string) => server.rest.patch(`/projects/${id}`, { name });
    await rename("store");
    const renamed = await leadTo("store");
    expect(changesOf(await renamed.up({ refresh: true }))).to.deep.equal([]);
    await rename("shop");
  });

  it("changes by a move to an account of another project: a replacement that names both, and no other project's account", async () => {
    account = { name: "billing", project: "billing" };
    const preview = await stack.preview();
    const moves = preview.warnings.filter((warning) => warning.includes("moves to another project"));
    expect(moves.length).to.be.at.least(ALL - NAMES.length);
    for (const move of moves) expect(move).to.contain("from shop to billing: it is made anew there");
    expect(await counts()).to.deep.equal([ALL, 0, 0]);
    await stack.up();
    expect(await counts()).to.deep.equal([0, ALL, 0]);
    expect(changesOf(await stack.up()), "the same program again").to.deep.equal([]);
    account = { name: "billing", project: "shop" };
    for (const provider of NAMES) {
      declaring = [provider];
      expect(await failureOf(stack.preview()), provider)
        .to.contain("is in the project billing")
        .and.to.match(/To move objects to shop, declare another (account|provider) with that project/);
    }
    [account, declaring] = [undefined, NAMES];
    await stack.up();
    expect(await counts()).to.deep.equal([ALL, 0, 0]);
  });

  it("is the default one where the state names none", async () => {
    const old = await world.stack(server, program);
    await old.up();
    expect(old.resources().flatMap(({ outputs }) => outputs.__project ?? [])).to.deep.equal([]);
    expect(changesOf(await old.refresh())).to.deep.equal([]);
    const elsewhere = await leadTo("shop", old);
    expect(await failureOf(elsewhere.refresh())).to.contain("is in the project default");
  });

  it("is the one that a catalogue names, which takes no provider of another", async () => {
    account = undefined;
    const file = folder.write(
      "project: billing\nipPolicies: { office: { description: of billing } }\n",
      "billing.yaml",
    );
    const { dynamic, native } = PROVIDERS;
    let refused: (() => unknown) | undefined;
    const own = await world.stack(server, async () => {
      refused?.();
      dynamic.catalogue(file);
      new dynamic.CatalogueSet("named", { file });
      const provider = new native.Account("billing", { project: "billing" });
      new native.CatalogueSet("native-named", { file }, { provider });
    });
    const [, before] = await counts();
    await own.up();
    expect((await counts())[1]).to.equal((before ?? 0) + 3);
    expect(changesOf(await own.up()), "the same program again").to.deep.equal([]);

    refused = () => {
      const provider = new dynamic.Account("elsewhere", { project: "shop" });
      dynamic.catalogue(file, { provider });
    };
    expect(await failureOf(own.preview())).to.contain(
      `${file} names its project, so it takes no \`provider\`: give that account the project billing`,
    );
    refused = () => new native.CatalogueSet("elsewhere", { file });
    expect(await failureOf(own.preview())).to.contain(
      `${file} is for the project billing, and this provider works in that of its API key`,
    );
    refused = undefined;
    await own.destroy();
    expect((await counts())[1]).to.equal(before);
  });

  it("is read by adopt alone, which prints how to set it for the new stack", async () => {
    const out = join(folder.path, "adopted");
    for (const name of ["shop", "billing"]) {
      const { id } = await projectNamed(name);
      await server.rest.post("/memberships", { project_id: id, role: "admin", group: `${name}-leads` });
    }
    const { code, stdout, stderr } = await tunnelplanePulumi(
      ["adopt", "--url", server.url, "--project", "shop", "--format", "yaml", "--out", out],
      { TUNNELPLANE_API_KEY: server.apiKey },
    );
    expect(code, stderr).to.equal(0);
    expect(stdout)
      .to.contain("pulumi config set tunnelplane:project shop")
      .and.to.contain("projects, and memberships outside of this one");
    const kinds = Object.keys(parse(readFileSync(join(out, "tunnels.yaml"), "utf8")));
    expect(kinds).to.have.members(["ipPolicies", "memberships", "tunnelGroupBackends", "tunnelCredentials"]);
    const { resources } = JSON.parse(readFileSync(join(out, "import.json"), "utf8"));
    const places = resources.map(({ outputs }: { outputs: Record<string, unknown> }) => outputs.__project);
    expect(places).to.have.length(ALL + 1);
    for (const place of places) expect(place).to.match(/^(account|proj_\w+ shop)$/);
  });
});
