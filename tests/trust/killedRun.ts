// Runs a program in a process of its own, so that it can be killed. The arguments are its folder and the
// provider.
import { Engine } from "../support/engine";
import { type Classes, PROVIDERS } from "../support/providers";

const NAMES = ["a", "b", "c", "d", "e", "f"];

/** Two layers of resources, some with equal inputs, a one-time secret, and a module of its own. */
export const program = (tunnels: Classes) => async (): Promise<void> => {
  for (const name of NAMES) new tunnels.TunnelCredential(name, { description: "one of six" });
  const policy = new tunnels.IpPolicy("policy");
  for (const host of [1, 2])
    new tunnels.IpPolicyRule(`rule-${host}`, {
      ipPolicyId: policy.id,
      cidr: `192.0.2.${host}/32`,
      action: "allow",
    });
  const edge = new tunnels.HttpsEdge("edge", { hostports: ["killed.example.com:443"] });
  new tunnels.HttpsEdgeRoute("route", { edgeId: edge.id, matchType: "path_prefix", match: "/" });
};

export const DECLARED = {
  "/credentials": NAMES.length,
  "/ip_policies": 1,
  "/ip_policy_rules": 2,
  "/edges/https": 1,
};

const [folder, provider] = process.argv.slice(2);
if (require.main === module && folder) {
  const { TUNNELPLANE_BASE_URL = "", TUNNELPLANE_API_KEY = "" } = process.env;
  const classes = PROVIDERS[provider as keyof typeof PROVIDERS];
  Engine.open(folder, {
    program: program(classes),
    env: { TUNNELPLANE_BASE_URL, TUNNELPLANE_API_KEY },
    checkpoints: true,
  }).then((engine) => engine.up());
}
