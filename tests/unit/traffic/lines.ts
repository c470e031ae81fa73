import type { TrafficLine } from "@tunnelplane/sdk/traffic";

/** A line of recorded traffic: somebody's GET, with nothing that says who they are. */
export const trafficLine = (fields: Partial<TrafficLine> = {}): TrafficLine => ({
  ...{ hour: "2026-11-22T14:00:00Z", count: 1, address: "www.example.com:443" },
  ...{ host: "www.example.com", method: "GET", path: "/", from: "198.51.100.0/24" },
  ...{ client_certificate: null, token: null, session: null, user_agent: null, tls: "1.3" },
  ...{ status: 200, ...fields },
});
