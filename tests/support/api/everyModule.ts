import { type Definition, modulesOf } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import {
  expectRefused,
  invalid,
  type Json,
  noSuchPath,
  notConfigured,
  notFound,
  type serverOfThisFile,
  stale,
  unknownField,
  unknownId,
} from "./expect";
import { MODULES, type Module, type ModuleName, moduleFixtures } from "./modules";
import { TYPES } from "./types";

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

  it("modules take the place of others in one request, which is one change", async () => {
    const [given, ...others] = names as [ModuleName, ...ModuleName[]];
    const body = Object.fromEntries(others.map((name) => [name, modules[name].first]));
    const [uri, uriOfOthers] = [await create({ [given]: modules[given].second }), await create(body)];
    const rows = async (): Promise<unknown[][]> => {
      const id = uri.split("/").at(-1);
      const [events, audited] = [`/events?object_id=${id}`, `/audit_events?object_id=${id}`];
      return [(await server.read(events)).events, (await server.read(audited)).audit_events];
    };
    const [before, etag, old] = [await rows(), await server.etag(uri), await server.read(uri)];
    const exchange = `${uri}?remove=${given}`;
    const rehearsed = await server.rest.patch(`${exchange}&dry_run=true`, body);
    expect(await server.read(uri)).to.deep.equal(old);
    const changed = await server.rest.patch(exchange, body, { "if-match": etag });
    expect(changed.status, changed.text).to.equal(200);
    expect(rehearsed.body).to.deep.equal(changed.body);
    const { [given]: _, ...left } = old;
    const { [given]: none, ...now } = changed.body;
    const wanted = Object.fromEntries(others.map((name) => [name, modules[name].firstAnswer]));
    expect([none, now]).to.deep.equal([null, { ...left, ...wanted }]);
    expect((await rows()).map((all) => all.length)).to.deep.equal(before.map((all) => all.length + 1));
    expectRefused(
      await server.unchangedBy(uri, () => server.rest.patch(exchange, {}, { "if-match": etag })),
      stale,
    );

    // What is not there is no error, and no change.
    const same = await server.rest.patch(`${exchange},${given}`, {});
    expect(same.body, same.text).to.deep.equal(changed.body);
    const all = await server.rest.patch(`${uriOfOthers}?remove=${others}`, {
      [given]: modules[given].second,
    });
    for (const name of others) expect(all.body[name], all.text).to.equal(null);
    expect(all.body[given]).to.deep.equal(modules[given].secondAnswer);
  });

  it("a module that is sent and removed, or that does not exist, is refused by its name", async () => {
    const uri = await createWhole();
    for (const name of names) {
      const patch = () => server.rest.patch(`${uri}?remove=${name}`, { [name]: modules[name].second });
      const refusal = { status: 400, code: "TP_1007", field: "remove", mentions: [name] };
      expectRefused(await server.unchangedBy(uri, patch), refusal);
    }
    for (const wrong of ["", "colour", `${names[0]},`, "hostports", "__proto__"]) {
      const patch = () => server.rest.patch(`${uri}?remove=${wrong}`, {});
      const refusal = { status: 400, code: "TP_1007", field: "remove", mentions: names };
      expectRefused(await server.unchangedBy(uri, patch), refusal);
    }
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
}
