import { changesOf, describeStacks, failureOf, requestsDuring, saidDuring } from "../support/provider";
import { NAMES, type Name, PROVIDERS } from "../support/providers";

const CONFIG = { "tunnelplane:validateOnServer": { value: "true" } };

describeStacks("A preview with validateOnServer", ({ world, server }) => {
  it("finds mistakes in new and changed resources that only the server can see, and changes nothing", async () => {
    const taken = "taken.example.com:443";
    await server.rest.post("/edges/tls", { hostports: [taken] });
    const freeOf = (name: Name) => `${name}.example.com:443`;
    /** The providers whose edges the program declares, and those whose edges want what is taken. */
    let [declaring, wanting]: [Name[], Name[]] = [NAMES, []];
    const stack = await world.stack(
      server,
      async () => {
        for (const name of declaring) {
          const hostports = [wanting.includes(name) ? taken : freeOf(name)];
          new PROVIDERS[name].TlsEdge(name, { hostports });
        }
      },
      { config: CONFIG },
    );
    const expectRefusals = async (): Promise<void> => {
      for (const name of NAMES) {
        [declaring, wanting] = [[name], [name]];
        const message = await failureOf(stack.preview());
        expect(message, name)
          .to.contain("hostports[0] is served by another edge already")
          .and.to.contain("TP_1501");
        expect(message, name).not.to.match(/\n\s+at /);
      }
      [declaring, wanting] = [NAMES, []];
    };
    const served = async () =>
      (await server.rest.get("/edges/tls")).body.tls_edges.flatMap(
        ({ hostports }: { hostports: string[] }) => hostports,
      );
    await expectRefusals();
    expect(await served()).to.deep.equal([taken]);
    expect(changesOf(await stack.preview())).to.have.members(NAMES.map((name) => `create ${name}`));
    await stack.up();
    await expectRefusals();
    expect(await served()).to.have.members([taken, ...NAMES.map(freeOf)]);
  });

  it("warns of what each change does to callers by itself, in the words of the review", async () => {
    const made = async (path: string, body: object) => (await server.rest.post(path, body)).body.id;
    const policy = await made("/ip_policies", {});
    await made("/ip_policy_rules", { ip_policy_id: policy, cidr: "10.0.0.0/8", action: "allow" });
    const backend = { backendId: await made("/backends/static", { address: "10.0.0.7:5432" }) };
    const office = { ipRestriction: { ipPolicyIds: [policy] } };
    let [protection, description, place]: [Partial<typeof office>, string, string] = [office, "", "office"];
    const stack = await world.stack(
      server,
      async () => {
        for (const name of NAMES) {
          const declared = { backend, description, ...protection };
          const hostports = [`${name}-${place}.example.com:443`];
          new PROVIDERS[name].TlsEdge(`${name}-door`, { ...declared, hostports });
        }
      },
      { config: CONFIG },
    );
    await stack.up();
    description = "for the office";
    expect(await saidDuring(stack, "warning", () => stack.preview())).to.deep.equal([]);
    [protection, description] = [{}, ""];
    const shown = () => saidDuring(stack, "warning", () => stack.preview());
    expect(await shown(), "what the edge alone tells is not said again").to.have.members(
      NAMES.map(
        (name) =>
          `${name}-door: TlsEdge: \`${name}-office.example.com:443\` now admits every IPv4 and IPv6 address. (network-opened)`,
      ),
    );
    [protection, place] = [office, "shop"];
    expect(await shown()).to.have.members(
      NAMES.map(
        (name) =>
          `${name}-door: TlsEdge: if applied alone: \`${name}-office.example.com:443\` is no longer served. (address-removed)`,
      ),
    );
  });

  it("sends one dry run for each creation or update, none during a run, and none for values that are not known yet; without it, previews send no request", async () => {
    const stack = await world.stack(server, async () => {
      for (const name of NAMES) {
        const { id: ipPolicyId } = new PROVIDERS[name].IpPolicy(`${name}-policy`);
        const rule = { ipPolicyId, cidr: "192.0.2.0/24", action: "allow" as const };
        new PROVIDERS[name].IpPolicyRule(`${name}-rule`, rule);
      }
    });
    const each = (...requests: string[]) => NAMES.flatMap(() => requests);
    const preview = () => requestsDuring(server, () => stack.preview());
    expect(await preview(), "it is not the default").to.deep.equal([]);
    process.env.TUNNELPLANE_VALIDATE_ON_SERVER = "true";
    try {
      expect(await preview()).to.deep.equal(each("POST /ip_policies"));
      expect(await requestsDuring(server, () => stack.up())).to.have.members(
        each("GET /caller", "POST /ip_policies", "POST /ip_policy_rules"),
      );
      expect(await preview()).to.deep.equal([]);
    } finally {
      delete process.env.TUNNELPLANE_VALIDATE_ON_SERVER;
    }
  });
});
