import { setTimeout as sleep } from "node:timers/promises";
import { overloaded } from "../../support/api/expect";
import { untilTestEnds } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import { Rest, type RestAnswer } from "../../support/rest";
import { ServerProcess } from "../../support/server";
import { expectServed, underAttack } from "../../support/underAttack";

const AT_ONCE = 8;
// Almost a MiB of expressions, each of almost 4 KiB, which take long to read.
const RULE = { expressions: Array(25).fill(`${"(a)&&".repeat(800)}a`), actions: [{ type: "deny" }] };
const isServed = ({ status }: RestAnswer) => status === 200;
const isRefused = ({ status }: RestAnswer) => status !== 200;
// On a slow machine, bodies that were let wait are refused too, when their turn has not come after 5 s.
const isOneTooMany = ({ text }: RestAnswer) => text.includes("4 MiB of bodies of this API key's owner");
const LARGE = JSON.stringify({ inbound: Array(10).fill(RULE) });

describe("Bodies whose validation takes long", () => {
  const start = untilTestEnds(ServerProcess.start);
  const serverAndMember = async () => {
    const server = await start();
    const admin = server.rest;
    const edge = (await admin.post("/edges/https", {})).body;
    const route = (await admin.post(`${edge.uri}/routes`, { match_type: "exact_path", match: "/" })).body;
    const bot = (await admin.post("/bot_users", { name: "attacker" })).body;
    const { token } = (await admin.post("/api_keys", { owner_id: bot.id })).body;
    const member = new Rest(server.url, token);
    return { server, admin, send: () => member.put(`${route.uri}/policies?dry_run=true`, LARGE) };
  };

  /** Keeps sending until the work is done. */
  async function whileSending(
    server: ServerProcess,
    send: () => Promise<RestAnswer>,
    work: () => Promise<void>,
  ): Promise<RestAnswer[]> {
    let isOver = false;
    const answers: RestAnswer[] = [];
    const senders = Array.from({ length: AT_ONCE }, async () => {
      while (!isOver) answers.push(await send());
    });
    await underAttack(server, async () => {
      try {
        // Until some were validated, and too many waited for that.
        for (const isOne of [isServed, isOneTooMany]) while (!answers.some(isOne)) await sleep(20);
        await work();
      } finally {
        isOver = true;
        await Promise.all(senders);
      }
    });
    return answers;
  }

  it("delay only requests of their owner, of whose bodies at most 4 MiB wait", async () => {
    const { server, admin, send } = await serverAndMember();
    const answers = await whileSending(server, send, async () => {
      for (let again = 0; again < 3; again++) {
        await expectServed(server, async () => {
          const made = await admin.post("/ip_policies", {
            description: "x".repeat(200),
            metadata: "y".repeat(800),
          });
          expect(made.status, made.text).to.equal(201);
        });
      }
    });
    const { refused } = await refusedBeside({
      refused: answers.filter(isRefused).map((answer) => async () => answer),
      as: overloaded,
      allowed: send, // the owner is served again afterwards
    });
    for (const answer of refused) {
      expect(answer.headers.get("retry-after")).to.equal("1");
      if (!isOneTooMany(answer)) expect(answer.text).to.contain("waited 5 s for its turn");
    }
  });
});
