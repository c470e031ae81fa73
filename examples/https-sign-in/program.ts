import * as random from "@pulumi/random";
import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  /** After how many seconds without a request users have to sign in again. */
  readonly inactivityTimeout?: number;
  /** Where the API is found. */
  readonly apiPath?: string;
}

/** Declares www.example.com: pages for users who have signed in, an API for those who bring a token, and a page for everybody else. */
export function httpsSignIn({ inactivityTimeout = 900, apiPath = "/api" }: Choices = {}) {
  // The secret that we registered with our identity provider, made here so that nobody has to know it.
  const clientSecret = new random.RandomPassword("client-secret", { length: 40, special: false });
  const suffix = new random.RandomPet("edge-name");

  const site = new tunnels.HttpsEdge("site", {
    description: suffix.id.apply((name) => `the site (${name})`),
    hostports: ["www.example.com:443"],
    tlsTermination: { minVersion: "1.3" },
  });
  const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web" } });
  const maintenance = new tunnels.HttpResponseBackend("maintenance", { statusCode: 503, body: "back in ten minutes" });
  const pages = new tunnels.FailoverBackend("pages", { backends: [web.id, maintenance.id] });

  const signedIn = new tunnels.HttpsEdgeRoute("pages", {
    edgeId: site.id,
    matchType: "path_prefix",
    match: "/",
    backend: { backendId: pages.id },
    oidc: {
      issuer: "https://id.example.com",
      clientId: "site",
      clientSecret: clientSecret.result,
      scopes: ["openid", "email"],
      inactivityTimeout,
      maximumDuration: 28_800,
    },
  });

  const api = new tunnels.HttpsEdgeRoute("api", {
    edgeId: site.id,
    matchType: "path_prefix",
    match: apiPath,
    backend: { backendId: web.id },
    jwtValidation: {
      issuer: { allowList: [{ value: "https://id.example.com" }] },
      audience: { allowList: [{ value: "site-api" }] },
      http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
      jws: { allowedAlgorithms: ["RS256", "ES256"], keys: { sources: { additionalJkus: ["https://id.example.com/jwks"] } } },
    },
    userAgentFilter: { deny: ["(?i)^curl/"] },
  });

  return { site: site.uri, pages: signedIn.routeId, api: api.routeId };
}
