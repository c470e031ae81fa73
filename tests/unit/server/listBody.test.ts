import fc from "fast-check";
import { readListBody } from "../../../server/src/http/listBodies";

const LIMIT = { list: "objects", most: 100 };
const read = (json: string) => readListBody(Buffer.from(json), LIMIT);

describe("A body that is read object by object", () => {
  it("is what JSON.parse makes of it, whatever stands in its texts", async () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom('"', "\\", '\\"', "{", "}]", '"objects":[{', "[[", "\\\\"),
    );
    // Without quotes and backslashes: V8 itself takes {"\\"": 0} for {"\\\\": 0} after other objects (Node
    // 24.21).
    const names = texts.filter((name) => !/["\\]/.test(name) && !["__proto__", "constructor"].includes(name));
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        texts,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("map"),
      ),
      list: fc.array(tie("value"), { maxLength: 4 }),
      map: fc.dictionary(names, tie("value"), { maxKeys: 4 }),
    }));
    const bodies = fc.record({
      set: texts,
      objects: fc.array(fc.oneof(values.map, values.map, fc.integer())),
      other: values.value,
    });
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(0, 2), async (body, indent) => {
        const json = JSON.stringify(body, null, indent);
        const { body: found, broken } = await read(json);
        expect([...broken.values()], json).to.deep.equal([]);
        expect(JSON.stringify(found), json).to.equal(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: 300 },
    );
  });

  it("is refused where it is not valid JSON, and says in which object", async () => {
    const refusal = async (json: string) => {
      try {
        await read(json);
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error(`${json} was accepted`);
    };
    expect(await refusal('{"objects": [{"a": 1}, {"b": }]}')).to.contain("objects[1]");
    for (const json of [
      ...['{"objects": [{}', '{"objects": [{},,{}]}', '{"objects": [{}]}}', "[]", '{"objects": ["}]'],
      ...["{"],
    ])
      expect(await refusal(json), json).not.to.equal("");
    expect(await refusal(`{"objects": [${"{},".repeat(100)}{}]}`)).to.contain("more than 100 objects");
    expect(await refusal(`{"objects": [${"1,".repeat(600_000)}1]}`)).to.contain("more than 1 MiB");
  });
});
