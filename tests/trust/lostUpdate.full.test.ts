import { stale } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import type { RestAnswer } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";

const CLIENTS = 64;
const TURNS = size(4, 1_000);
const OBJECTS = 16; // four clients each: enough that most turns collide, and few enough that they end

onEveryDatabase("Clients that read an object, change it and write it back under If-Match", (start) => {
  let server: ServerProcess;
  before("start a server", async () => {
    server = await start();
  });

  it(`lose no update of each other: ${CLIENTS} clients, ${TURNS} turns each`, async function () {
    this.timeout(LIMIT_MS);
    const rest = server.rest;
    const paths = await Promise.all(
      Array.from(
        { length: OBJECTS },
        async () => `/ip_policies/${(await rest.post("/ip_policies", { metadata: "0" })).body.id}`,
      ),
    );
    const collisions: RestAnswer[] = [];
    const count = async (path: string): Promise<void> => {
      for (;;) {
        const { body, headers } = await rest.get(path);
        const next = String(Number(body.metadata) + 1);
        const answer = await rest.patch(path, { metadata: next }, { "if-match": headers.get("etag") ?? "" });
        if (answer.status === 200) return;
        collisions.push(answer);
      }
    };
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let turn = 0; turn < TURNS; turn++) await count(paths[(client + turn) % OBJECTS] as string);
      }),
    );
    for (const path of paths) {
      const { body, headers } = await rest.get(path);
      const turns = (CLIENTS * TURNS) / OBJECTS;
      expect(body.metadata).to.equal(String(turns));
      expect(headers.get("etag")).to.equal(`"${turns + 1}"`);
    }
    await refusedBeside({
      refused: collisions.map((answer) => async () => answer), // without them nothing was tried
      as: stale,
      allowed: () =>
        rest.patch(paths[0] as string, {}, { "if-match": `"${(CLIENTS * TURNS) / OBJECTS + 1}"` }),
    });
    figure(`${CLIENTS * TURNS} updates, none lost; ${collisions.length} times one got 412 and read again`);
  });
});
