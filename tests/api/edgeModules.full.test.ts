import { apiOnOneDatabase, expectRefused, hostport, invalid, type Json, unique } from "../support/api/expect";
import { certificate } from "../support/api/fixtures";
import { policyNamed } from "../support/api/modules";

apiOnOneDatabase("Modules", (server) => {
  describe("The modules of an HTTPS edge's route", () => {
    const routeWith = (modules: Json) => ({ match_type: "path_prefix", match: `/${unique()}`, ...modules });
    const route = (modules: Json = {}) => server.created("/edges/https/{edge_id}/routes", routeWith(modules));

    it("a webhook's secret is needed once: a module without it is refused until one is stored, and keeps it then", async () => {
      const { id } = await server.created("/edges/https", {});
      const path = `/edges/https/${id}/routes`;
      const body = { match_type: "path_prefix", match: "/" };
      const webhook = { provider: "github" };
      const missing = invalid("webhook_verification.secret", "none is stored yet");
      expectRefused(await server.rest.post(path, { ...body, webhook_verification: webhook }), missing);
      const route = (await server.rest.post(path, body)).body;
      expectRefused(await server.rest.put(`${route.uri}/webhook_verification`, webhook), invalid());
      expectRefused(await server.rest.patch(route.uri, { webhook_verification: webhook }), missing);
      const stored = { ...webhook, enabled: true, secret: null };
      const first = await server.rest.put(`${route.uri}/webhook_verification`, { ...webhook, secret: "s" });
      expect(first.body).to.deep.equal(stored);
      const second = await server.rest.put(`${route.uri}/webhook_verification`, { provider: "slack" });
      expect(second.body).to.deep.equal({ ...stored, provider: "slack" });
      await server.rest.delete(`${route.uri}/webhook_verification`);
      expectRefused(await server.rest.patch(route.uri, { webhook_verification: webhook }), missing);
    });

    it("webhook_verification: a secret that is kept from another service has to be one for Svix, too", async () => {
      const key = "whsec_b2Y=";
      const { uri } = await route({ webhook_verification: { provider: "github", secret: "a secret" } });
      const at = `${uri}/webhook_verification`;
      const other = { provider: "svix" };
      expect((await server.unchangedBy(uri, () => server.rest.put(at, other))).status).to.equal(400);
      expect((await server.rest.put(at, { ...other, secret: key })).status).to.equal(200);
      expect((await server.rest.put(at, other)).status).to.equal(200);
    });
  });

  describe("TLS termination and policies of a TLS edge", () => {
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

    it("TLS is terminated at the edge from version 1.2 on unless the edge declares another version or passes it on, which has none", async () => {
      const [here, passed] = [
        { enabled: true, terminate_at: "edge", min_version: "1.2" },
        { enabled: true, terminate_at: "upstream", min_version: null },
      ];
      const empty = { terminate_at: "", min_version: "" };
      for (const given of [{ terminate_at: "edge" }, { min_version: "1.2" }, { enabled: true }, empty])
        expect((await edge({ tls_termination: given })).tls_termination).to.deep.equal(here);
      for (const given of [{}, { min_version: null }, { min_version: "" }]) {
        const { tls_termination } = await edge({ tls_termination: { terminate_at: "upstream", ...given } });
        expect(tls_termination).to.deep.equal(passed);
      }
      const { uri } = await edge({ tls_termination: { min_version: "1.3" } });
      expect((await server.rest.patch(uri, UPSTREAM)).body.tls_termination).to.deep.equal(passed);
      const wrong = { terminate_at: "upstream", min_version: "1.2" };
      const refusal = invalid("tls_termination.min_version", "upstream");
      expectRefused(await create({ tls_termination: wrong }), refusal);
      await server.unchangedBy(uri, () => server.rest.patch(uri, { tls_termination: wrong }), refusal);
      const put = () => server.rest.put(`${uri}/tls_termination`, wrong);
      await server.unchangedBy(uri, put, invalid("min_version", "upstream"));
      const back = await server.rest.patch(uri, { tls_termination: { terminate_at: "edge" } });
      expect(back.body.tls_termination).to.deep.equal(here);
    });

    for (const module of ["mutual_tls", "policies"])
      it(`an edge whose TLS ends upstream has no enabled ${module}, whichever of the two comes first`, async () => {
        const [enabled, disabled] = [(await needy(true))[module], (await needy(false))[module]];
        const refusal = invalid(undefined, "upstream");
        expectRefused(
          await create({ ...UPSTREAM, [module]: enabled }),
          invalid(undefined, module, "upstream"),
        );
        const upstream = await edge({ ...UPSTREAM, [module]: disabled });
        expect(upstream[module].enabled).to.equal(false);
        const here = await edge({ [module]: enabled });
        for (const [uri, attempt] of [
          [upstream.uri, () => server.rest.patch(upstream.uri, { [module]: enabled })],
          [upstream.uri, () => server.rest.put(`${upstream.uri}/${module}`, enabled)],
          [here.uri, () => server.rest.patch(here.uri, UPSTREAM)],
          [here.uri, () => server.rest.put(`${here.uri}/tls_termination`, UPSTREAM.tls_termination)],
        ] as const)
          await server.unchangedBy(uri, attempt, refusal);
        const both = await server.rest.patch(here.uri, { ...UPSTREAM, [module]: disabled });
        expect(both.status, both.text).to.equal(200);
      });
  });
});
