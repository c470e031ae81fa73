import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as tunnels from "@tunnelplane/pulumi";
import { type Report, review } from "@tunnelplane/pulumi/review";
import { certificate } from "../support/api/fixtures";
import type { Engine } from "../support/engine";
import { worldOfThisFile } from "../support/provider";
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
  const { world, server } = worldOfThisFile();
  let change: Change & { engine: Engine };
  let program: (choices?: Choices) => PulumiFn;

  before(async () => {
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

  /** Effects that do not touch each other, some in each change. */
  const CHANGES: readonly [what: string, Choices, string[]][] = [
    [
      "the module of an edge and that of a route are deleted",
      { module: "deleted", oidc: false },
      [`client-certificate-dropped ${THEIRS}`, `sign-in-dropped ${SITE}/shop`],
    ],
    [
      "the module is disabled, and the route is deleted",
      { module: "disabled", route: false },
      [`client-certificate-dropped ${THEIRS}`, `address-removed ${SITE}/help`],
    ],
    [
      "the module moves to another edge, and the rule is deleted",
      { module: "moved", rule: false },
      [`client-certificate-dropped ${THEIRS}`, `network-narrowed ${THEIRS}`, `authority-added ${SECOND}`],
    ],
    ["the module has another name", { module: "renamed" }, []],
    [
      "the module has another name and an alias, and an edge of theirs is adopted as it is",
      { module: "renamed with an alias", adopts: true },
      [],
    ],
  ];
  const previews = new Map<string, string>();
  before("preview each change", async () => {
    for (const [what, choices] of CHANGES) previews.set(what, await change.preview(program(choices)));
  });
  const asked = (preview: string): Promise<Report> =>
    review(preview, { url: server.url, apiKey: server.apiKey });

  it("says what callers of the other team's addresses will notice, if it asks the server", async () => {
    for (const [what, , expected] of CHANGES) {
      const report = await asked(previews.get(what) ?? "");
      const found = rulesIn(report).filter((rule) => !rule.startsWith("unused"));
      expect(found, what).to.have.members(expected);
      expect(report.limits, what).to.deep.equal([]);
      for (const { rule, offStack, certain } of report.findings.filter(({ severity }) => severity === "high"))
        expect([offStack, certain], what).to.deep.equal([rule !== "address-removed", true]);
    }
    const short = await change.preview(program({ module: "deleted" }), []);
    expect(rulesIn(await asked(short))).to.include(`client-certificate-dropped ${THEIRS}`);
  });

  it("says which effects it cannot see, if it asks no server or the key may not see them", () => {
    const limitsOf = (what: string) => review(previews.get(what) ?? "").limits.join(" ");
    const names: readonly (readonly [number, ...RegExp[]])[] = [
      [
        0,
        /`certificates` \(tls_edge\.mutual_tls: delete, edge_id edgtls_\w+\)/,
        /`sign-in` \(https_edge_route\.oidc: delete, route_id edghtsrt_\w+\)/,
      ],
      [
        1,
        /`certificates` \(tls_edge\.mutual_tls: update, edge_id edgtls_\w+\)/,
        /`help` \(https_edge_route: delete, edge_id edghts_\w+\)/,
      ],
      [2, /`guests` \(ip_policy_rule: delete, ip_policy_id ipp_\w+\)/],
    ];
    for (const [index, ...expected] of names) {
      const limits = limitsOf(CHANGES[index]?.[0] ?? "");
      for (const name of expected) expect(limits).to.match(name);
      expect(limits).to.include("cannot be seen").and.to.include("--url");
    }
    expect(limitsOf(CHANGES.at(-1)?.[0] ?? "")).not.to.include("cannot be seen");
  });
});
