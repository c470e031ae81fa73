import * as tunnels from "@tunnelplane/pulumi";

// Tunnels that carry these labels serve the app.
const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web" } });

const app = new tunnels.TlsEdge("app", {
  hostports: ["app.example.com:443"],
  backend: { backendId: web.id },
  tlsTermination: { minVersion: "1.3" },
});
export const uri = app.uri;

// The app's servers start their tunnels with this token: pulumi stack output authtoken --show-secrets
export const authtoken = new tunnels.TunnelCredential("agent", { acl: ["bind:service=web"] }).token;
