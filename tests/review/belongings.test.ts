import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as tunnels from "@tunnelplane/pulumi";
import { type Report, review } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import type { Engine } from "../support/engine";
import { World } from "../support/provider";
import type { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { Change, rulesIn } from "./support";

const THEIRS = "theirs.example.com:443";
const SECOND = "second.example.com:443";
const SITE = "site.example.com:443";

/** What a program declares that belongs to objects of another team. */
interface Choices {
  readonly module?: "deleted" | "moved" | "renamed" | "disabled" | "renamed with an alias";
  readonly oidc?: false;
  readonly route?: false;
  readonly rule?: false;
  readonly adopts?: true;
}

describe("a review of modules, rules and routes whose edge or policy the stack does not declare", () => {
  const world = new World();
  let server: ServerProcess & { rest: Rest };
  let change: Change & { engine: Engine };
  let program: (choices?: Choices) => PulumiFn;

  before(async () => {
    server = await world.server();
    const made = async (path: string, body: object): Promise<string> => {
      const { status, body: answer } = await server.rest.post(path, body);
      expect(status, JSON.stringify(answer)).to.equal(201);
      return answer.id;
    };
    const policy = await made("/ip_policies", { description: "of another team" });
    await made("/ip_policy_rules", { ip_policy_id: policy, cidr: "10.0.0.0/8", action: "allow" });
    const theirs = await made("/edges/tls", {
      hostports: [THEIRS],
      ip_restriction: { ip_policy_ids: [policy] },
    });
    const second = await made("/edges/tls", { hostports: [SECOND] });
    const site = await made("/edges/https", { hostports: [SITE] });
    const shop = await made(`/edges/https/${site}/routes`, { match: "/shop", match_type: "path_prefix" });
    const pem = certificate({ name: "Clients" }).pem;
    program =
      ({ module, oidc, route, rule, adopts }: Choices = {}) =>
      async () => {
        const clients = new tunnels.CertificateAuthority("clients", { caPem: pem });
        const name = module?.startsWith("renamed") ? "renamed" : "certificates";
        const asks = {
          edgeId: module === "moved" ? second : theirs,
          certificateAuthorityIds: [clients.id],
          enabled: module !== "disabled",
        };
        const aliases = module === "renamed with an alias" ? [{ name: "certificates" }] : [];
        if (module !== "deleted") new tunnels.TlsEdgeMutualTls(name, asks, { aliases });
        const signIn = { issuer: "https://id.example.com", clientId: "shop", clientSecret: "secret" };
        if (oidc !== false)
          new tunnels.HttpsEdgeRouteOidc("sign-in", { edgeId: site, routeId: shop, ...signIn });
        if (route !== false)
          new tunnels.HttpsEdgeRoute("help", { edgeId: site, match: "/help", matchType: "path_prefix" });
        if (adopts) new tunnels.TlsEdge("second", { hostports: [SECOND] }, { import: second });
        if (rule !== false)
          new tunnels.IpPolicyRule("guests", { ipPolicyId: policy, cidr: "192.0.2.0/24", action: "allow" });
      };
    change = await Change.of(world, server, program());
  });
  after(() => world.close());

  const asked = async (choices: Choices, flags?: readonly string[]): Promise<Report> =>
    review(await change.preview(program(choices), flags), { url: server.url, apiKey: server.apiKey });

  it("tells what callers of the other team's addresses will notice, if it asks the server", async () => {
    const effects: [string, Choices, string[]][] = [
      ["nothing changes", {}, []],
      ["the module is deleted", { module: "deleted" }, [`client-certificate-dropped ${THEIRS}`]],
      ["the module is disabled", { module: "disabled" }, [`client-certificate-dropped ${THEIRS}`]],
      [
        "the module moves to another edge",
        { module: "moved" },
        [`client-certificate-dropped ${THEIRS}`, `authority-added ${SECOND}`],
      ],
      ["the module has another name", { module: "renamed" }, []],
      ["the module has another name and an alias", { module: "renamed with an alias" }, []],
      ["the module of a route is deleted", { oidc: false }, [`sign-in-dropped ${SITE}/shop`]],
      ["the route is deleted", { route: false }, [`address-removed ${SITE}/help`]],
      ["the rule is deleted", { rule: false }, [`network-narrowed ${THEIRS}`]],
      ["an edge of theirs is adopted as it is", { adopts: true }, []],
    ];
    for (const [what, choices, expected] of effects) {
      const report = await asked(choices);
      const found = rulesIn(report).filter((rule) => !rule.startsWith("unused"));
      expect(found, what).to.deep.equal(expected);
      expect(report.limits, what).to.deep.equal([]);
      for (const { offStack, certain } of report.findings.filter(({ severity }) => severity === "high"))
        expect([offStack, certain], what).to.deep.equal([choices.route !== false, true]);
    }
    expect(rulesIn(await asked({ module: "deleted" }, []))).to.include(
      `client-certificate-dropped ${THEIRS}`,
    );
  });

  it("says which effects it cannot see, if it asks no server or the key may not see them", async () => {
    const names: [Choices, RegExp][] = [
      [{ module: "deleted" }, /`certificates` \(tls_edge\.mutual_tls: delete, edge_id edgtls_\w+\)/],
      [{ module: "disabled" }, /`certificates` \(tls_edge\.mutual_tls: update, edge_id edgtls_\w+\)/],
      [{ oidc: false }, /`sign-in` \(https_edge_route\.oidc: delete, route_id edghtsrt_\w+\)/],
      [{ route: false }, /`help` \(https_edge_route: delete, edge_id edghts_\w+\)/],
      [{ rule: false }, /`guests` \(ip_policy_rule: delete, ip_policy_id ipp_\w+\)/],
    ];
    for (const [choices, name] of names) {
      const [limit = ""] = review(await change.preview(program(choices))).limits;
      expect(limit).to.match(name).and.to.include("cannot be seen").and.to.include("--url");
    }
    expect(review(await change.preview(program())).limits.join(" ")).not.to.include("cannot be seen");
  });
});
