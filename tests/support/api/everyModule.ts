import { type Definition, modulesOf } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import {
  expectRefused,
  invalid,
  type Json,
  missingReference,
  noSuchPath,
  notConfigured,
  notFound,
  type Refusal,
  type serverOfThisFile,
  stale,
  unknownField,
  unknownId,
  wrongKind,
} from "./expect";
import { MODULES, type Module, type ModuleName, moduleFixtures } from "./modules";
import { TYPES } from "./types";

const REFERENCES: Partial<Record<ModuleName, { field: string; prefix: string; list: boolean }>> = {
  backend: { field: "backend_id", prefix: "bkdtg", list: false },
  ip_restriction: { field: "ip_policy_ids", prefix: "ipp", list: true },
  mutual_tls: { field: "certificate_authority_ids", prefix: "ca", list: true },
};

/** The tests that every module of a resource type has to pass. */
export function testModules(server: ReturnType<typeof serverOfThisFile>, definition: Definition): void {
  const prefix = definition.idPrefix;
  const names = modulesOf(definition) as ModuleName[];
  const unknown = names.filter((name) => !MODULES.includes(name));
  if (unknown.length > 0) throw new Error(`Give ${unknown} two bodies each in tests/support/api/modules.ts`);
  const owner = TYPES.find((type) => type.prefix === prefix);
  if (!owner) throw new Error(`No resource type has the prefix ${prefix}`);
  let modules: Record<ModuleName, Module>;
  before("create what the modules refer to", async () => {
    modules = await moduleFixtures(server, prefix);
  });

  const bodyWith = async (more: Json): Promise<Json> => ({ ...(await owner.body(server.rest)), ...more });
  const create = async (more: Json = {}): Promise<string> =>
    (await server.created(owner.path, await bodyWith(more))).uri;
  const createWhole = (): Promise<string> =>
    create(Object.fromEntries(names.map((name) => [name, modules[name].first])));

  for (const name of names) {
    it(`${name} can be given together with its owner, and is answered with references`, async () => {
      const { first, firstAnswer } = modules[name];
      const uri = await create({ [name]: first });
      expect((await server.read(uri))[name]).to.deep.equal(firstAnswer);
      expect(await server.read(`${uri}/${name}`)).to.deep.equal(firstAnswer);
    });

    it(`${name} is enabled unless it sets enabled to false`, async () => {
      const { second, secondAnswer } = modules[name];
      expect((await server.read(await create({ [name]: second })))[name]).to.deep.equal(secondAnswer);
    });

    it(`${name} that is not configured is not found`, async () => {
      const uri = await create();
      expectRefused(await server.rest.get(`${uri}/${name}`), { ...notConfigured, mentions: [name] });
    });

    it(`${name} is configured, replaced as a whole and deleted at its own address`, async () => {
      const { first, firstAnswer, second, secondAnswer } = modules[name];
      const uri = await create();
      for (const [body, answer] of [
        [first, firstAnswer],
        [second, secondAnswer],
      ]) {
        const put = await server.rest.put(`${uri}/${name}`, body);
        expect(put.status, put.text).to.equal(200);
        expect(put.body).to.deep.equal(answer);
        expect(await server.read(`${uri}/${name}`)).to.deep.equal(answer);
        expect((await server.read(uri))[name]).to.deep.equal(answer);
      }
      const deleted = await server.rest.delete(`${uri}/${name}`);
      expect([deleted.status, deleted.text]).to.deep.equal([204, ""]);
      expectRefused(await server.rest.get(`${uri}/${name}`), notConfigured);
      expect((await server.read(uri))[name]).to.equal(null);
    });

    it(`${name} can be deleted when it is not there`, async () => {
      expect((await server.rest.delete(`${await create()}/${name}`)).status).to.equal(204);
    });

    it(`${name} is replaced and deleted without any effect on the other modules`, async () => {
      const uri = await createWhole();
      const { [name]: _, ...others } = await server.read(uri);
      await server.rest.put(`${uri}/${name}`, modules[name].second);
      expect(await server.read(uri)).to.deep.equal({ ...others, [name]: modules[name].secondAnswer });
      await server.rest.delete(`${uri}/${name}`);
      expect(await server.read(uri)).to.deep.equal({ ...others, [name]: null });
    });

    it(`${name} is replaced as a whole by an update that supplies it`, async () => {
      const uri = await createWhole();
      const { [name]: _, ...others } = await server.read(uri);
      const answer = await server.rest.patch(uri, { [name]: modules[name].second });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.equal({ ...others, [name]: modules[name].secondAnswer });
      expect(await server.read(uri)).to.deep.equal(answer.body);
    });

    it(`${name} is not removed by an update`, async () => {
      const uri = await createWhole();
      await server.rest.patch(uri, { [name]: null });
      expect((await server.read(uri))[name]).to.deep.equal(modules[name].firstAnswer);
    });

    it(`${name} has an ETag of its own, and changing it changes that of its owner`, async () => {
      const uri = await createWhole();
      const [ownerBefore, before] = [await server.etag(uri), await server.etag(`${uri}/${name}`)];
      const same = await server.rest.put(`${uri}/${name}`, modules[name].first);
      expect(same.headers.get("etag")).to.equal(before);
      const put = await server.rest.put(`${uri}/${name}`, modules[name].second);
      expect(put.headers.get("etag")).not.to.equal(before);
      expect(await server.etag(`${uri}/${name}`)).to.equal(put.headers.get("etag"));
      expect(await server.etag(uri)).not.to.equal(ownerBefore);
    });

    it(`${name} that another has changed meanwhile is neither replaced nor deleted under If-Match`, async () => {
      const uri = `${await createWhole()}/${name}`;
      const old = { "if-match": await server.etag(uri) };
      expect((await server.rest.put(uri, modules[name].second, old)).status).to.equal(200);
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.put(uri, modules[name].first, old)),
        stale,
      );
      expectRefused(await server.unchangedBy(uri, () => server.rest.delete(uri, old)), stale);
      expect((await server.rest.delete(uri, { "if-match": await server.etag(uri) })).status).to.equal(204);
    });

    it(`${name} with a field that does not exist is refused, inside its owner and at its own address`, async () => {
      const uri = await createWhole();
      const wrong = { ...modules[name].first, colour: "red" };
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.put(`${uri}/${name}`, wrong)),
        unknownField("colour", "enabled"),
      );
      const refusal = unknownField(`${name}.colour`, "enabled");
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, { [name]: wrong })), refusal);
      expectRefused(await server.rest.post(owner.path, await bodyWith({ [name]: wrong })), refusal);
    });

    it(`${name} is enabled or not: nothing in between`, async () => {
      const uri = await createWhole();
      for (const enabled of ["true", 1, []]) {
        const put = () => server.rest.put(`${uri}/${name}`, { ...modules[name].first, enabled });
        expectRefused(await server.unchangedBy(uri, put), { status: 400, code: "TP_1001", field: "enabled" });
      }
    });

    it(`${name} is configured only on what exists`, async () => {
      const ghost = `${owner.path}/${unknownId(prefix)}/${name}`;
      expectRefused(await server.rest.put(ghost, modules[name].first), notFound);
      expectRefused(await server.rest.get(ghost), notFound);
      expectRefused(await server.rest.delete(ghost), notFound);
    });

    it(`${name} takes GET, PUT and DELETE, nothing else`, async () => {
      const uri = `${await createWhole()}/${name}`;
      for (const method of ["POST", "PATCH"]) {
        const answer = await server.rest.request(method, uri, modules[name].first);
        expectRefused(answer, { status: 405, code: "TP_1400" });
        expect((answer.headers.get("allow") ?? "").split(/,\s*/)).to.include.members([
          "GET",
          "PUT",
          "DELETE",
        ]);
      }
    });

    it(`${name} cannot be written with a body that is not a JSON object`, async () => {
      const uri = `${await createWhole()}/${name}`;
      for (const text of ["{", "[]", "null", '"on"'])
        expectRefused(await server.unchangedBy(uri, () => server.rest.put(uri, text)), {
          status: 400,
          code: "TP_1000",
        });
    });
  }

  it("an update that supplies no module leaves all of them as they are", async () => {
    const uri = await createWhole();
    const before = await server.read(uri);
    await server.rest.patch(uri, { description: "changed" });
    expect(await server.read(uri)).to.deep.equal({ ...before, description: "changed" });
  });

  it("without modules, each of them is answered as null", async () => {
    const created = await server.read(await create());
    for (const name of names) expect(created[name]).to.equal(null);
  });

  it("a module is an object", async () => {
    const uri = await create();
    for (const name of names)
      for (const wrong of ["on", 5, true, ["on"]]) {
        expectRefused(await server.rest.post(owner.path, await bodyWith({ [name]: wrong })), invalid(name));
        expectRefused(
          await server.unchangedBy(uri, () => server.rest.patch(uri, { [name]: wrong })),
          invalid(name),
        );
      }
  });

  it("all modules can be configured at the same moment, and none is lost", async () => {
    const uri = await create();
    const answers = await Promise.all(
      names.map((name) => server.rest.put(`${uri}/${name}`, modules[name].first)),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(names.map(() => 200));
    const stored = await server.read(uri);
    for (const name of names) expect(stored[name]).to.deep.equal(modules[name].firstAnswer);
  });

  it("a module that is not for this type is no path", async () => {
    const uri = await create();
    for (const name of [...MODULES.filter((other) => !names.includes(other)), "nothing"]) {
      expectRefused(await server.rest.get(`${uri}/${name}`), noSuchPath);
      expectRefused(await server.rest.put(`${uri}/${name}`, {}), noSuchPath);
    }
  });

  for (const name of names) {
    const reference = REFERENCES[name];
    if (!reference) continue;
    const { field, list } = reference;
    const place = list ? `${field}[0]` : field;
    const referringTo = (id: unknown): Json => ({ [field]: list ? [id] : id });

    /** Tries the reference in all three requests that can set it. */
    const expectReferenceRefused = async (
      id: unknown,
      refusal: (field: string) => Refusal,
    ): Promise<void> => {
      const newest = await create();
      const module = { [name]: referringTo(id) };
      expectRefused(await server.rest.post(owner.path, await bodyWith(module)), refusal(`${name}.${place}`));
      expect((await server.read(`${owner.path}?limit=1`))[owner.listKey][0].uri).to.equal(newest);
      const patch = () => server.rest.patch(newest, { description: "x", ...module });
      expectRefused(await server.unchangedBy(newest, patch), refusal(`${name}.${place}`));
      expectRefused(
        await server.unchangedBy(newest, () => server.rest.put(`${newest}/${name}`, referringTo(id))),
        refusal(place),
      );
    };

    it(`${name} that refers to what does not exist is refused, and nothing is stored`, async () => {
      const ghost = unknownId(reference.prefix);
      await expectReferenceRefused(ghost, (where) => missingReference(where, ghost));
    });

    it(`${name} that refers to something of another kind is refused, and nothing is stored`, async () => {
      const credential = await server.created("/credentials", {});
      await expectReferenceRefused(credential.id, wrongKind);
    });

    it(`${name} that refers to something without an id is refused`, async () => {
      for (const wrong of [5, { id: unknownId(reference.prefix) }, true])
        await expectReferenceRefused(wrong, invalid);
    });

    it(`${name} needs its ${field}`, async () => {
      const uri = await create();
      expectRefused(
        await server.rest.post(owner.path, await bodyWith({ [name]: { enabled: true } })),
        invalid(`${name}.${field}`),
      );
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.put(`${uri}/${name}`, { enabled: true })),
        invalid(field),
      );
    });
  }
}
