import type { Resource } from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";

/** Where our own machines are. */
export const INSIDE = "10.0.0.0/8";
/** The machine that asks whether the site is up. */
export const MONITOR = "10.20.0.5/32";

/**
 * The five that every team wants.
 *
 * @param judged the resources that they judge: made before them, and deleted after them
 */
export function guarantees(judged: Resource[]) {
  const options = { dependsOn: judged };
  new tunnels.Guarantee(
    "admin",
    {
      description: "pages for administrators ask for a certificate from everywhere",
      expect: "refused",
      addresses: ["*:443/admin"],
      clientCertificate: "none",
    },
    options,
  );
  new tunnels.Guarantee(
    "health",
    {
      description: "health checks are answered from the monitor",
      expect: "answered",
      addresses: ["app.example.com:443/health"],
      methods: ["GET"],
      networks: [MONITOR],
    },
    options,
  );
  new tunnels.Guarantee(
    "internal",
    {
      description: "nothing internal is answered without a session",
      expect: "refused",
      addresses: ["*.internal.example.com:*"],
      session: "none",
    },
    options,
  );
  new tunnels.Guarantee(
    "outside",
    {
      description: "nobody outside is answered without certificate, token and session",
      expect: "refused",
      addresses: ["*:*"],
      exceptNetworks: [INSIDE],
      clientCertificate: "none",
      token: "none",
      session: "none",
    },
    options,
  );
  new tunnels.Guarantee(
    "metrics",
    {
      description: "metrics are answered to our own machines only",
      expect: "refused",
      addresses: ["*:443/metrics"],
      exceptNetworks: [INSIDE],
    },
    options,
  );
}
