import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { expectRefused, hostport, type Json, missingReference, taken, unique } from "../support/api/expect";
import { execute, onEveryDatabase, rowsIn, sharedPostgres } from "../support/databases";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { Rest, type RestAnswer } from "../support/rest";
import { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";

const named = (key: string) => ({ "idempotency-key": key });
const reused = (key: string) => ({ status: 422, code: "TP_1700", mentions: [key] });
const badHeader = { status: 400, code: "TP_1008", mentions: ["Idempotency-Key"] };

async function countOf(data: string, kind: string): Promise<number> {
  const [row] = (await rowsIn(data, `select count(*) as count from resource where kind = '${kind}'`)) as {
    count: number | string;
  }[];
  return Number(row?.count);
}

/** Repeats a creation with one key until an answer arrives. */
async function untilAnswered(rest: Rest, path: string, body: unknown, key: string): Promise<RestAnswer> {
  for (;;) {
    try {
      return await rest.post(path, body, { ...named(key), connection: "close" });
    } catch {
      // The answer was lost.
    }
  }
}

/**
 * Creations that must happen once, each for another reason: only the key, a unique value, a locked parent, a
 * list.
 */
async function creations(rest: Rest): Promise<{ path: string; body: Json }[]> {
  const edge = (await rest.post("/edges/https", { hostports: [hostport()] })).body.id;
  const destination = (
    await rest.post("/event_destinations", {
      format: "json",
      target: { monitoring_service: { api_key: "k" } },
    })
  ).body;
  const subscription = await rest.post("/event_subscriptions", {
    sources: [{ type: "ip_policy_created.v0" }],
    destination_ids: [destination.id],
  });
  expect(subscription.status, subscription.text).to.equal(201);
  return [
    { path: "/credentials", body: {} },
    { path: "/edges/tls", body: { hostports: [hostport()] } },
    { path: `/edges/https/${edge}/routes`, body: { match_type: "path_prefix", match: `/${unique()}` } },
    { path: `/event_subscriptions/${subscription.body.id}/sources`, body: { type: "ip_policy_deleted.v0" } },
  ];
}

/** Checks that all answers are equal, and that exactly one of them is not marked as replayed. */
function expectOneCreation(answers: readonly RestAnswer[]): void {
  for (const answer of answers) expect(answer.status, answer.text).to.equal(201);
  expect(new Set(answers.map(({ body }) => body.id ?? body.type)).size).to.equal(1);
  expect(new Set(answers.map(({ body }) => body.token)).size).to.equal(1);
  expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).to.have.length(1);
}

