import { handsOver, registry } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { expectRefused, type Json, serverOfThisFile, unknownId } from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { onEveryDatabase } from "../support/databases";
import { refusedBeside } from "../support/refusal";

onEveryDatabase("An object in the place of another that holds a unique value", (start) => {
  const server = serverOfThisFile(start);

  for (const { idPrefix, path, title } of registry.filter(handsOver)) {
    const type = TYPES.find(({ prefix }) => prefix === idPrefix);
    if (!type) throw new Error(`No resource type has the prefix ${idPrefix}`);
    const post = (body: Json, query: string, headers = {}) =>
      server.rest.post(`${path}${query}`, body, headers);

    it(`has it at once (${title}); the old one is answered unchanged, and deleting the new one first gives it back`, async () => {
      const body = await type.body(server.rest);
      const old = await server.created(path, body);
      const before = await server.read(old.uri);
      const { allowed: rehearsed } = await refusedBeside({
        refused: () => post(body, ""),
        as: 409,
        allowed: () => post(body, `?replaces=${old.id}&dry_run=true`),
      });
      expect(rehearsed.status).to.equal(201);

      const key = { "idempotency-key": `replaces-${idPrefix}` };
      const { body: made } = await post(body, `?replaces=${old.id}`, key);
      const again = await post(body, `?replaces=${old.id}`, key);
      expect([again.body.id, again.headers.get("idempotent-replayed")]).to.deep.equal([made.id, "true"]);
      expect(await server.read(old.uri)).to.deep.equal(before);
      expectRefused(await post(body, `?replaces=${old.id}`), {
        status: 409,
        code: "TP_1501",
        field: "replaces",
        mentions: [made.id],
      });
      expectRefused(await post(body, ""), { status: 409, code: "TP_1501", mentions: [made.id] });

      // The new one first: it was no good.
      expect((await server.rest.delete(made.uri)).status).to.equal(204);
      expectRefused(await post(body, ""), { status: 409, code: "TP_1501", mentions: [old.id] });
      // The old one first: it is replaced, and may be replaced again.
      const second = await post(body, `?replaces=${old.id}`);
      expect(second.status, second.text).to.equal(201);
      expect((await server.rest.delete(old.uri)).status).to.equal(204);
      const third = await post(body, `?replaces=${second.body.id}`);
      expect(third.status, third.text).to.equal(201);
      expect((await server.rest.delete(second.body.uri)).status).to.equal(204);
      expect((await server.read(third.body.uri)).id).to.equal(third.body.id);
    });

    it(`is refused where there is no such ${title}, also one of another kind`, async () => {
      const body = await type.body(server.rest);
      const { id } = await server.created(path, body);
      const other = await server.created("/backends/http_response", { body: "" });
      for (const wrong of [unknownId(idPrefix), other.id, "", "nothing"])
        expectRefused(await post(body, `?replaces=${wrong}`), {
          status: 400,
          code: "TP_1007",
          field: "replaces",
        });
      expect((await post(body, `?replaces=${id}`)).status).to.equal(201);
    });
  }
});
