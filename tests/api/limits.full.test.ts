import { apiOnOneDatabase, expectRefused, invalid, type Json } from "../support/api/expect";
import { TYPES } from "../support/api/types";

const SIZES = { bytes: (character: string) => Buffer.byteLength(character), characters: () => 1 };

/** A text of exactly so many bytes of UTF-8, or characters, most of them of several bytes. */
const textOf = (length: number, character: string, unit: keyof typeof SIZES = "bytes"): string => {
  const size = SIZES[unit](character);
  return character.repeat(Math.floor(length / size)) + "a".repeat(length % size);
};

const LIMITS = { description: 255, metadata: 4096 };
const CHARACTERS = ["a", "é", "語", "🚇"];

apiOnOneDatabase("Limits and empty values", (server) => {
  for (const { name, path, body, listKey, lengthsIn = "bytes" } of TYPES) {
    const create = async (more: Json = {}) => server.created(path, { ...(await body(server.rest)), ...more });

    for (const [field, limit] of Object.entries(LIMITS))
      it(`${name} takes ${limit} ${lengthsIn} of ${field} in any script, answers them unchanged, and takes no more`, async () => {
        const { uri, id } = await create();
        for (const character of CHARACTERS) {
          const text = textOf(limit, character, lengthsIn);
          expect((await server.rest.patch(uri, { [field]: text })).status).to.equal(200);
          expect((await server.read(uri))[field]).to.equal(text);
          const tooLong = { [field]: textOf(limit + 1, character, lengthsIn) };
          const refusal = invalid(field, field, String(limit));
          expectRefused(await server.rest.post(path, { ...(await body(server.rest)), ...tooLong }), refusal);
          await server.unchangedBy(uri, () => server.rest.patch(uri, tooLong), refusal);
        }
        expect((await server.read(path))[listKey][0].id).to.equal(id);
        const most = textOf(limit, "語", lengthsIn);
        expect((await create({ [field]: most }))[field]).to.equal(most);
      });

    it(`${name} has empty texts where none were given, and loses them only if an update sends empty ones`, async () => {
      for (const left of [{}, { description: "", metadata: "" }])
        expect(await create(left)).to.include({ description: "", metadata: "" });
      const { uri } = await create({ description: "some", metadata: "more" });
      for (const [change, left] of [
        [{}, { description: "some", metadata: "more" }],
        [{ description: "" }, { description: "", metadata: "more" }],
        [{ metadata: "" }, { description: "", metadata: "" }],
      ] as const) {
        await server.rest.patch(uri, change);
        expect(await server.read(uri)).to.include(left);
      }
    });
  }

  for (const { name, path, body } of TYPES.filter(({ fields }) => fields.includes("acl"))) {
    it(`${name} created without acl and owner_id, or with empty ones, is unrestricted and the caller's; an update empties acl if it says so`, async () => {
      const { acl: _, ...rest } = await body(server.rest);
      const acl = ["bind:kept.example.com"];
      const made = await server.created(path, rest);
      const empty = { ...(await body(server.rest)), acl: [], owner_id: "" };
      expect(await server.created(path, empty)).to.deep.include({ acl: [], owner_id: made.owner_id });
      expect(made.acl).to.deep.equal([]);
      for (const [change, left] of [
        [{ acl }, acl],
        [{ description: "other" }, acl],
        [{ acl: [] }, []],
      ]) {
        await server.rest.patch(made.uri, change);
        expect((await server.read(made.uri)).acl).to.deep.equal(left);
      }
    });
  }
});
