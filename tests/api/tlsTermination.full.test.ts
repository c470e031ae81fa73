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

  it("unknown places and versions are refused", async () => {
    const { uri } = await edge();
    for (const terminate_at of ["moon", "EDGE", 5]) {
      expectRefused(
        await create({ tls_termination: { terminate_at } }),
        invalid("tls_termination.terminate_at", "edge", "upstream"),
      );
      const put = () => server.rest.put(`${uri}/tls_termination`, { terminate_at });
      expectRefused(await server.unchangedBy(uri, put), invalid("terminate_at"));
    }
    for (const min_version of ["1.0", "1.1", "1.4", "TLSv1.2", 1.2]) {
      expectRefused(
        await create({ tls_termination: { min_version } }),
        invalid("tls_termination.min_version", "1.2", "1.3"),
      );
      const put = () => server.rest.put(`${uri}/tls_termination`, { min_version });
      expectRefused(await server.unchangedBy(uri, put), invalid("min_version"));
    }
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

  for (const module of ["mutual_tls", "policies"]) {
    it(`an edge whose TLS ends upstream is not created with ${module}`, async () => {
      expectRefused(
        await create({ ...UPSTREAM, [module]: (await needy(true))[module] }),
        invalid(undefined, module, "upstream"),
      );
    });

    it(`an edge whose TLS ends upstream does not get ${module} later`, async () => {
      const { uri } = await edge(UPSTREAM);
      const body = (await needy(true))[module];
      const refusal = invalid(undefined, "upstream");
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, { [module]: body })), refusal);
      expectRefused(await server.unchangedBy(uri, () => server.rest.put(`${uri}/${module}`, body)), refusal);
    });

    it(`an edge with ${module} does not move its termination upstream`, async () => {
      const { uri } = await edge({ [module]: (await needy(true))[module] });
      const refusal = invalid(undefined, module, "upstream");
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, UPSTREAM)), refusal);
      const put = () => server.rest.put(`${uri}/tls_termination`, UPSTREAM.tls_termination);
      expectRefused(await server.unchangedBy(uri, put), refusal);
    });

    it(`an edge whose TLS ends upstream may keep ${module} as long as it is disabled`, async () => {
      const disabled = (await needy(false))[module];
      const { uri, ...created } = await edge({ ...UPSTREAM, [module]: disabled });
      expect(created[module].enabled).to.equal(false);
      const enable = () => server.rest.put(`${uri}/${module}`, { ...disabled, enabled: true });
      expectRefused(await server.unchangedBy(uri, enable), invalid(undefined, "upstream"));
    });

    it(`an edge can give up ${module} and move its termination upstream in one update`, async () => {
      const { uri } = await edge({ [module]: (await needy(true))[module] });
      const answer = await server.rest.patch(uri, { ...UPSTREAM, [module]: (await needy(false))[module] });
      expect(answer.status, answer.text).to.equal(200);
    });
  }

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

  it("policies are kept in their order, with their expressions and actions", async () => {
    const several = {
      ...policyNamed("second"),
      expressions: ["a", "b"],
      actions: [
        { type: "log", config: {} },
        { type: "deny", config: {} },
      ],
    };
    const policies = {
      enabled: true,
      inbound: [policyNamed("first"), several],
      outbound: [several, policyNamed("first")],
    };
    expect((await edge({ policies })).policies).to.deep.equal(policies);
  });

  it("a direction that is left out has no policies", async () => {
    for (const direction of ["inbound", "outbound"]) {
      const { policies } = await edge({ policies: { [direction]: [policyNamed("only")] } });
      expect(policies).to.deep.equal({
        enabled: true,
        inbound: [],
        outbound: [],
        [direction]: [policyNamed("only")],
      });
    }
  });

  for (const direction of ["inbound", "outbound"]) {
    const wrongPolicies: Record<string, [Json, string]> = {
      "an action of an unknown type": [{ actions: [{ type: "explode", config: {} }] }, "actions[0].type"],
      "an action without a type": [{ actions: [{ config: {} }] }, "actions[0].type"],
      "an action whose config is a text": [
        { actions: [{ type: "deny", config: "403" }] },
        "actions[0].config",
      ],
      "an action whose config is a list": [{ actions: [{ type: "deny", config: [] }] }, "actions[0].config"],
      "a text where the expressions belong": [{ expressions: "true" }, "expressions"],
      "a number among the expressions": [{ expressions: ["true", 5] }, "expressions[1]"],
      "a number as its name": [{ name: 5 }, "name"],
    };
    for (const [what, [change, place]] of Object.entries(wrongPolicies)) {
      it(`an ${direction} policy with ${what} is refused, and the error names its place`, async () => {
        const { uri } = await edge();
        const wrong = { [direction]: [policyNamed("fine"), { ...policyNamed("wrong"), ...change }] };
        expectRefused(await create({ policies: wrong }), invalid(`policies.${direction}[1].${place}`));
        const put = () => server.rest.put(`${uri}/policies`, wrong);
        expectRefused(await server.unchangedBy(uri, put), invalid(`${direction}[1].${place}`));
      });
    }
  }
});
