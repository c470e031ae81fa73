import { ENVOY } from "../support/envoy";
import { GatewayProcess } from "../support/gateway";
import { freePort } from "../support/ports";
import type { Running } from "./running";

/** A second gateway of the same server, with the same files. Returns its port, and what ends it. */
export async function anotherGateway(one: Running): Promise<{ port: number; stop(): Promise<unknown> }> {
  const [port, metrics] = [await freePort(), await freePort()];
  const bot = await one.api.botUsers.create({ name: "another", role: "gateway" });
  const key = (await one.api.apiKeys.create({ owner_id: bot.id })).token ?? "";
  const gateway = GatewayProcess.start(
    [
      ...["run", "--url", one.server.url, "--state", `${one.folder}/another`, "--name", "another"],
      ...["--listen", `443=127.0.0.1:${port}`, "--metrics", `127.0.0.1:${metrics}`],
      ...["--envoy", ENVOY as string, "--certs", one.folder, "--allow-upstreams", "127.0.0.0/8"],
    ],
    { TUNNELPLANE_API_KEY: key },
  );
  return { port, stop: () => gateway.stop() };
}
