import { setTimeout as sleep } from "node:timers/promises";
import { untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";
import { FAST_CLOCK, ServerProcess, type StartOptions } from "../../support/server";
import { expectServed, underAttack } from "../../support/underAttack";
import { largeBackend } from "./largeObjects";
import { SilentReader } from "./silentReader";

const PATH = "/backends/http_response";
const UNREAD_MS = 30_000 / 3; // on the fast clock
const MIB = 1024 * 1024;

describe("Clients that do not read their answers", () => {
  const start = untilTestEnds(ServerProcess.start);
  const readers: SilentReader[] = [];
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  const serverWithLargeObjects = async (options?: StartOptions) => {
    const server = await start(options);
    const admin = server.rest;
    for (let made = 0; made < 8; made++) expect((await admin.post(PATH, largeBackend)).status).to.equal(201);
    const attacker = (await admin.post("/api_keys", {})).body;
    return { server, admin, attacker };
  };

  it("hold no slot and only their share of memory, and an admin can delete their key meanwhile", async () => {
    const { server, admin, attacker } = await serverWithLargeObjects();
    await underAttack(server, async () => {
      for (let count = 0; count < 64; count++)
        readers.push(await SilentReader.get(server.url, `${PATH}?limit=8`, attacker.token));
      await server.logged("too much waits to be read");
      for (let again = 0; again < 20; again++) {
        const answer = await admin.get("/ip_policies");
        expect(answer.status, answer.text).to.equal(200);
      }
      await expectServed(server, async () => {
        expect((await admin.get("/api_keys")).status).to.equal(200);
        expect((await admin.delete(`/api_keys/${attacker.id}`)).status).to.equal(204);
      });
    });
  });

  it("are cut off after 30 seconds, while slow readers get the whole answer", async () => {
    const { server, attacker } = await serverWithLargeObjects({ env: FAST_CLOCK });
    const begun = performance.now();
    const silent = await SilentReader.get(server.url, `${PATH}?limit=8`, attacker.token);
    const page = await new Rest(server.url, attacker.token).get(`${PATH}?limit=8`);
    const slow = await fetch(`${server.url}${PATH}?limit=8`, {
      headers: { authorization: `Bearer ${attacker.token}`, "service-version": "2" },
    });
    let read = 0;
    const reading = (async () => {
      for await (const chunk of slow.body as unknown as AsyncIterable<Uint8Array>) {
        read += chunk.length;
        await sleep(Math.min(500, (UNREAD_MS * 1.5 * chunk.length) / page.text.length));
      }
    })();
    await server.logged("not read for 30 s");
    expect(performance.now() - begun).to.be.at.least(UNREAD_MS);
    expect(await silent.readToTheEnd()).to.be.below(page.text.length);
    await reading;
    expect(read)
      .to.equal(Buffer.byteLength(page.text))
      .and.to.be.greaterThan(6 * MIB);
  });
});
