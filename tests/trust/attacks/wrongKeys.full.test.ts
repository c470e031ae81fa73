import { expect } from "chai";
import { expectRefused } from "../../support/api/expect";
import { onOneDatabase, untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";

const limited = { status: 429, code: "TP_1403" };
const SLIPS = 30;

onOneDatabase("Wrong keys", (startServer) => {
  const start = untilTestEnds(startServer);

  const addressOf = async () => {
    const server = await start({ args: ["--rate-limit-loopback"] });
    return { server, get: (key: string) => new Rest(server.url, key).get("/ip_policies") };
  };

  it("that are repeated are slowed down, and do not lock out valid keys of the same address", async () => {
    const { server, get } = await addressOf();
    const admin = new Rest(server.url, server.apiKey);
    const { id, token } = (await admin.post("/api_keys", {})).body;
    const other = (await admin.post("/api_keys", {})).body.token;
    await admin.delete(`/api_keys/${id}`);
    for (let slip = 0; slip < SLIPS; slip++) expect((await get(token)).status).to.equal(401);
    const refused = await get(token);
    expectRefused(refused, limited);
    expect(refused.headers.get("retry-after")).to.match(/^[1-9]\d*$/);
    for (const valid of [server.apiKey, other]) expect((await get(valid)).status).to.equal(200);
    expect((await get("tpk_another-stale-one")).status).to.equal(401);
  });

  it("that are guessed are slowed down per address, and do not lock out valid keys there", async () => {
    const { server, get } = await addressOf();
    const token = (await new Rest(server.url, server.apiKey).post("/api_keys", {})).body.token;
    for (let guess = 0; guess < SLIPS; guess++)
      expect((await get(`tpk_guess-${guess}`)).status).to.equal(401);
    for (let guess = 0; guess < SLIPS; guess++) {
      const refused = await get(`tpk_further-guess-${guess}`);
      expectRefused(refused, limited);
      expect(refused.headers.get("retry-after")).to.match(/^[1-9]\d*$/);
    }
    for (const valid of [server.apiKey, token]) expect((await get(valid)).status).to.equal(200);
  });
});
