import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onOneDatabase, sharedPostgres } from "../support/databases";
import { atEndOfFile } from "../support/endOfFile";
import { hasPooler, startPooler } from "../support/pooler";
import { MOVABLE_CLOCK, ServerProcess } from "../support/server";
import { SOAK } from "../support/size";
import { StandInServer } from "../support/standIn";

const ROUNDS = SOAK ? Number.POSITIVE_INFINITY : 2;
/** Of the long run. */
const MAX_MS = 10 * 60_000;
/** Until PgBouncer's keepalive ends the sessions of connections that vanished: it has 20. */
const KEEPALIVE_MS = 500;
/** A day and more ahead, and back. */
const HOURS = 30;

/** Stands before a database; what goes through it may vanish without a word. */
async function relayTo(url: string): Promise<{ url: string; vanish(): void }> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const vanished: (readonly [Socket, Socket])[] = [];
  const relay = createServer((client) => {
    const pair = [client, connect(Number(new URL(url).port), "127.0.0.1")] as const;
    pairs.add(pair);
    for (const socket of pair) socket.on("error", () => undefined);
    const end = () => {
      // The client is not told that a connection vanished.
      if (!pairs.delete(pair)) return;
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on("close", end);
    pair[0].pipe(pair[1]).pipe(pair[0]);
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  atEndOfFile(() => {
    relay.close();
    for (const pair of [...pairs, ...vanished]) for (const socket of pair) socket.destroy();
  });
  return {
    url: Object.assign(new URL(url), { port: String((relay.address() as AddressInfo).port) }).href,
    vanish() {
      for (const pair of pairs) {
        const [client, target] = pair;
        pairs.delete(pair);
        vanished.push(pair);
        client.unpipe().pause();
        target.unpipe();
        setTimeout(() => target.destroy(), KEEPALIVE_MS);
      }
    },
  };
}

onOneDatabase("The first night of two servers behind PgBouncer", () => {
  (hasPooler ? it : it.skip)(
    "loses no change and no event, whatever clocks and connections do",
    async function () {
      this.timeout(SOAK ? 2 * MAX_MS : 120_000);
      const arrived = new Set<string>();
      const hook = await StandInServer.start(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        arrived.add(JSON.parse(Buffer.concat(chunks).toString()).object.id);
        response.writeHead(204).end();
      });
      const pooler = await startPooler(await (await sharedPostgres()).newDatabase(), "session");
      const relay = await relayTo(pooler);
      const options = { args: ["--allow-private-targets"], env: MOVABLE_CLOCK };
      const servers = [
        await ServerProcess.start({ data: relay.url, ...options }),
        await ServerProcess.start({ data: pooler, ...options }),
      ] as const;
      const [one, other] = servers;
      const destination = await other.rest.post("/event_destinations", {
        target: { webhook: { url: hook.url } },
      });
      const sources = [{ type: "ip_policy_created.v0" }];
      await other.rest.post("/event_subscriptions", { sources, destination_ids: [destination.body.id] });
      const made = new Set<string>();
      const begun = performance.now();
      for (let round = 0; round < ROUNDS && performance.now() - begun < MAX_MS; round++) {
        const make = async ({ rest }: ServerProcess) => {
          const { status, body } = await rest.post("/ip_policies", { description: `${round}` });
          if (status === 201) made.add(body.id);
          else expect(status).to.be.oneOf([500, 503]); // its outcome may be unknown
        };
        const both = () => Promise.all(servers.flatMap((server) => [make(server), make(server)]));
        for (let hours = 0; hours < HOURS; hours++) one.passAnHour();
        await both();
        relay.vanish();
        await both();
        one.returnToNow();
        await both();
      }
      while (![...made].every((id) => arrived.has(id))) await sleep(50);
      for (const { rest } of servers)
        for (const id of made) {
          const read = async () => (await rest.get(`/ip_policies/${id}`)).status;
          while ((await read()) === 503) await sleep(50); // until it has noticed what vanished last
          expect(await read()).to.equal(200);
        }
      for (const server of servers) await server.stop();
    },
  );
});
