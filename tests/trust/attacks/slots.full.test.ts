import { setTimeout as sleep } from "node:timers/promises";
import { overloaded, type Refusal } from "../../support/api/expect";
import { destination } from "../../support/api/fixtures";
import { untilTestEnds } from "../../support/databases";
import { Connection } from "../../support/rawHttp";
import { refusedBeside } from "../../support/refusal";
import { Rest, type RestAnswer } from "../../support/rest";
import { ServerProcess } from "../../support/server";
import { StandInServer } from "../../support/standIn";
import { expectServed, underAttack } from "../../support/underAttack";

const request = (server: ServerProcess, key?: string): string =>
  [
    "GET /ip_policies HTTP/1.1",
    `Host: ${new URL(server.url).host}`,
    "Service-Version: 2",
    ...(key ? [`Authorization: Bearer ${key}`] : []),
    "\r\n",
  ].join("\r\n");

async function keyOfBot(admin: Rest): Promise<{ id: string; token: string }> {
  const bot = (await admin.post("/bot_users", { name: "ci" })).body;
  return (await admin.post("/api_keys", { owner_id: bot.id })).body;
}

/** Lists and deletes API keys, like an admin who locks out an attacker. */
const expectDeletable = (server: ServerProcess, admin: Rest, id: string): Promise<void> =>
  expectServed(server, async () => {
    const listed = await admin.get("/api_keys");
    expect(listed.status, listed.text).to.equal(200);
    expect((await admin.delete(`/api_keys/${id}`)).status).to.equal(204);
  });

/** Answers for want of a slot, beside a request of somebody who is served. */
async function expectCrowded(
  answers: readonly RestAnswer[],
  mentions: Refusal["mentions"],
  served: () => Promise<RestAnswer>,
): Promise<void> {
  await refusedBeside({
    refused: answers.map((answer) => async () => answer),
    as: { ...overloaded, mentions },
    allowed: served,
  });
  for (const { headers } of answers) expect(headers.get("retry-after")).to.equal("1");
}

describe("Slots", () => {
  const start = untilTestEnds(ServerProcess.start);
  const open: { stop(): void }[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.stop();
  });

  /** Requests of several clients that reach the server at once. */
  const atOnce = async (
    server: ServerProcess,
    crowds: readonly { count: number; key?: string }[],
  ): Promise<RestAnswer[][]> => {
    const connections = await Promise.all(crowds.map(() => Connection.open(server.url)));
    open.push(...connections.map((connection) => ({ stop: () => connection.close() })));
    // A first request on each connection, so that the server has accepted it and knows the key.
    for (const [index, connection] of connections.entries()) {
      connection.send(request(server, crowds[index]?.key));
      await connection.answers(1);
    }
    await server.pause();
    for (const [index, connection] of connections.entries()) {
      const { count = 0, key } = crowds[index] ?? {};
      connection.send(request(server, key).repeat(count));
    }
    server.signal("SIGCONT");
    return Promise.all(connections.map((connection, index) => connection.answers(crowds[index]?.count ?? 0)));
  };

  it("one owner, with all keys together, holds at most half of them, and others are served meanwhile", async () => {
    const server = await start({ args: ["--concurrency-limit", "7"] });
    const admin = server.rest;
    const second = (await admin.post("/api_keys", {})).body.token;
    const neighbour = (await keyOfBot(admin)).token;
    const [first, again, others] = (await atOnce(server, [
      { count: 20, key: server.apiKey },
      { count: 20, key: second },
      { count: 3, key: neighbour },
    ])) as [RestAnswer[], RestAnswer[], RestAnswer[]];
    expect([...first, ...again].filter(({ status }) => status === 200)).to.have.length(4);
    const crowded = [...first, ...again].filter(({ status }) => status !== 200);
    await expectCrowded(crowded, ["4 requests of this API key's owner"], () => admin.get("/ip_policies"));
    expect(others.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
  });

  it("requests without a valid key hold at most a quarter of them", async () => {
    const server = await start({ args: ["--concurrency-limit", "8"] });
    for (const key of [undefined, "tpk_nobody-knows-this-one"]) {
      const [invalid, valid] = (await atOnce(server, [
        { count: 20, key },
        { count: 4, key: server.apiKey },
      ])) as [RestAnswer[], RestAnswer[]];
      const refused = invalid.filter(({ status }) => status !== 401);
      expect(refused).to.have.length(20 - 2);
      const admin = server.rest;
      const words = "2 requests without a valid API key";
      await expectCrowded(refused, [words], () => admin.get("/ip_policies"));
      expect(valid.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    }
  });

  it("tests of a destination that never answers hold none, and each owner may wait for eight of them", async () => {
    const silent = await StandInServer.start(() => undefined);
    open.push(silent);
    const server = await start({
      args: ["--allow-private-targets", "--event-endpoint", `monitoring_service=${silent.url}`],
    });
    const admin = server.rest;
    const attacker = (await admin.post("/api_keys", {})).body;
    const neighbour = new Rest(server.url, (await keyOfBot(admin)).token);
    const { id } = (await admin.post("/event_destinations", destination())).body;
    await underAttack(server, async () => {
      const answers: RestAnswer[] = [];
      const attack = new AbortController();
      const tests = Array.from({ length: 64 }, async () => {
        const answer = await fetch(`${server.url}/event_destinations/${id}/test`, {
          method: "POST",
          headers: { authorization: `Bearer ${attacker.token}`, "service-version": "2" },
          signal: attack.signal,
        });
        const text = await answer.text();
        answers.push({ status: answer.status, headers: answer.headers, text, body: JSON.parse(text) });
      });
      const ended = Promise.allSettled(tests);
      while (answers.length < 64 - 8) await sleep(10);
      await expectCrowded(answers, ["8 requests"], () => neighbour.get("/ip_policies"));
      for (let again = 0; again < 20; again++) {
        expect((await neighbour.get("/ip_policies")).status).to.equal(200);
        expect((await admin.post("/ip_policies", {})).status).to.equal(201);
      }
      expect(answers).to.have.length(64 - 8);
      await expectDeletable(server, admin, attacker.id);
      attack.abort();
      await ended;
    });
  });

  it("an admin lists and deletes API keys while the same owner's slots are all taken", async () => {
    const server = await start({ args: ["--concurrency-limit", "1"] });
    const admin = server.rest;
    const attacker = (await admin.post("/api_keys", {})).body;
    let over = false;
    const attack = Array.from({ length: 8 }, async () => {
      const rest = new Rest(server.url, attacker.token);
      while (!over) await rest.post("/ip_policies", {});
    });
    await expectDeletable(server, admin, attacker.id);
    over = true;
    await Promise.all(attack);
  });
});
