import { randomInt, randomUUID } from "node:crypto";
import { Tunnelplane } from "@tunnelplane/sdk";
import { hostport, type Json, missingReference, taken, unique } from "../support/api/expect";
import { countIn, execute, onEveryDatabase } from "../support/databases";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { refusedBeside } from "../support/refusal";
import type { Rest, RestAnswer } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";

const named = (key: string) => ({ "idempotency-key": key });
const reused = (key: string) => ({ status: 422, code: "TP_1700", mentions: [key] });
const badHeader = { status: 400, code: "TP_1008", mentions: ["Idempotency-Key"] };
const countOf = (data: string, kind: string) => countIn(data, "resource", `kind = '${kind}'`);

/** Creations that must happen once: for the key alone, a unique value, a locked parent, a list. */
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
    rest = server.rest;
  };
  before("start a server", async () => serve(await database.create()));

  it("makes one object per creation of the client, however many requests and answers are lost", async function () {
    this.timeout(LIMIT_MS);
    const count = size(100, 10_000);
    const kinds = ["tunnel_credential", "tls_edge"];
    const stored = () => Promise.all(kinds.map((kind) => countOf(server.data, kind)));
    const before = await stored();
    const fates: Fate[] = ["lost", "answer lost", "answer cut", "cut"];
    const triesOf = new Map<unknown, number>();
    let lost = 0;
    const proxy = await LossyProxy.start(server.url, ({ headers }) => {
      const key = headers["idempotency-key"];
      const tries = (triesOf.get(key) ?? 0) + 1;
      triesOf.set(key, tries);
      return tries <= 2 && randomInt(3) === 0 ? (fates[lost++ % fates.length] as Fate) : "answered";
    });
    const api = new Tunnelplane({ baseUrl: proxy.url, apiKey: server.apiKey });
    try {
      const [ids, tokens] = [new Set<string>(), new Set<string>()];
      let next = 0;
      const work = async () => {
        while (next < count)
          if (next++ % 2) ids.add((await api.tlsEdges.create({ hostports: [hostport()] })).id);
          else {
            const { id, token } = await api.tunnelCredentials.create({});
            ids.add(id);
            tokens.add(token ?? "");
          }
      };
      await Promise.all(Array.from({ length: 16 }, work));
      expect([ids.size, tokens.size, tokens.has("")]).to.deep.equal([count, count / 2, false]);
      expect(await stored()).to.deep.equal(before.map((number) => number + count / 2));
      expect(lost).to.be.greaterThan(count / 10);
      figure(`${count} creations, ${lost} requests or answers lost, 0 duplicates`);
    } finally {
      await api.close();
    }
  });

  it("of 50 requests at once makes one object, of any kind, on PostgreSQL at two servers", async () => {
    const second = database.name === "PostgreSQL" ? await start({ data: server.data }) : undefined;
    const rests = [rest, second ? second.rest : rest];
    for (const { path, body } of await creations(rest)) {
      const key = randomUUID();
      const send = (_: unknown, index: number) => (rests[index % 2] as Rest).post(path, body, named(key));
      expectOneCreation(await Promise.all(Array.from({ length: 50 }, send)));
    }
  });

  it("makes one more object after the one that the request names, however many requests name it", async () => {
    const key = randomUUID();
    const create = (after?: string) =>
      rest.post("/ip_policies", {}, { ...named(key), ...(after && { "idempotency-key-after": after }) });
    const first = (await create()).body.id;
    const again = await Promise.all(Array.from({ length: 20 }, () => create(first)));
    expectOneCreation(again);
    const second = again[0]?.body.id;
    expect(second).not.to.equal(first);
    // One that was late, of before or of an object that another key created, makes nothing.
    for (const late of [undefined, first, `ipp_${"0".repeat(27)}`])
      expect((await create(late)).body.id).to.equal(second);
    await refusedBeside({
      refused: () => create("two words"),
      as: { ...badHeader, mentions: ["Idempotency-Key-After"] },
      allowed: () => create(second),
    });
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
    const create = () => rest.post("/ip_policies", { description: "first" }, named(key));
    const first = await create();
    const path = `/ip_policies/${first.body.id}`;
    await rest.patch(path, { description: "second" });
    expect((await create()).body).to.deep.equal(first.body);
    await rest.delete(path);
    await refusedBeside({ refused: () => rest.get(path), as: 404, allowed: create });
    expect((await create()).body).to.deep.equal(first.body);
  });

  it("is separate for each owner", async () => {
    const bot = (await rest.post("/bot_users", { name: "ci" })).body;
    const { token } = (await rest.post("/api_keys", { owner_id: bot.id })).body;
    const key = randomUUID();
    const create = (by: Rest, body: object) => () => by.post("/credentials", body, named(key));
    const mine = await create(rest, {})();
    const { allowed: theirs } = await refusedBeside({
      refused: create(rest.as(token), { description: "another" }),
      as: reused(key),
      allowed: create(rest.as(token), {}),
    });
    expect([mine.status, theirs.status]).to.deep.equal([201, 201]);
    expect(theirs.headers.has("idempotent-replayed")).to.equal(false);
    expect(theirs.body.id).not.to.equal(mine.body.id);
    expect(theirs.body.owner_id).to.equal(bot.id);
  });

  it("is refused with another request, and if it is empty, too long, or has spaces or non-ASCII characters; nothing changes", async () => {
    const key = randomUUID();
    const create =
      (body: object, as: string, path = "/ip_policies") =>
      () =>
        rest.post(path, body, named(as));
    await create({ description: "first" }, key)();
    const counts = async () => [
      await countOf(server.data, "ip_policy"),
      await countOf(server.data, "tunnel_credential"),
    ];
    const before = await counts();
    await refusedBeside({
      refused: [
        create({ description: "another" }, key),
        create({}, key),
        create({ description: "first" }, key, "/credentials"),
      ],
      as: reused(key),
      allowed: create({ description: "first" }, key),
    });
    expect(await counts()).to.deep.equal(before);
    await refusedBeside({
      refused: ["", " ", "two words", "k".repeat(256), "ä", "a\tb"].map((wrong) => create({}, wrong)),
      as: badHeader,
      allowed: create({}, "k".repeat(255)),
    });
    expect(await counts()).to.deep.equal([(before[0] ?? 0) + 1, before[1]]);
  });

  it("is not used up by a refused request or a dry run", async () => {
    const key = randomUUID();
    const port = hostport();
    const holder = (await rest.post("/edges/tls", { hostports: [port] })).body.id;
    const create = (body: object, path = "/edges/tls") => rest.post(path, body, named(key));
    const missing = { hostports: [hostport()], backend: { backend_id: `bkdtg_${"0".repeat(27)}` } };
    expect((await create({ hostports: 1 })).status).to.equal(400);
    const refused = [await create(missing), await create({ hostports: [port] })];
    await rest.delete(`/edges/tls/${holder}`);
    expect((await create({ hostports: [port] }, "/edges/tls?dry_run=true")).status).to.equal(201);
    for (const [index, as] of [missingReference("backend.backend_id"), taken("hostports[0]")].entries()) {
      const { allowed } = await refusedBeside({
        refused: async () => refused[index] as RestAnswer,
        as,
        allowed: () => create({ hostports: [port] }),
      });
      expect(allowed.headers.has("idempotent-replayed")).to.equal(index > 0);
    }
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
