// Runs a program in a process of its own, so that it can be killed. The first argument is its folder.
import * as tunnels from "@tunnelplane/pulumi";
import { Engine } from "../support/engine";

const NAMES = ["a", "b", "c", "d", "e", "f"];

/** Two layers of resources, some with equal inputs, a one-time secret, and a module with an endpoint of its own. */
export const program = async (): Promise<void> => {
  for (const name of NAMES) new tunnels.TunnelCredential(name, { description: "one of six" });
  const policy = new tunnels.IpPolicy("policy");
  for (const host of [1, 2])
    new tunnels.IpPolicyRule(`rule-${host}`, { ipPolicyId: policy.id, cidr: `192.0.2.${host}/32`, action: "allow" });
  const edge = new tunnels.HttpsEdge("edge", { hostports: ["killed.example.com:443"] });
  new tunnels.HttpsEdgeRoute("route", { edgeId: edge.id, matchType: "path_prefix", match: "/" });
};

/** The declared objects, by collection. */
export const DECLARED = { "/credentials": NAMES.length, "/ip_policies": 1, "/ip_policy_rules": 2, "/edges/https": 1 };

const [folder] = process.argv.slice(2);
if (require.main === module && folder) {
  const { TUNNELPLANE_BASE_URL = "", TUNNELPLANE_API_KEY = "" } = process.env;
  Engine.open(folder, { program, env: { TUNNELPLANE_BASE_URL, TUNNELPLANE_API_KEY }, checkpoints: true }).then((engine) => engine.up());
}
