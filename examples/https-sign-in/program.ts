import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  /**
   * The secret that is registered with the identity provider. Default: `clientSecret` of the stack's
   * configuration.
   */
  readonly clientSecret?: pulumi.Input<string>;
  /** Whether the API moves to an edge of its own. */
  readonly separateApi?: boolean;
  /** After how many seconds without a request users have to sign in again. */
  readonly inactivityTimeout?: number;
}

/**
 * Declares www.example.com: pages for users who have signed in, an API for those who bring a token, and a
 * page for everybody else.
 */
export function httpsSignIn({ clientSecret, inactivityTimeout = 900, separateApi = false }: Choices = {}) {
  const secret = clientSecret ?? new pulumi.Config().requireSecret("clientSecret");

  const site = new tunnels.HttpsEdge("site", {
    description: "the site",
    hostports: ["www.example.com:443"],
    tlsTermination: { minVersion: "1.3" },
  });
  const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web" } });
  const maintenance = new tunnels.HttpResponseBackend("maintenance", {
    statusCode: 503,
    body: "back in ten minutes",
  });
  const pages = new tunnels.FailoverBackend("pages", { backends: [web.id, maintenance.id] });

  const signedIn = new tunnels.HttpsEdgeRoute("pages", {
    edgeId: site.id,
    matchType: "path_prefix",
    match: "/",
    backend: { backendId: pages.id },
    oidc: {
      issuer: "https://id.example.com",
      clientId: "site",
      clientSecret: secret,
      scopes: ["openid", "email"],
      inactivityTimeout,
      maximumDuration: 28_800,
    },
  });

  const apiEdge = separateApi ? new tunnels.HttpsEdge("api", { hostports: ["api.example.com:443"] }) : site;
  const api = new tunnels.HttpsEdgeRoute("api", {
    edgeId: apiEdge.id,
    matchType: "path_prefix",
    match: "/api",
    backend: { backendId: web.id },
    jwtValidation: {
      issuer: { allowList: [{ value: "https://id.example.com" }] },
      audience: { allowList: [{ value: "site-api" }] },
      http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
      jws: {
        allowedAlgorithms: ["RS256", "ES256"],
        keys: { sources: { additionalJkus: ["https://id.example.com/jwks"] } },
      },
    },
    userAgentFilter: { deny: ["(?i)^curl/"] },
  });

  return { site: site.uri, pages: signedIn.routeId, api: api.routeId };
}
