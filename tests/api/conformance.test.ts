import { marksOf } from "@tunnelplane/sdk/contract";
import {
  apiOnEveryDatabase,
  badQuery,
  expectRefused,
  immutable,
  invalid,
  notFound,
  notJson,
  type Refusal,
  stale,
  unknownField,
  unknownId,
  wrongKind,
} from "../support/api/expect";
import { asListed, COMMON_FIELDS, type ResourceType, TYPES } from "../support/api/types";
import type { RestAnswer } from "../support/rest";

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

apiOnEveryDatabase("Every resource type keeps the same promises:", (server) => {
  const create = async (type: ResourceType, more = {}): Promise<RestAnswer> => {
    const answer = await server.rest.post(type.path, { ...(await type.body(server.rest)), ...more });
    expect(answer.status, answer.text).to.equal(201);
    return answer;
  };
  const createAt = async (type: ResourceType): Promise<string> =>
    `${type.path}/${(await create(type)).body.id}`;

  for (const type of TYPES) {
    const { name, path, listKey, prefix } = type;
    const ghost = `${path}/${unknownId(prefix)}`;

    it(`${name} that was created has an id, an address, a time and all its fields, also at its address and in the list`, async () => {
      const { body } = await create(type, { description: "first", metadata: '{"a":1}' });
      const { id, uri } = body;
      const keys = [...COMMON_FIELDS, ...type.fields];
      expect(body).to.have.all.keys(...keys);
      expect(id).to.match(new RegExp(`^${prefix}_[0-9A-Za-z]{27}$`));
      expect(uri).to.equal(await server.uriOf(`${path}/${id}`));
      expect(body.created_at).to.match(RFC_3339);
      expect(body).to.include({ description: "first", metadata: '{"a":1}' });
      const read = await server.read(uri);
      expect(read)
        .to.include({ id, uri })
        .and.to.have.all.keys(...keys);
      const list = await server.read(path);
      expect(list).to.have.all.keys(listKey, "uri", "next_page_uri");
      const listed = list[listKey].find((object: { id: string }) => object.id === id);
      expect(listed).to.deep.equal(asListed(type, read));
    });

    it(`${name} that was changed, a field at a time or all at once, answers with the change and leaves the rest alone`, async () => {
      const { uri } = (await create(type, { description: "first", metadata: "kept" })).body;
      const all = { description: "second", ...type.update };
      const each = Object.entries({ metadata: "other", ...all }).map(([field, value]) => ({
        [field]: value,
      }));
      for (const change of [...each, all]) {
        const before = await server.read(uri);
        const answer = await server.rest.patch(uri, change);
        expect(answer.status, answer.text).to.equal(200);
        // A change of what a guarantee says is judged anew.
        const judged = "judged_at" in before && { judged_at: answer.body.judged_at };
        expect(answer.body).to.deep.equal({ ...before, ...change, ...judged });
        expect(await server.read(uri)).to.deep.equal(answer.body);
      }
    });

    it(`${name} that was deleted is gone`, async () => {
      const { uri, id } = (await create(type)).body;
      const answer = await server.rest.delete(uri);
      expect([answer.status, answer.text]).to.deep.equal([204, ""]);
      expectRefused(await server.rest.get(uri), notFound);
      expectRefused(await server.rest.patch(uri, { description: "x" }), notFound);
      expectRefused(await server.rest.delete(uri), notFound);
      const list = await server.read(path);
      expect(list[listKey].map((object: { id: string }) => object.id)).not.to.include(id);
    });

    it(`${name} with a field that does not exist is refused, and the answer names the fields that do`, async () => {
      const at = await createAt(type);
      const body = await type.body(server.rest);
      expectRefused(
        await server.rest.post(path, { ...body, descripton: "x" }),
        unknownField("descripton", "metadata", "; did you mean `description`?"),
      );
      await server.unchangedBy(
        at,
        () => server.rest.patch(at, { description: "changed", colour: "red" }),
        unknownField("colour", "description", "metadata"),
      );
      for (const field of ["constructor", "toString"])
        expectRefused(await server.rest.post(path, { ...body, [field]: "x" }), unknownField(field));
    });

    it(`${name} cannot be given what the server makes, and keeps what is set at its creation`, async () => {
      const at = await createAt(type);
      const { fields, computed } = type.definition;
      const refusedAt = async (field: string) =>
        server.unchangedBy(at, () => server.rest.patch(at, { description: "x", [field]: "x" }));
      for (const field of ["id", "uri", "created_at", ...Object.keys(computed)])
        expect((await refusedAt(field)).status, field).to.equal(400);
      for (const [field, schema] of Object.entries(fields))
        if (marksOf(schema).immutable) expectRefused(await refusedAt(field), immutable(field));
    });

    it(`${name} with a field of a wrong type is refused, and the answer names the field`, async () => {
      const at = await createAt(type);
      const body = await type.body(server.rest);
      for (const wrong of [5, true, ["x"], { a: "x" }])
        for (const field of ["description", "metadata"]) {
          const refusal = invalid(field, field);
          expectRefused(await server.rest.post(path, { ...body, [field]: wrong }), refusal);
          await server.unchangedBy(at, () => server.rest.patch(at, { [field]: wrong }), refusal);
        }
    });

    it(`${name} cannot be written with a body that is not a JSON object`, async () => {
      const at = await createAt(type);
      for (const text of ['{"description": ', "description=x", "[]", '"text"', "5", "null"]) {
        expectRefused(await server.rest.post(path, text), notJson);
        await server.unchangedBy(at, () => server.rest.patch(at, text), notJson);
      }
    });

    it(`${name} that never existed, or has the id of another kind, is not found, and the answer says why`, async () => {
      const other = TYPES.find((candidate) => candidate.prefix !== prefix);
      for (const [at, refusal] of [
        [ghost, { ...notFound, mentions: [unknownId(prefix)] }],
        [`${path}/${unknownId(other?.prefix ?? "")}`, wrongKind()],
      ] as const) {
        expectRefused(await server.rest.get(at), refusal);
        expectRefused(await server.rest.patch(at, { description: "x" }), refusal);
        expectRefused(await server.rest.delete(at), refusal);
      }
    });

    it(`${name} does not take other methods, and the answer says which it takes`, async () => {
      const expectNotAllowed = (answer: RestAnswer, ...allowed: string[]): void => {
        expectRefused(answer, { status: 405, code: "TP_1400" });
        expect((answer.headers.get("allow") ?? "").split(/,\s*/)).to.include.members(allowed);
      };
      const at = await createAt(type);
      expectNotAllowed(await server.rest.put(path, {}), "GET", "POST");
      expectNotAllowed(await server.rest.delete(path), "GET", "POST");
      expectNotAllowed(await server.rest.patch(path, {}), "GET", "POST");
      expectNotAllowed(await server.rest.put(at, {}), "GET", "PATCH", "DELETE");
      expectNotAllowed(await server.rest.post(at, {}), "GET", "PATCH", "DELETE");
    });

    it(`${name} takes a body of 1 MiB and no byte more`, async () => {
      const mebibyte = 1024 * 1024;
      const padded = async (): Promise<string> =>
        JSON.stringify(await type.body(server.rest)).padEnd(mebibyte, " ");
      expect((await server.rest.post(path, await padded())).status).to.equal(201);
      expectRefused(await server.rest.post(path, `${await padded()} `), { status: 413, code: "TP_1401" });
    });

    it(`${name} is written as JSON only`, async () => {
      const send = async (contentType: string): Promise<RestAnswer> =>
        server.rest.post(path, await type.body(server.rest), { "content-type": contentType });
      for (const other of ["text/plain", "application/x-www-form-urlencoded", "application/xml"])
        expectRefused(await send(other), { status: 415, code: "TP_1402", mentions: ["application/json"] });
      expect((await send("application/json; charset=utf-8")).status).to.equal(201);
    });

    it(`${name} has an ETag that changes when it changes and only then`, async () => {
      const created = await create(type, { description: "first" });
      const { uri } = created.body;
      const etag = await server.etag(uri);
      expect(created.headers.get("etag")).to.equal(etag);
      const same = await server.rest.patch(uri, { description: "first" });
      expect(same.headers.get("etag")).to.equal(etag);
      const changed = await server.rest.patch(uri, { description: "second" });
      expect(changed.headers.get("etag")).not.to.equal(etag);
      expect(await server.etag(uri)).to.equal(changed.headers.get("etag"));
    });

    it(`${name} that another has changed meanwhile is neither changed nor deleted under If-Match`, async () => {
      const at = await createAt(type);
      const old = await server.etag(at);
      expect((await server.rest.patch(at, { description: "mine" }, { "if-match": old })).status).to.equal(
        200,
      );
      for (const attempt of [
        () => server.rest.patch(at, { description: "theirs" }, { "if-match": old }),
        () => server.rest.delete(at, { "if-match": old }),
      ])
        await server.unchangedBy(at, attempt, stale);
      expect((await server.rest.delete(at, { "if-match": await server.etag(at) })).status).to.equal(204);
    });

    it(`${name} is not asked for with a query parameter that does not exist`, async () => {
      const at = await createAt(type);
      const refusal: Refusal = { ...badQuery, mentions: ["page"] };
      expectRefused(await server.rest.get(`${path}?page=2`), refusal);
      expectRefused(await server.rest.get(`${at}?page=2`), refusal);
      expectRefused(await server.rest.post(`${path}?page=2`, await type.body(server.rest)), refusal);
      await server.unchangedBy(at, () => server.rest.patch(`${at}?page=2`, { description: "x" }), refusal);
      await server.unchangedBy(at, () => server.rest.delete(`${at}?page=2`), refusal);
    });
  }
});
