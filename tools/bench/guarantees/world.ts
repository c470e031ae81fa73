import { Rest } from "../../../tests/support/rest";
import type { LoadGenerator } from "../load";
import type { LoadJob, Shot } from "../load/job";
import { CONNECTIONS, type Contender, startServers } from "../server/contender";
import { type LoopWatch, loopWatch } from "../server/heldLoop";
import { edge } from "../server/subject";
import { amount, type Settings } from "../settings";

/** The guarantees of the one address that is written again and again. */
export const OF_ONE = 50;
const HOT = "hot.example.org:443";
const OFFICE = "10.0.0.0/8";
const EDGES = "/edges/tls";
const closed = (n: number): string => `closed-${n}.example.org:443`;

/** A server with many addresses, and what to send to it. */
export interface World {
  readonly server: Contender;
  /** Changes what decides at addresses that no guarantee covers. */
  readonly untouched: Pick<LoadJob, "shots" | "ids">;
  /** Changes whom the address with most guarantees admits. */
  readonly touching: Pick<LoadJob, "shots" | "ids">;
  /** How long the event loop was held at most since the last call. */
  readonly held: LoopWatch["held"];
  stop(): Promise<void>;
}

/** @param guaranteed whether the guarantees are declared, or only what they would cover */
export async function makeWorld(
  data: string,
  size: Settings["guaranteed"],
  { generator, guaranteed }: { generator: LoadGenerator; guaranteed: boolean },
): Promise<World> {
  const watch = loopWatch();
  const server = await startServers(data, 1, generator, { env: watch.env });
  const rest = new Rest(server.urls[0] ?? "", server.headers.authorization?.slice("Bearer ".length) ?? "");
  const made = async (path: string, body: object): Promise<string> => {
    const { status, body: answer, text } = await rest.post(path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    return answer.id;
  };

  const ofOne = amount(OF_ONE);
  const covered = size.guarantees - ofOne;
  const free = size.addresses - (server.idsOf[EDGES]?.length ?? 0) - covered - 2;
  const job = { ...server, connections: CONNECTIONS, warmUp: 0, seconds: 0, amount: free };
  const { errors } = await generator.run({
    ...job,
    shots: [{ method: "POST", path: EDGES, body: edge(server.backendId) }],
  });
  if (errors > 0) throw new Error(`${errors} of ${free} edges could not be made`);

  const policies: string[] = [];
  for (const cidr of [OFFICE, "10.0.0.0/9"]) {
    const id = await made("/ip_policies", {});
    await made("/ip_policy_rules", { ip_policy_id: id, cidr, action: "allow" });
    policies.push(id);
  }
  const limited = {
    backend: { backend_id: server.backendId },
    ip_restriction: { ip_policy_ids: policies.slice(0, 1) },
  };
  await atOnce(covered, (n) => made(EDGES, { hostports: [closed(n)], ...limited }));
  const hot = await made("/edges/https", { hostports: [HOT] });
  const routes = `/edges/https/${hot}/routes`;
  const route = await made(routes, { match_type: "path_prefix", match: "/", ...limited });
  if (guaranteed) {
    const declare = (address: string) =>
      made("/guarantees", { expect: "refused", addresses: [address], except_networks: [OFFICE] });
    await atOnce(covered, (n) => declare(closed(n)));
    await atOnce(ofOne, (n) => declare(`${HOT}/${n}`));
  }

  const put = (path: string, body: object): Shot => ({ method: "PUT", path, body: JSON.stringify(body) });
  return {
    server,
    untouched: {
      shots: ["1.2", "1.3"].map((min_version) => put(`${EDGES}/{id}/tls_termination`, { min_version })),
      ids: server.idsOf[EDGES] ?? [],
    },
    touching: {
      shots: policies.map((id) => put(`${routes}/${route}/ip_restriction`, { ip_policy_ids: [id] })),
    },
    held: watch.held,
    async stop() {
      await server.stop();
      watch.remove();
    },
  };
}

async function atOnce(count: number, make: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}
