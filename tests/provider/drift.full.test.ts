import type { Engine, Run } from "../support/engine";
import { changesOf, describeStacks, makeCertificates } from "../support/provider";
import { type Classes, everywhere, NAMES } from "../support/providers";

/** One edge for each case, with a backend and a restriction. */
const EDGES = ["changed", "foreign-module", "lost-module", "dropped-module"] as const;

interface Edge {
  readonly id: string;
  readonly description: string;
  readonly hostports: readonly string[];
  readonly [field: string]: unknown;
}

describeStacks("A stack whose server is changed behind Pulumi's back", ({ world, server }) => {
  const [first, renewed] = [makeCertificates("clients").authority, makeCertificates("renewed").authority];
  let isFirst = true;
  let stack: Engine;
  let made: Record<string, Edge> = {};
  let repaired: Record<string, Edge> = {};
  let authorities: string[];
  let preview: Run;
  let repair: Run;
  function declare(provider: string, tunnels: Classes): void {
    const policy = new tunnels.IpPolicy(`${provider}-policy`);
    const backend = new tunnels.TunnelGroupBackend(`${provider}-backend`, { labels: { service: provider } });
    for (const name of EDGES)
      new tunnels.TlsEdge(`${provider}-${name}`, {
        description: `${provider} ${name}`,
        hostports: ["app", "www"].map((host) => `${host}.${name}.${provider}.example.com:443`),
        backend: { backendId: backend.id },
        ipRestriction: name === "dropped-module" && !isFirst ? undefined : { ipPolicyIds: [policy.id] },
      });
    const ca = new tunnels.CertificateAuthority(`${provider}-ca`, { caPem: isFirst ? first : renewed });
    new tunnels.TlsEdge(`${provider}-mutual`, { mutualTls: { certificateAuthorityIds: [ca.id] } });
  }

  async function edges(): Promise<Record<string, Edge>> {
    const { tls_edges } = (await server.rest.get("/edges/tls?limit=100")).body as { tls_edges: Edge[] };
    return Object.fromEntries(tls_edges.map((edge) => [edge.description, edge]));
  }

  before("change the edges on the server, and repair them in one run", async () => {
    stack = await world.stack(server, everywhere(declare));
    await stack.up();
    made = await edges();
    for (const provider of NAMES) {
      const path = (name: string) => `/edges/tls/${made[`${provider} ${name}`]?.id}`;
      const { backend, hostports } = made[`${provider} changed`] as Edge & {
        backend: { backend: { id: string } };
      };
      await server.rest.patch(path("changed"), {
        description: "meddled",
        hostports: [hostports[0], `evil.${provider}.example.com:443`],
      });
      await server.rest.put(`${path("changed")}/backend`, { enabled: false, backend_id: backend.backend.id });
      await server.rest.put(`${path("foreign-module")}/tls_termination`, { min_version: "1.3" });
      await server.rest.delete(`${path("lost-module")}/ip_restriction`);
    }
    await stack.refresh();
    isFirst = false;
    preview = await stack.preview({ diff: true });
    repair = await stack.up();
    repaired = await edges();
    const { certificate_authorities } = (await server.rest.get("/certificate_authorities")).body;
    authorities = certificate_authorities.map(
      (authority: { subject_common_name: string }) => authority.subject_common_name,
    );
  });

  for (const provider of NAMES)
    describe(`(${provider} provider)`, () => {
      const of = (edges: Record<string, Edge>, name: string) => edges[`${provider} ${name}`];
      const expectRepair = (name: string, ...changes: string[]) => {
        for (const run of [preview, repair])
          expect(changesOf(run, `${provider}-${name}`)).to.deep.equal(changes);
      };

      it("shows each changed property after a refresh, and up repairs it", () => {
        expectRepair("changed", "update  backend.enabled description hostports[1]");
        expect(preview.stdout).to.contain(
          `"evil.${provider}.example.com:443" => "www.changed.${provider}.example.com:443"`,
        );
        expect(of(repaired, "changed")).to.deep.equal(of(made, "changed"));
      });

      it("leaves a module alone that the program never declared", () => {
        expectRepair("foreign-module");
        expect(of(repaired, "foreign-module")?.tls_termination).to.include({ min_version: "1.3" });
      });

      it("puts back a module that somebody removed", () => {
        expectRepair("lost-module", "update  ipRestriction");
        expect(of(repaired, "lost-module")).to.deep.equal(of(made, "lost-module"));
      });

      it("deletes a module on the server when it is removed from the program, and only that one", () => {
        expectRepair("dropped-module", "update  ipRestriction");
        const without = { ...of(made, "dropped-module"), ip_restriction: null };
        expect(of(repaired, "dropped-module")).to.deep.equal(without);
      });

      it("moves an edge to a new authority before it deletes the old one", () => {
        const steps = repair.steps.filter(({ name }) =>
          [`${provider}-ca`, `${provider}-mutual`].includes(name),
        );
        expect(steps.map(({ op, name }) => `${op} ${name}`)).to.deep.equal([
          ...[`create-replacement ${provider}-ca`, `replace ${provider}-ca`],
          ...[`update ${provider}-mutual`, `delete-replaced ${provider}-ca`],
        ]);
        expect(authorities).to.deep.equal(NAMES.map(() => "renewed"));
      });
    });

  it("has nothing left to repair, and can be destroyed although an object is already deleted", async () => {
    expect(changesOf(await stack.preview())).to.deep.equal([]);
    for (const provider of NAMES)
      await server.rest.delete(`/edges/tls/${repaired[`${provider} changed`]?.id}`);
    await stack.destroy();
    expect((await server.rest.get("/ip_policies")).body.ip_policies).to.deep.equal([]);
    expect(await edges()).to.deep.equal({});
  });
});
