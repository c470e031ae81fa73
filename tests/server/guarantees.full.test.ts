import { parse } from "yaml";
import { serverOfThisFile } from "../support/api/expect";
import { runHere } from "../support/commandLine";
import type { Ended } from "../support/server";
import { ServerProcess } from "../support/server";

describe("tunnelplane guarantees", () => {
  const server = serverOfThisFile(() => ServerProcess.start());
  const run = (...args: string[]): Promise<Ended> =>
    runHere(["guarantees", ...args], {
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
    });

  it("says so where no guarantee exists, and succeeds", async () => {
    const { code, out } = await run("--check");
    expect(out).to.equal("There are no guarantees.\n");
    expect(code).to.equal(0);
  });

  describe("of a site whose admin page is open to the office", () => {
    const ids: Record<string, string> = {};
    before(async () => {
      const { id: edge } = await server.rest.created("/edges/https", { hostports: ["app.example.com:443"] });
      const { id: page } = await server.rest.created("/backends/http_response", { status_code: 204 });
      const { id: office } = await server.rest.created("/ip_policies", {});
      await server.rest.created("/ip_policy_rules", {
        ip_policy_id: office,
        cidr: "10.0.0.0/8",
        action: "allow",
      });
      const route = (match: string, more: object) =>
        server.rest.created(`/edges/https/${edge}/routes`, {
          match_type: "path_prefix",
          match,
          backend: { backend_id: page },
          ...more,
        });
      await route("/admin", { ip_restriction: { ip_policy_ids: [office] } });
      await route("/metrics", {});
      const guarantee = async (name: string, more: object) => {
        const body = { expect: "refused", addresses: [`app.example.com:443/${name}`], ...more };
        ids[name] = (await server.rest.created("/guarantees", body)).id;
      };
      await guarantee("admin", {
        description: "admin pages are for the office",
        except_networks: ["10.0.0.0/8"],
      });
      await guarantee("metrics", { mode: "report", methods: ["GET"], networks: ["198.51.100.0/24"] });
      await guarantee("later", { addresses: ["*.internal.example.com:*"] });
    });

    it("lists all, broken ones first, each with its state and a request that breaks it", async () => {
      const { code, out } = await run();
      expect(out.split("\n")).to.deep.equal([
        "✗ broken   GET requests to `app.example.com:443/metrics` from 198.51.100.0/24 are refused",
        `           ${ids.metrics}, reported, covers 1 address`,
        "           broken by `GET app.example.com:443/metrics` from 198.51.100.7: 204",
        "✓ holds    requests to `*.internal.example.com:*` are refused",
        `           ${ids.later}, enforced, covers no declared address`,
        "✓ holds    admin pages are for the office",
        "           requests to `app.example.com:443/admin` from outside of 10.0.0.0/8 are refused",
        `           ${ids.admin}, enforced, covers 1 address`,
        "broken: 1, unproved: 0, holds: 2",
        "",
      ]);
      expect(code).to.equal(0);
    });

    it("shows one of them with each step of its example", async () => {
      const { out } = await run(String(ids.metrics));
      expect(out).to.contain("broken by `GET app.example.com:443/metrics`");
      expect(out).to.match(/\n {2}1\. .*hostports.*\n {2}2\. /);
      const missing = await run("grnt_2ZEK7jJyi0i8nAcGYvy3pEp84Sq");
      expect(missing.code).to.equal(3);
    });

    it("prints for programs what the API answers, states and examples included", async () => {
      const api = server.rest;
      const { guarantees } = (await api.get("/guarantees?state=true")).body;
      const { out } = await run("-o", "json");
      expect(JSON.parse(out)).to.deep.equal(guarantees);
      expect(guarantees[1]).to.deep.include({ state: "broken", covered: 1 });
      expect(parse((await run("-o", "yaml")).out)).to.deep.equal(guarantees);
      const one = (await api.get(`/guarantees/${ids.metrics}`)).body;
      expect(JSON.parse((await run(String(ids.metrics), "-o", "json")).out)).to.deep.equal(one);
    });

    it("with --check ends with 3 where an enforced one does not hold, and with 0 where only a reported one does not", async () => {
      expect((await run("--check")).code).to.equal(0);
      const api = server.rest;
      await api.patch(`/guarantees/${ids.metrics}`, { mode: "enforce" });
      expect((await run("--check")).code).to.equal(3);
      expect((await run("--check", String(ids.metrics))).code).to.equal(3);
      expect((await run("--check", String(ids.admin))).code).to.equal(0);
    });
  });
});
