import { expect } from "chai";
import { onOneDatabase, untilTestEnds } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import { Rest } from "../../support/rest";

const limited = { status: 429, code: "TP_1403" };
const SLIPS = 30;

onOneDatabase("Wrong keys", (startServer) => {
  const start = untilTestEnds(startServer);

  const addressOf = async () => {
    const server = await start({ args: ["--rate-limit-loopback"] });
    const get = (key: string) => new Rest(server.url, key).get("/ip_policies");
    /** These keys are slowed down, and a valid one is not. */
    const slowsDown = async (keys: string[], valid: string) => {
      const { refused } = await refusedBeside({
        refused: keys.map((key) => () => get(key)),
        as: limited,
        allowed: () => get(valid),
      });
      for (const { headers } of refused) expect(headers.get("retry-after")).to.match(/^[1-9]\d*$/);
    };
    return { server, get, slowsDown };
  };

  it("that are repeated are slowed down, and do not lock out valid keys of the same address", async () => {
    const { server, get, slowsDown } = await addressOf();
    const admin = new Rest(server.url, server.apiKey);
    const { id, token } = (await admin.post("/api_keys", {})).body;
    const other = (await admin.post("/api_keys", {})).body.token;
    await admin.delete(`/api_keys/${id}`);
    for (let slip = 0; slip < SLIPS; slip++) expect((await get(token)).status).to.equal(401);
    for (const valid of [server.apiKey, other]) await slowsDown([token], valid);
    expect((await get("tpk_another-stale-one")).status).to.equal(401);
  });

  it("that are guessed are slowed down per address, and do not lock out valid keys there", async () => {
    const { server, get, slowsDown } = await addressOf();
    const token = (await new Rest(server.url, server.apiKey).post("/api_keys", {})).body.token;
    for (let guess = 0; guess < SLIPS; guess++)
      expect((await get(`tpk_guess-${guess}`)).status).to.equal(401);
    const further = Array.from({ length: SLIPS }, (_, guess) => `tpk_further-guess-${guess}`);
    for (const valid of [server.apiKey, token]) await slowsDown(further, valid);
  });
});
