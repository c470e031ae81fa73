import { registry } from "@tunnelplane/sdk/contract";
import type { AuditEventRow } from "../../server/src/storage/schema";
import { hostport, type Json, notFound, unique, unknownId } from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { onEveryDatabase, rowsIn } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import type { Rest, RestAnswer } from "../support/rest";
import { run, type ServerProcess } from "../support/server";
import { auditRows } from "./auditRows";

onEveryDatabase("In the audit log", (start, database) => {
  let server: ServerProcess;
  let rest: Rest;
  before("start a server", async () => {
    server = await start({ data: await database.create() });
    rest = server.rest;
  });

  const count = async () => (await auditRows(server.data)).length;
  const eventCount = async () => (await rowsIn(server.data, "select id from event")).length;
  /** The rows that some requests add; each has an event, and the last is what the API lists first. */
  const added = async (work: () => Promise<unknown>): Promise<AuditEventRow[]> => {
    const [rows, events] = [await count(), await eventCount()];
    await work();
    const all = await auditRows(server.data);
    const events_ = (await rowsIn(server.data, "select id, sequence, object_id, type from event")) as Json[];
    const news = all.slice(rows);
    expect(events_.length - events).to.equal(news.length);
    for (const row of news) {
      const matching = events_.filter(({ sequence }) => Number(sequence) === row.sequence);
      expect(matching).to.have.length(1);
      expect(matching[0]).to.include({
        id: row.event_id,
        object_id: row.object_id,
        type: `${row.action}.v0`,
      });
    }
    return news;
  };

  for (const type of TYPES) {
    it(`the creation, update and deletion of ${type.name} is one row each, with who did it, and one event`, async () => {
      const body = await type.body(rest); // makes what it refers to
      let path = type.path;
      if (path.includes("{edge_id}"))
        path = path.replace(
          "{edge_id}",
          (await rest.post("/edges/https", { hostports: [hostport()] })).body.id,
        );
      let answers: RestAnswer[] = [];
      const rows = await added(async () => {
        const made = await rest.post(path, body);
        const one = `${path}/${made.body.id}`;
        answers = [made, await rest.patch(one, { description: "another" }), await rest.delete(one)];
      });
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 200, 204]);
      const subject = registry.find(({ idPrefix }) => idPrefix === type.prefix)?.subject;
      expect(rows.map(({ action }) => action)).to.deep.equal(
        ["created", "updated", "deleted"].map((change) => `${subject}_${change}`),
      );
      const [me] = (await rest.get("/api_keys")).body.keys.slice(-1);
      for (const [index, row] of rows.entries()) {
        expect(row).to.include({
          ...{ object_id: answers[0]?.body.id, principal_id: me.owner_id, key_id: me.id },
          client: "127.0.0.1",
        });
        expect(row.operation_id).to.equal(answers[index]?.headers.get("x-request-id"));
      }
      expect(rows.map(({ changed }) => JSON.parse(changed))).to.deep.equal([[], ["description"], []]);
    });
  }

  it("refused requests, dry runs and empty changes leave no row and no event", async () => {
    const port = hostport();
    const edge = (await rest.post("/edges/tls", { hostports: [port] })).body;
    const policy = (await rest.post("/ip_policies", {})).body;
    await rest.put(`/edges/tls/${edge.id}/ip_restriction`, { ip_policy_ids: [policy.id] });
    const attempts: [number, () => Promise<RestAnswer>][] = [
      [400, () => rest.post("/edges/tls", { hostports: "x" })],
      [400, () => rest.patch(`/edges/tls/${edge.id}`, { backend: { backend_id: unknownId("bkdtg") } })],
      [401, () => rest.post("/ip_policies", {}, { authorization: "Bearer nobody" })],
      [404, () => rest.delete(`/ip_policies/${unknownId("ipp")}`)],
      [409, () => rest.post("/edges/tls", { hostports: [port] })],
      [409, () => rest.delete(`/ip_policies/${policy.id}`)],
      [412, () => rest.patch(`/edges/tls/${edge.id}`, { description: "x" }, { "if-match": '"99"' })],
      [201, () => rest.post("/edges/tls?dry_run=true", { hostports: [hostport()] })],
      [200, () => rest.patch(`/edges/tls/${edge.id}?dry_run=true`, { description: "x" })],
      [200, () => rest.put(`/edges/tls/${edge.id}/tls_termination?dry_run=true`, { terminate_at: "edge" })],
      [204, () => rest.delete(`/edges/tls/${edge.id}?dry_run=true`)],
      [200, () => rest.patch(`/edges/tls/${edge.id}`, { description: "" })],
      [204, () => rest.delete(`/edges/tls/${edge.id}/backend`)],
    ];
    const rows = await added(async () => {
      for (const [status, attempt] of attempts) {
        const answer = await attempt();
        expect(answer.status, answer.text).to.equal(status);
      }
    });
    expect(rows).to.deep.equal([]);
  });

  it("a change that is repeated with its Idempotency-Key has one row", async () => {
    const key = { "idempotency-key": unique() };
    const rows = await added(() =>
      Promise.all(Array.from({ length: 10 }, () => rest.post("/ip_policies", {}, key))),
    );
    expect(rows).to.have.length(1);
  });

  it("rows are listed by the API, newest first, page by page", async () => {
    const listed: Json[] = [];
    for (let next = "/audit_events?limit=7"; next; ) {
      const { status, body } = await rest.get(next);
      expect(status).to.equal(200);
      listed.push(...body.audit_events);
      next = body.next_page_uri;
    }
    const { projects } = (await rest.get("/projects")).body;
    // A project that is gone is named by its id.
    const nameOf = (id: string | null) => projects.find((one: Json) => one.id === id)?.name ?? id;
    const stored = (await auditRows(server.data)).reverse();
    expect(listed).to.deep.equal(
      stored.map(({ sequence, changed, project_id, ...row }) => ({
        id: `au_${sequence}`,
        ...row,
        project: nameOf(project_id),
        changed: JSON.parse(changed),
      })),
    );
    const { allowed } = await refusedBeside({
      refused: () => rest.get("/audit_events?limit=7&project=unknown"),
      as: notFound,
      allowed: () => rest.get("/audit_events?limit=7&project=default"),
    });
    expect(allowed.body.audit_events).to.deep.equal(listed.slice(0, 7));
    const event = (await rest.get("/events?limit=1")).body.events[0];
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      expect((await rest.request(method, "/audit_events", {})).status).to.equal(405);
      expect((await rest.request(method, `/events/${event.event_id}`, {})).status).to.equal(405);
    }
  });

  it("verify succeeds at every moment while 20 writers write", async () => {
    let working = true;
    const writer = async (): Promise<number> => {
      let changes = 0;
      while (working) {
        const { id } = (await rest.post("/ip_policies", {})).body;
        await rest.patch(`/ip_policies/${id}`, { description: "x" });
        changes += 2;
      }
      return changes;
    };
    const before = await count();
    const writers = Promise.all(Array.from({ length: 20 }, writer));
    try {
      for (let turn = 0; turn < 3; turn++) {
        const { code, err } = await run(server.data, "audit", "verify");
        expect(code, err).to.equal(0);
      }
    } finally {
      working = false;
    }
    const changes = (await writers).reduce((sum, one) => sum + one);
    expect(await count()).to.equal(before + changes);
    const { code, out, err } = await run(server.data, "audit", "verify");
    expect(code, err).to.equal(0);
    expect(out).to.include(`${before + changes} rows`);
  });
});
