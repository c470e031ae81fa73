import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";
import { guarantees, INSIDE } from "./guarantees";

export interface Choices {
  /** The secret that is registered with the identity provider. Default: `clientSecret` of the configuration. */
  readonly clientSecret?: pulumi.Input<string>;
  /**
   * How contractors get to the wiki: their network is added to the policy that the wiki has (`shared`), or the
   * wiki gets a policy of its own (`apart`). Default: `contractors` of the configuration; without it, they do not.
   */
  readonly contractors?: "shared" | "apart";
}

/** The network of contractors, who need the wiki. */
const CONTRACTORS = "203.0.113.0/24";

/**
 * Declares the site app.example.com with its API, the pages of its administrators, and a wiki; and what must
 * hold for all of them.
 */
export function guarded({ clientSecret, contractors }: Choices = {}) {
  const config = new pulumi.Config();
  const way = contractors ?? config.get("contractors");
  const oidc = {
    issuer: "https://id.example.com",
    clientId: "site",
    clientSecret: clientSecret ?? config.requireSecret("clientSecret"),
  };

  const inside = new tunnels.IpPolicy("inside", { description: "our own machines" });
  const own = new tunnels.IpPolicyRule("own", { ipPolicyId: inside.id, cidr: INSIDE, action: "allow" });
  const readers =
    way === "apart" ? new tunnels.IpPolicy("readers", { description: "who reads the wiki" }) : inside;
  const rules = [own];
  if (way === "apart")
    rules.push(
      new tunnels.IpPolicyRule("own-readers", { ipPolicyId: readers.id, cidr: INSIDE, action: "allow" }),
    );
  if (way !== undefined)
    rules.push(
      new tunnels.IpPolicyRule("contractors", { ipPolicyId: readers.id, cidr: CONTRACTORS, action: "allow" }),
    );
  const fromInside = { ipRestriction: { ipPolicyIds: [inside.id] } };

  const staff = new tunnels.CertificateAuthority("staff", {
    description: "signs the certificates of our staff",
    caPem: readFileSync(join(__dirname, "staff-ca.pem"), "utf8"),
  });
  const web = new tunnels.StaticBackend("web", { address: "10.30.0.1:8080" });
  const toWeb = { matchType: "path_prefix" as const, backend: { backendId: web.id } };

  const app = new tunnels.HttpsEdge("app", { hostports: ["app.example.com:443"] });
  const ofApp = { ...toWeb, edgeId: app.id };
  const routes = [
    new tunnels.HttpsEdgeRoute("pages", { ...ofApp, match: "/", oidc }),
    new tunnels.HttpsEdgeRoute("api", {
      ...ofApp,
      match: "/api",
      jwtValidation: {
        issuer: { allowList: [{ value: "https://id.example.com" }] },
        audience: { allowList: [{ value: "site-api" }] },
        http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
        jws: {
          allowedAlgorithms: ["RS256"],
          keys: { sources: { additionalJkus: ["https://id.example.com/jwks"] } },
        },
      },
    }),
    new tunnels.HttpsEdgeRoute("health", { ...ofApp, match: "/health", ...fromInside }),
    new tunnels.HttpsEdgeRoute("metrics", { ...ofApp, match: "/metrics", ...fromInside }),
    // Administrators have a name of their own, which asks for certificates.
    new tunnels.HttpsEdgeRoute("no-admin", {
      ...ofApp,
      match: "/admin",
      policies: { inbound: [{ actions: [{ type: "deny" }] }] },
    }),
  ];

  const admin = new tunnels.HttpsEdge("admin", {
    hostports: ["admin.example.com:443"],
    mutualTls: { certificateAuthorityIds: [staff.id] },
  });
  routes.push(new tunnels.HttpsEdgeRoute("admin", { ...toWeb, edgeId: admin.id, match: "/admin" }));

  const wiki = new tunnels.HttpsEdge("wiki", { hostports: ["wiki.internal.example.com:443"] });
  routes.push(
    new tunnels.HttpsEdgeRoute("wiki", {
      ...toWeb,
      edgeId: wiki.id,
      match: "/wiki",
      oidc,
      ipRestriction: { ipPolicyIds: [readers.id] },
    }),
  );

  guarantees([...rules, ...routes, app, admin, wiki]);
  return { app: app.uri, admin: admin.uri, wiki: wiki.uri };
}
