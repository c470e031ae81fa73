import { expect } from "chai";
import { expectRefused, hostport, invalid, type Json, serverOfThisFile } from "../support/api/expect";
import { certificate } from "../support/api/fixtures";
import { policyNamed } from "../support/api/modules";
import { onOneDatabase } from "../support/databases";

onOneDatabase("TLS termination and policies of a TLS edge", (start) => {
  const server = serverOfThisFile(start);
  const create = (body: Json) => server.rest.post("/edges/tls", { hostports: [hostport()], ...body });
  const edge = (body: Json = {}) => server.created("/edges/tls", { hostports: [hostport()], ...body });
  const UPSTREAM = { tls_termination: { terminate_at: "upstream" } };

  /** The modules that need the decrypted traffic, enabled or not. */
  const needy = async (enabled: boolean): Promise<Record<string, Json>> => ({
    mutual_tls: {
      enabled,
      certificate_authority_ids: [
        (await server.created("/certificate_authorities", { ca_pem: certificate().pem })).id,
      ],
    },
    policies: { enabled, inbound: [policyNamed("all")], outbound: [] },
  });

  it("TLS is terminated at the edge from version 1.2 on unless the edge declares another version", async () => {
    for (const given of [{ terminate_at: "edge" }, { min_version: "1.2" }, { enabled: true }])
      expect((await edge({ tls_termination: given })).tls_termination).to.deep.equal({
        enabled: true,
        terminate_at: "edge",
        min_version: "1.2",
      });
  });

  it("an edge whose TLS ends upstream has no minimum version", async () => {
    for (const given of [{}, { min_version: null }, { min_version: "" }])
      expect(
        (await edge({ tls_termination: { terminate_at: "upstream", ...given } })).tls_termination,
      ).to.deep.equal({
        enabled: true,
        terminate_at: "upstream",
        min_version: null,
      });
  });

  it("an edge whose TLS ends upstream refuses a minimum version, however it is given", async () => {
    const wrong = { terminate_at: "upstream", min_version: "1.2" };
    expectRefused(
      await create({ tls_termination: wrong }),
      invalid("tls_termination.min_version", "upstream"),
    );
    const { uri } = await edge(UPSTREAM);
    const patch = () => server.rest.patch(uri, { tls_termination: wrong });
    expectRefused(await server.unchangedBy(uri, patch), invalid("tls_termination.min_version", "upstream"));
    const put = () => server.rest.put(`${uri}/tls_termination`, wrong);
    expectRefused(await server.unchangedBy(uri, put), invalid("min_version", "upstream"));
  });

  it("an edge can move its termination upstream and back, and gets the default version again", async () => {
    const { uri } = await edge({ tls_termination: { min_version: "1.3" } });
    expect((await server.rest.patch(uri, UPSTREAM)).body.tls_termination.min_version).to.equal(null);
    const back = await server.rest.patch(uri, { tls_termination: { terminate_at: "edge" } });
    expect(back.body.tls_termination.min_version).to.equal("1.2");
  });

  for (const module of ["mutual_tls", "policies"])
    it(`an edge whose TLS ends upstream has no enabled ${module}, whichever of the two comes first`, async () => {
      const [enabled, disabled] = [(await needy(true))[module], (await needy(false))[module]];
      const refusal = invalid(undefined, "upstream");
      expectRefused(await create({ ...UPSTREAM, [module]: enabled }), invalid(undefined, module, "upstream"));
      const upstream = await edge({ ...UPSTREAM, [module]: disabled });
      expect(upstream[module].enabled).to.equal(false);
      const here = await edge({ [module]: enabled });
      for (const [uri, attempt] of [
        [upstream.uri, () => server.rest.patch(upstream.uri, { [module]: enabled })],
        [upstream.uri, () => server.rest.put(`${upstream.uri}/${module}`, enabled)],
        [here.uri, () => server.rest.patch(here.uri, UPSTREAM)],
        [here.uri, () => server.rest.put(`${here.uri}/tls_termination`, UPSTREAM.tls_termination)],
      ] as const)
        expectRefused(await server.unchangedBy(uri, attempt), refusal);
      const both = await server.rest.patch(here.uri, { ...UPSTREAM, [module]: disabled });
      expect(both.status, both.text).to.equal(200);
    });

  it("an edge whose TLS ends upstream may have a backend and an IP restriction", async () => {
    const backend = await server.created("/backends/tunnel_group", { labels: { app: "shop" } });
    const policy = await server.created("/ip_policies", {});
    const created = await edge({
      ...UPSTREAM,
      backend: { backend_id: backend.id },
      ip_restriction: { ip_policy_ids: [policy.id] },
    });
    expect(created.backend.backend.id).to.equal(backend.id);
    expect(created.ip_restriction.ip_policies).to.deep.equal([{ id: policy.id, uri: policy.uri }]);
  });
});
