import { type ModuleName, modulesOf } from "@tunnelplane/sdk/contract";
import {
  expectRefused,
  invalid,
  type Json,
  noSuchPath,
  notConfigured,
  notFound,
  type Refusal,
  type serverOfThisFile,
  stale,
  unknownField,
  unknownId,
} from "./expect";
import { type Module, moduleFixtures } from "./modules";
import type { ResourceType } from "./types";

export function testModules(server: ReturnType<typeof serverOfThisFile>, owner: ResourceType): void {
  const { prefix } = owner;
  const names = modulesOf(owner.definition) as ModuleName[];
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
    it(`${name} is given with its owner, replaced as a whole and deleted at its own address, and the other modules stay`, async () => {
      const { first, firstAnswer, second, secondAnswer } = modules[name];
      const uri = await createWhole();
      const { [name]: given, ...others } = await server.read(uri);
      expect(given).to.deep.equal(firstAnswer);
      expect(await server.read(`${uri}/${name}`)).to.deep.equal(firstAnswer);
      for (const [body, answer] of [
        [second, secondAnswer],
        [first, firstAnswer],
      ]) {
        const put = await server.rest.put(`${uri}/${name}`, body);
        expect(put.status, put.text).to.equal(200);
        expect(put.body).to.deep.equal(answer);
        expect(await server.read(`${uri}/${name}`)).to.deep.equal(answer);
        expect(await server.read(uri)).to.deep.equal({ ...others, [name]: answer });
      }
      for (const _ of ["there", "gone"]) {
        const deleted = await server.rest.delete(`${uri}/${name}`);
        expect([deleted.status, deleted.text]).to.deep.equal([204, ""]);
        expectRefused(await server.rest.get(`${uri}/${name}`), { ...notConfigured, mentions: [name] });
        expect(await server.read(uri)).to.deep.equal({ ...others, [name]: null });
      }
    });

    it(`${name} is enabled unless it says otherwise, replaced as a whole by an update that has it, and never removed by one`, async () => {
      const { second, secondAnswer } = modules[name];
      expect((await server.read(await create({ [name]: second })))[name]).to.deep.equal(secondAnswer);
      const uri = await createWhole();
      const { [name]: _, ...others } = await server.read(uri);
      const answer = await server.rest.patch(uri, { [name]: second });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.equal({ ...others, [name]: secondAnswer });
      await server.rest.patch(uri, { [name]: null });
      expect(await server.read(uri)).to.deep.equal(answer.body);
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
      await server.unchangedBy(uri, () => server.rest.put(uri, modules[name].first, old), stale);
      await server.unchangedBy(uri, () => server.rest.delete(uri, old), stale);
      expect((await server.rest.delete(uri, { "if-match": await server.etag(uri) })).status).to.equal(204);
    });

    it(`${name} takes GET, PUT of a JSON object with its fields, and DELETE, and exists only on what exists`, async () => {
      const uri = await createWhole();
      const at = `${uri}/${name}`;
      const { first } = modules[name];
      const expectPut = async (body: unknown, refusal: Refusal) =>
        await server.unchangedBy(uri, () => server.rest.put(at, body), refusal);
      const wrong = { ...first, colour: "red" };
      await expectPut(wrong, unknownField("colour", "enabled"));
      const within = unknownField(`${name}.colour`, "enabled");
      await server.unchangedBy(uri, () => server.rest.patch(uri, { [name]: wrong }), within);
      expectRefused(await server.rest.post(owner.path, await bodyWith({ [name]: wrong })), within);
      for (const enabled of ["true", 1, []])
        await expectPut({ ...first, enabled }, { status: 400, code: "TP_1001", field: "enabled" });
      for (const text of ["{", "[]", "null", '"on"']) await expectPut(text, { status: 400, code: "TP_1000" });
      for (const method of ["POST", "PATCH"]) {
        const answer = await server.rest.request(method, at, first);
        expectRefused(answer, { status: 405, code: "TP_1400" });
        const allowed = (answer.headers.get("allow") ?? "").split(/,\s*/);
        expect(allowed).to.include.members(["GET", "PUT", "DELETE"]);
      }
      const ghost = `${owner.path}/${unknownId(prefix)}/${name}`;
      for (const method of ["GET", "PUT", "DELETE"])
        expectRefused(
          await server.rest.request(method, ghost, method === "PUT" ? first : undefined),
          notFound,
        );
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
    await server.unchangedBy(uri, () => server.rest.patch(exchange, {}, { "if-match": etag }), stale);
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
      await server.unchangedBy(uri, patch, refusal);
    }
    for (const wrong of ["", "colour", `${names[0]},`, "hostports", "__proto__"]) {
      const patch = () => server.rest.patch(`${uri}?remove=${wrong}`, {});
      const refusal = { status: 400, code: "TP_1007", field: "remove", mentions: names };
      await server.unchangedBy(uri, patch, refusal);
    }
  });

  it("a module is an object, and null where it is not given", async () => {
    const uri = await create();
    const created = await server.read(uri);
    for (const name of names) {
      expect(created[name]).to.equal(null);
      for (const wrong of ["on", 5, true, ["on"]]) {
        const body = { [name]: wrong };
        expectRefused(await server.rest.post(owner.path, await bodyWith(body)), invalid(name));
        await server.unchangedBy(uri, () => server.rest.patch(uri, body), invalid(name));
      }
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

  it("a module that is not for this type is not a path", async () => {
    const uri = await create();
    for (const name of [
      ...Object.keys(modules).filter((other: string) => !names.some((one) => one === other)),
      "nothing",
    ]) {
      expectRefused(await server.rest.get(`${uri}/${name}`), noSuchPath);
      expectRefused(await server.rest.put(`${uri}/${name}`, {}), noSuchPath);
    }
  });
}
