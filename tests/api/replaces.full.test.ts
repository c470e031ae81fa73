import { holdsUniqueValues, registry, waits } from "@tunnelplane/sdk/contract";
import { apiOnEveryDatabase, expectRefused, hostport, type Json, unknownId } from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { refusedBeside } from "../support/refusal";

apiOnEveryDatabase("An object in the place of another that holds a unique value", (server) => {
  const post = (path: string, body: Json, query = "", headers = {}) =>
    server.rest.post(`${path}${query}`, body, headers);
  const deleted = async ({ uri }: Json, query = "") =>
    expect((await server.rest.delete(`${uri}${query}`)).status).to.equal(204);
  const replacing = async (path: string, body: Json, { id }: Json): Promise<Json> => {
    const answer = await post(path, body, `?replaces=${id}`);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };

  for (const definition of registry.filter(holdsUniqueValues)) {
    const { idPrefix, path, title } = definition;
    const type = TYPES.find(({ prefix }) => prefix === idPrefix);
    if (!type) throw new Error(`No resource type has the prefix ${idPrefix}`);
    const isWaiting = waits(definition);

    it(`${isWaiting ? "waits for" : "has"} it (${title}); the old one is answered unchanged, and deleting the new one first gives it back`, async () => {
      const body = await type.body(server.rest);
      const old = await server.created(path, body);
      const before = await server.read(old.uri);
      const { allowed: rehearsed } = await refusedBeside({
        refused: () => post(path, body),
        as: 409,
        allowed: () => post(path, body, `?replaces=${old.id}&dry_run=true`),
      });
      expect(rehearsed.status).to.equal(201);
      const key = { "idempotency-key": `replaces-${idPrefix}` };
      const { body: made } = await post(path, body, `?replaces=${old.id}`, key);
      const again = await post(path, body, `?replaces=${old.id}`, key);
      expect([again.body.id, again.headers.get("idempotent-replayed")]).to.deep.equal([made.id, "true"]);
      expect(await server.read(old.uri)).to.deep.equal(before);
      if (isWaiting) expect(made.waits_for).to.deep.equal({ id: old.id, uri: old.uri });
      expectRefused(await post(path, body, `?replaces=${old.id}`), {
        status: 409,
        code: "TP_1501",
        field: "replaces",
        mentions: [made.id],
      });
      const holder = isWaiting ? old : made;
      expectRefused(await post(path, body), { status: 409, code: "TP_1501", mentions: [String(holder.id)] });
      // The new one first: it was no good.
      await deleted(made);
      expectRefused(await post(path, body), { status: 409, code: "TP_1501", mentions: [String(old.id)] });
      // The old one first: it is replaced, and may be replaced again.
      const second = await replacing(path, body, old);
      await deleted(old);
      expectRefused(await post(path, body), { status: 409, code: "TP_1501", mentions: [String(second.id)] });
      const third = await replacing(path, body, second);
      await deleted(second);
      const last = await server.read(String(third.uri));
      expect(last.id).to.equal(third.id);
      if (isWaiting) expect(last.waits_for).to.equal(null);
    });

    it(`is refused where there is no such ${title}, also one of another kind`, async () => {
      const body = await type.body(server.rest);
      const { id } = await server.created(path, body);
      const other = await server.created("/backends/http_response", { body: "" });
      for (const wrong of [unknownId(idPrefix), other.id, "", "nothing"])
        expectRefused(await post(path, body, `?replaces=${wrong}`), {
          status: 400,
          code: "TP_1007",
          field: "replaces",
        });
      expect((await post(path, body, `?replaces=${id}`)).status).to.equal(201);
    });

    if (!isWaiting) continue;

    it(`waits for the one that serves, whichever of several goes first, and is deleted with it if that is asked for (${title})`, async () => {
      const body = await type.body(server.rest);
      const first = await server.created(path, body);
      const second = await replacing(path, body, first);
      const third = await replacing(path, body, second);
      await deleted(second);
      const { waits_for } = await server.read(String(third.uri));
      expect(waits_for.id).to.equal(first.id);
      const fourth = await replacing(path, body, third);
      await deleted(first, "?with_replacement=true");
      for (const { uri } of [first, third, fourth])
        expect((await server.rest.get(String(uri))).status).to.equal(404);
      expect((await post(path, body)).status).to.equal(201);
    });
  }

  const outcome = async (address: string): Promise<string> => {
    const { text, body } = await server.rest.post("/exposure/decisions", {
      requests: [{ address, from: "203.0.113.1", path: "/", user_agent: "curl/8" }],
    });
    expect(body.decisions, text).to.have.length(1);
    return body.decisions[0].outcome;
  };

  it("serves nothing before the old one is deleted, which keeps its routes and modules; then it serves all of its own at once", async () => {
    const [shared, added] = [hostport(), hostport()];
    const route = { match_type: "path_prefix", match: "/" };
    const backend = await server.created("/backends/http_response", { body: "" });
    const open = { backend: { backend_id: backend.id } };
    const closed = { user_agent_filter: { enabled: true, deny: [".*"] }, ...open };
    const old = await server.created("/edges/https", { hostports: [shared] });
    const oldRoute = await server.created(`/edges/https/${old.id}/routes`, { ...route, ...closed });
    const before = await outcome(shared);
    const made = await replacing("/edges/https", { hostports: [shared] }, old);
    const madeRoute = await server.created(`/edges/https/${made.id}/routes`, { ...route, ...open });
    expect(await outcome(shared)).to.equal(before);
    const { exposure } = await server.read("/exposure");
    const { notes } = exposure.find(({ address }: Json) => address === `${shared}/`);
    expect(notes.join()).to.include(`(${made.id}) waits for this one, and takes over as soon as`);
    // The old one gives up a hostport that the new one wants, and the new one wants another.
    const patched = await server.rest.patch(String(made.uri), { hostports: [shared, added] });
    expect(patched.status, patched.text).to.equal(200);
    const changed = (body: Json, { uri } = oldRoute) => server.rest.patch(uri, body);
    const keptOut = { status: 409, code: "TP_1506", mentions: [String(made.id)] };
    const off = { user_agent_filter: { enabled: false, deny: [".*"] } };
    await refusedBeside({
      refused: [
        () => server.rest.delete(oldRoute.uri),
        () => server.rest.delete(`${oldRoute.uri}/user_agent_filter`),
        () => server.rest.patch(`${oldRoute.uri}?remove=user_agent_filter`, {}),
        () => server.rest.put(`${oldRoute.uri}/user_agent_filter`, { enabled: true, deny: [] }),
        ...[off, { match: "/other" }, { match_type: "exact_path" }].map((body) => () => changed(body)),
      ],
      as: keptOut,
      allowed: () => server.rest.delete(`${madeRoute.uri}/compression`),
    });
    const unchanged = { ...closed, description: "old", compression: { enabled: true } };
    await refusedBeside({
      ...{ refused: () => changed({ ...unchanged, ...off }), as: keptOut },
      allowed: () => changed(unchanged),
    });
    expect((await server.rest.patch(old.uri, { hostports: [hostport()] })).status).to.equal(200);
    expectRefused(await post("/edges/tls", { hostports: [shared] }), {
      status: 409,
      code: "TP_1501",
      mentions: [String(made.id)],
    });
    await deleted(old);
    for (const address of [shared, added]) expect(await outcome(address)).to.equal("answered");
    const { body } = await server.rest.get(`/events?object_id=${made.id}&limit=1`);
    expect(body.events[0].changes.map(({ path }: Json) => path)).to.deep.equal(["waits_for"]);
  });

  it("is judged by guarantees when it takes over, and stays behind the old one where they refuse that", async () => {
    const served = hostport();
    const authority = (await TYPES.find(({ prefix }) => prefix === "ca")?.body(server.rest)) ?? {};
    const ca = await server.created("/certificate_authorities", authority);
    const guarded = { mutual_tls: { certificate_authority_ids: [ca.id] } };
    const old = await server.created("/edges/tls", { hostports: [served], ...guarded });
    await server.created("/guarantees", {
      expect: "refused",
      addresses: [served],
      client_certificate: "none",
    });
    const made = await replacing("/edges/tls", { hostports: [served] }, old);
    await refusedBeside({
      refused: () => server.rest.delete(old.uri),
      as: { status: 409, code: "TP_1504" },
      allowed: async () => {
        await server.rest.patch(String(made.uri), guarded);
        return server.rest.delete(old.uri);
      },
      refusedFirst: true,
    });
  });
});
