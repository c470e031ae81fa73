import { type ModuleName, marksOf, modulesOf } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { type Json, serverOfThisFile } from "../support/api/expect";
import { moduleFixtures } from "../support/api/modules";
import { TYPES } from "../support/api/types";
import { ServerProcess } from "../support/server";
import { figure, SOAK } from "../support/size";
import { Dice } from "../trust/mutations";

const SEED = 20_261_123;
const AT_RANDOM = 8;

/**
 * Subsets of some names: none of them, each alone, all but each, all, and some at random. `npm run test:soak`
 * tries every subset.
 */
function subsetsOf(names: readonly string[]): string[][] {
  const count = 2 ** names.length;
  const dice = new Dice(SEED);
  const each = names.map((_, index) => 1 << index);
  const some = [
    0,
    ...each,
    ...each.map((bit) => count - 1 - bit),
    count - 1,
    ...Array.from({ length: AT_RANDOM }, () => dice.below(count)),
  ];
  const chosen = SOAK ? Array.from({ length: count }, (_, bits) => bits) : [...new Set(some)];
  return chosen.map((bits) => names.filter((_, index) => bits & (1 << index)));
}

describe("An update", () => {
  const server = serverOfThisFile(() => ServerProcess.start());

  for (const type of TYPES) {
    it(`of ${type.name} with any subset of its fields changes those, and no other`, async () => {
      const { fields } = type.definition;
      const modules = await moduleFixtures(server, type.prefix);
      const bodies = (which: "first" | "second"): Json =>
        Object.fromEntries(
          modulesOf(type.definition).map((name) => [name, modules[name as ModuleName][which]]),
        );
      const changes: Json = {
        description: "second",
        metadata: "second",
        ...type.update,
        ...bodies("second"),
      };
      const answeredAs = (name: string) => marksOf(fields[name] as never).reference?.answeredAs ?? name;

      const create = async () =>
        server.created(type.path, {
          ...(await type.body(server.rest)),
          description: "first",
          ...bodies("first"),
        });
      const patch = async (uri: string, names: readonly string[]): Promise<Json> => {
        const answer = await server.rest.patch(
          uri,
          Object.fromEntries(names.map((name) => [name, changes[name]])),
        );
        expect(answer.status, answer.text).to.equal(200);
        return answer.body;
      };
      /** An answer without what differs from object to object. */
      const comparable = (answer: Json, { id }: { id: string }): Json =>
        JSON.parse(JSON.stringify({ ...answer, judged_at: null }).replaceAll(id, "<id>"));

      const model = await create();
      const all = comparable(await patch(model.uri, Object.keys(changes)), model);
      await server.rest.delete(model.uri);
      const subsets = subsetsOf(Object.keys(changes));
      if (!SOAK && subsets.length > 2 * AT_RANDOM) figure(`subsets of the seed ${SEED}: ${subsets.length}`);
      for (const names of subsets) {
        const object = await create();
        const before = comparable((await server.read(object.uri)) as Json, object);
        const expected = {
          ...before,
          ...Object.fromEntries(names.map(answeredAs).map((name) => [name, all[name]])),
        };
        expect(comparable(await patch(object.uri, names), object), names.join(", ")).to.deep.equal(expected);
        await server.rest.delete(object.uri);
      }
    });
  }
});