onEveryDatabase("An Idempotency-Key", (start, database) => {
  let server: ServerProcess;
  let rest: Rest;
  const serve = async (data: string) => {
    server = await start({ data });
    rest = new Rest(server.url, server.apiKey);
  };
  before("start a server", async () => serve(await database.create()));
  after(() => server.stop());

  it("makes one object per creation, however many answers are lost", async function () {
    this.timeout(LIMIT_MS);
    const count = size(100, 10_000);
    const before = {
      cr: await countOf(server.data, "tunnel_credential"),
      edge: await countOf(server.data, "tls_edge"),
    };
    const fates: Fate[] = ["answered", "answer lost", "cut"];
    let asked = 0;
    const proxy = await LossyProxy.start(server.url, () => fates[asked++ % fates.length] as Fate);
    try {
      const lossy = new Rest(proxy.url, server.apiKey);
      const answers: RestAnswer[] = [];
      let next = 0;
      const client = async () => {
        while (next < count) {
          const [path, body] =
            next++ % 2 ? ["/edges/tls", { hostports: [hostport()] }] : ["/credentials", {}];
          answers.push(await untilAnswered(lossy, path as string, body, randomUUID()));
        }
      };
      await Promise.all(Array.from({ length: 16 }, client));
      for (const answer of answers) expect(answer.status, answer.text).to.equal(201);
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(count);
      const tokens = answers.flatMap(({ body }) => body.token ?? []);
      expect(new Set(tokens).size).to.equal(count / 2);
      expect(await countOf(server.data, "tunnel_credential")).to.equal(before.cr + count / 2);
      expect(await countOf(server.data, "tls_edge")).to.equal(before.edge + count / 2);
      const lost = asked - answers.length;
      expect(lost).to.be.at.least(count);
      figure(`${count} creations, ${lost} answers lost, 0 duplicates`);
    } finally {
      proxy.stop();
    }
  });

  it("of 50 requests at once makes one object, of any kind", async () => {
    for (const { path, body } of await creations(rest)) {
      const key = randomUUID();
      expectOneCreation(
        await Promise.all(Array.from({ length: 50 }, () => rest.post(path, body, named(key)))),
      );
    }
  });

  it("gets the same answer again after the server was killed, with the one-time authtoken", async () => {
    const key = randomUUID();
    const first = await rest.post("/credentials", { description: "mine" }, named(key));
    expect(first.body.token).to.match(/^tpt_/);
    expect(first.headers.has("idempotent-replayed")).to.equal(false);
    await server.stop("SIGKILL");
    await serve(server.data);
    const second = await rest.post("/credentials", { description: "mine" }, named(key));
    expect(second.status).to.equal(201);
    expect(second.headers.get("idempotent-replayed")).to.equal("true");
    expect({ ...second.body, uri: "" }).to.deep.equal({ ...first.body, uri: "" });
    expect(second.headers.get("etag")).to.equal(first.headers.get("etag"));
    // Addresses are those of the server that is asked.
    expect(first.headers.get("location")).to.equal(first.body.uri);
    expect(second.headers.get("location")).to.equal(second.body.uri);
    expect((await rest.get(`/credentials/${first.body.id}`)).body.token).to.equal(null);
  });

  it("makes one object per creation that was in progress when the server was killed", async () => {
    const before = await countOf(server.data, "tunnel_credential");
    const keys = Array.from({ length: 40 }, () => randomUUID());
    const attempts = keys.map((key) => rest.post("/credentials", {}, named(key)).catch(() => undefined));
    await attempts[0];
    await server.stop("SIGKILL");
    const first = await Promise.all(attempts);
    await serve(server.data);
    const second = await Promise.all(keys.map((key) => rest.post("/credentials", {}, named(key))));
    for (const [index, answer] of second.entries()) {
      expect(answer.status, answer.text).to.equal(201);
      const { id, token } = first[index]?.body ?? answer.body;
      expect(answer.body).to.include({ id, token });
    }
    expect(await countOf(server.data, "tunnel_credential")).to.equal(before + keys.length);
  });

  it("gets the first answer again even if the object was changed or deleted since", async () => {
    const key = randomUUID();
    const first = await rest.post("/ip_policies", { description: "first" }, named(key));
    await rest.patch(`/ip_policies/${first.body.id}`, { description: "second" });
    expect((await rest.post("/ip_policies", { description: "first" }, named(key))).body).to.deep.equal(
      first.body,
    );
    await rest.delete(`/ip_policies/${first.body.id}`);
    expect((await rest.post("/ip_policies", { description: "first" }, named(key))).body).to.deep.equal(
      first.body,
    );
    expect((await rest.get(`/ip_policies/${first.body.id}`)).status).to.equal(404);
  });

  it("is separate for each owner", async () => {
    const bot = (await rest.post("/bot_users", { name: "ci" })).body;
    const { token } = (await rest.post("/api_keys", { owner_id: bot.id })).body;
    const key = randomUUID();
    const [mine, theirs] = [
      await rest.post("/credentials", {}, named(key)),
      await new Rest(server.url, token).post("/credentials", {}, named(key)),
    ];
    expect([mine.status, theirs.status]).to.deep.equal([201, 201]);
    expect(theirs.headers.has("idempotent-replayed")).to.equal(false);
    expect(theirs.body.id).not.to.equal(mine.body.id);
    expect(theirs.body.owner_id).to.equal(bot.id);
    const differing = await new Rest(server.url, token).post(
      "/credentials",
      { description: "another" },
      named(key),
    );
    expectRefused(differing, reused(key));
  });

  it("is refused with another request, and nothing changes", async () => {
    const key = randomUUID();
    await rest.post("/ip_policies", { description: "first" }, named(key));
    const before = [await countOf(server.data, "ip_policy"), await countOf(server.data, "tunnel_credential")];
    expectRefused(await rest.post("/ip_policies", { description: "another" }, named(key)), reused(key));
    expectRefused(await rest.post("/ip_policies", {}, named(key)), reused(key));
    expectRefused(await rest.post("/credentials", { description: "first" }, named(key)), reused(key));
    expect([
      await countOf(server.data, "ip_policy"),
      await countOf(server.data, "tunnel_credential"),
    ]).to.deep.equal(before);
  });

  it("is refused if it is empty, too long, or has spaces or non-ASCII characters", async () => {
    const before = await countOf(server.data, "ip_policy");
    for (const key of ["", " ", "two words", "k".repeat(256), "ä", "a\tb"]) {
      expectRefused(await rest.post("/ip_policies", {}, named(key)), badHeader);
    }
    expect(await countOf(server.data, "ip_policy")).to.equal(before);
    expect((await rest.post("/ip_policies", {}, named("k".repeat(255)))).status).to.equal(201);
  });

  it("is not used up by a refused request or a dry run", async () => {
    const key = randomUUID();
    const port = hostport();
    const holder = (await rest.post("/edges/tls", { hostports: [port] })).body.id;
    const missing = { hostports: [hostport()], backend: { backend_id: `bkdtg_${"0".repeat(27)}` } };
    expect((await rest.post("/edges/tls", { hostports: 1 }, named(key))).status).to.equal(400);
    expectRefused(await rest.post("/edges/tls", missing, named(key)), missingReference("backend.backend_id"));
    expectRefused(await rest.post("/edges/tls", { hostports: [port] }, named(key)), taken("hostports[0]"));
    await rest.delete(`/edges/tls/${holder}`);
    expect((await rest.post("/edges/tls?dry_run=true", { hostports: [port] }, named(key))).status).to.equal(
      201,
    );
    const answer = await rest.post("/edges/tls", { hostports: [port] }, named(key));
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers.has("idempotent-replayed")).to.equal(false);
  });

  it("may be used for another request after a day", async () => {
    const key = randomUUID();
    const first = await rest.post("/ip_policies", {}, named(key));
    await execute(
      server.data,
      `update idempotency_key set created_at = '2020-01-01T00:00:00.000Z' where key = '${key}'`,
    );
    const second = await rest.post("/ip_policies", { description: "another" }, named(key));
    expect(second.status, second.text).to.equal(201);
    expect(second.body.id).not.to.equal(first.body.id);
    expect((await rest.post("/ip_policies", { description: "another" }, named(key))).body.id).to.equal(
      second.body.id,
    );
  });
});

describe("On PostgreSQL with two servers: an Idempotency-Key", () => {
  let servers: ServerProcess[];
  let rests: Rest[];
  before("start two servers on one database", async () => {
    const data = await (await sharedPostgres()).newDatabase();
    servers = [await ServerProcess.start({ data }), await ServerProcess.start({ data })];
    rests = servers.map((server) => new Rest(server.url, server.apiKey));
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });

  it("of 50 requests at once, spread over both, makes one object, of any kind", async () => {
    for (const { path, body } of await creations(rests[0] as Rest)) {
      const key = randomUUID();
      expectOneCreation(
        await Promise.all(
          Array.from({ length: 50 }, (_, index) => (rests[index % 2] as Rest).post(path, body, named(key))),
        ),
      );
    }
  });
});
