import { setTimeout as sleep } from "node:timers/promises";
import { expectRefused } from "../support/api/expect";
import { onOneDatabase, untilTestEnds } from "../support/databases";
import { Rest, type RestAnswer } from "../support/rest";

const limited = { status: 429, code: "TP_1403" };
const statuses = (answers: readonly RestAnswer[]): number[] =>
  [...new Set(answers.map(({ status }) => status))].sort();

onOneDatabase("Limits on requests", (startServer) => {
  const start = untilTestEnds(startServer);
  // One request in a second and ten more in a minute: of 60 at once, most are too many.
  const LOW = ["--rate-limit", "1"];
  const flood = (rest: Rest, headers = {}) =>
    Promise.all(Array.from({ length: 60 }, () => rest.get("/ip_policies", headers)));

  it("refuse a key with too many requests completely, say when to come again, and then accept it; other keys are not affected", async () => {
    const server = await start({ args: [...LOW, "--rate-limit-loopback"] });
    const rest = server.rest;
    const other = new Rest(server.url, (await rest.post("/api_keys", {})).body.token);
    const answers = await Promise.all(Array.from({ length: 60 }, () => rest.post("/ip_policies", {})));
    expect(statuses(answers)).to.deep.equal([201, 429]);
    expect((await other.get("/ip_policies")).status).to.equal(200);
    for (const answer of answers) {
      expect(answer.headers.get("ratelimit-policy")).to.equal('"steady";q=1;w=1, "burst";q=10;w=60');
      expect(answer.headers.get("ratelimit")).to.match(/^"steady";r=\d+;t=\d+$/);
      if (answer.status === 201) continue;
      expectRefused(answer, { ...limited, mentions: ["1 request in a second"] });
      expect(answer.headers.get("retry-after")).to.match(/^[1-9]\d*$/);
    }
    let list = answers.find(({ status }) => status === 429) as RestAnswer;
    while (list.status === 429) {
      await sleep(Number(list.headers.get("retry-after")) * 1000);
      list = await rest.get("/ip_policies");
    }
    expect(list.body.ip_policies).to.have.length(answers.filter(({ status }) => status === 201).length);
  });

  it("do not apply to clients on the same machine, unless they come through a proxy", async () => {
    const { rest } = await start({ args: LOW });
    expect(statuses(await flood(rest))).to.deep.equal([200]);
    expect(statuses(await flood(rest, { "x-forwarded-for": "198.51.100.7" }))).to.deep.equal([200, 429]);
  });

  it("can be switched off", async () => {
    const server = await start({ args: ["--rate-limit", "0", "--rate-limit-loopback"] });
    expect(statuses(await flood(server.rest))).to.deep.equal([200]);
  });

  it("stop an address that guesses keys, and no other, if a trusted proxy names it", async () => {
    const server = await start({ args: ["--trust-proxy", "loopback"] });
    const from = (address: string, key: string) =>
      new Rest(server.url, key).get("/ip_policies", { "x-forwarded-for": address });
    for (const [guesser, neighbour, spelt] of [
      ["198.51.100.7", "198.51.100.8", (port: number) => `198.51.100.7:${port}`],
      ["::ffff:198.51.100.9", "198.51.100.10:443", (port: number) => `[::ffff:c633:6409]:${port}`],
      ["2001:db8:0:1::7", "2001:db8:0:2::7", (port: number) => `[2001:db8:0:1::8]:${port}`],
    ] as const) {
      // Some proxies write the port of each connection behind the address.
      for (let guess = 0; guess < 30; guess++)
        expect(
          (await from(guess % 2 ? guesser : spelt(40_000 + guess), `tpk_guess-${guess}`)).status,
        ).to.equal(401);
      const refused = await from(guesser, "tpk_one-more-guess");
      expectRefused(refused, limited);
      expect(refused.headers.get("retry-after")).to.match(/^[1-9]\d*$/);
      expect((await from(guesser, server.apiKey)).status).to.equal(200); // a valid key at the same address still works
      expect((await from(neighbour, server.apiKey)).status).to.equal(200);
    }
    expect((await from("no address at all", server.apiKey)).status).to.equal(200);
    expectRefused(await from("2001:db8:0:1:ffff::1", "tpk_from-the-same-network"), limited);
  });

  it("do not trust a client's own claim about its address", async () => {
    const server = await start({ args: ["--trust-proxy", "192.0.2.1", "--rate-limit-loopback"] });
    const claiming = (address: string, key: string) =>
      new Rest(server.url, key).get("/ip_policies", { "x-forwarded-for": address });
    await claiming("198.51.100.7", server.apiKey);
    await server.stop();
    expect(server.log).to.contain('"client":"127.0.0.1"').and.not.to.contain("198.51.100.7");
  });
});
