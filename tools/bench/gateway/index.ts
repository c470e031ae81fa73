import { ENVOY } from "../../../tests/support/envoy";
import type { Section } from "../report/section";
import type { Settings } from "../settings";
import { measureCertificates } from "./certificates";
import { measureFollowing } from "./follow";
import { measureTraffic } from "./traffic";
import { measureTunnels } from "./tunnels";

/** The gateway: traffic through Envoy, tunnels through SSH, and how soon changes are enforced. */
export async function measureGateway(settings: Settings): Promise<Section[]> {
  if (!ENVOY)
    throw new Error(
      "There is no Envoy: Python 3 with venv is needed, then `node tools/scripts/setup.cjs envoy` gets one",
    );
  return [
    ...(await measureTraffic(settings)),
    ...(await measureTunnels(settings)),
    ...(await measureFollowing(settings)),
    ...(await measureCertificates(settings)),
  ];
}
