import { expect } from "chai";
import { onEveryDatabase } from "../../support/databases";
import { MODULES, type Module, moduleFixtures } from "./modules";
import { expectRefused, hostport, noSuchPath, notConfigured, notFound, serverOfThisFile, stale, unknownField, unknownId } from "./support";

onEveryDatabase("The modules of a TLS edge", (start) => {
  const server = serverOfThisFile(start);
  let modules: Record<(typeof MODULES)[number], Module>;
  before("create what they refer to", async () => {
    modules = await moduleFixtures(server);
  });

  const edge = (body = {}): Promise<string> => server.created("/edges/tls", { hostports: [hostport()], ...body }).then(({ uri }) => uri);
  const wholeEdge = (): Promise<string> => edge(Object.fromEntries(MODULES.map((name) => [name, modules[name].first])));

  for (const name of MODULES) {
    it(`${name} can be given when the edge is created, and is answered with references`, async () => {
      const { first, firstAnswer } = modules[name];
      const uri = await edge({ [name]: first });
      expect((await server.read(uri))[name]).to.deep.equal(firstAnswer);
      expect(await server.read(`${uri}/${name}`)).to.deep.equal(firstAnswer);
    });

    it(`${name} is enabled unless it says otherwise`, async () => {
      const { second, secondAnswer } = modules[name];
      expect((await server.read(await edge({ [name]: second })))[name]).to.deep.equal(secondAnswer);
    });

    it(`${name} that is not configured is not found`, async () => {
      const uri = await edge();
      expectRefused(await server.rest.get(`${uri}/${name}`), { ...notConfigured, mentions: [name] });
    });

    it(`${name} is configured, replaced as a whole and deleted at its own address`, async () => {
      const { first, firstAnswer, second, secondAnswer } = modules[name];
      const uri = await edge();
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
      expect((await server.rest.delete(`${await edge()}/${name}`)).status).to.equal(204);
    });

    it(`${name} is replaced and deleted without any effect on the other modules`, async () => {
      const uri = await wholeEdge();
      const { [name]: _, ...others } = await server.read(uri);
      await server.rest.put(`${uri}/${name}`, modules[name].second);
      expect(await server.read(uri)).to.deep.equal({ ...others, [name]: modules[name].secondAnswer });
      await server.rest.delete(`${uri}/${name}`);
      expect(await server.read(uri)).to.deep.equal({ ...others, [name]: null });
    });

    it(`${name} is replaced as a whole by an update of the edge that supplies it`, async () => {
      const uri = await wholeEdge();
      const { [name]: _, ...others } = await server.read(uri);
      const answer = await server.rest.patch(uri, { [name]: modules[name].second });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.equal({ ...others, [name]: modules[name].secondAnswer });
      expect(await server.read(uri)).to.deep.equal(answer.body);
    });

    it(`${name} is not removed by an update of the edge`, async () => {
      const uri = await wholeEdge();
      await server.rest.patch(uri, { [name]: null });
      expect((await server.read(uri))[name]).to.deep.equal(modules[name].firstAnswer);
    });

    it(`${name} has an ETag of its own, and changing it changes that of the edge`, async () => {
      const uri = await wholeEdge();
      const [edgeBefore, before] = [await server.etag(uri), await server.etag(`${uri}/${name}`)];
      const same = await server.rest.put(`${uri}/${name}`, modules[name].first);
      expect(same.headers.get("etag")).to.equal(before);
      const put = await server.rest.put(`${uri}/${name}`, modules[name].second);
      expect(put.headers.get("etag")).not.to.equal(before);
      expect(await server.etag(`${uri}/${name}`)).to.equal(put.headers.get("etag"));
      expect(await server.etag(uri)).not.to.equal(edgeBefore);
    });

    it(`${name} that another has changed meanwhile is neither replaced nor deleted under If-Match`, async () => {
      const uri = `${await wholeEdge()}/${name}`;
      const old = { "if-match": await server.etag(uri) };
      expect((await server.rest.put(uri, modules[name].second, old)).status).to.equal(200);
      expectRefused(await server.unchangedBy(uri, () => server.rest.put(uri, modules[name].first, old)), stale);
      expectRefused(await server.unchangedBy(uri, () => server.rest.delete(uri, old)), stale);
      expect((await server.rest.delete(uri, { "if-match": await server.etag(uri) })).status).to.equal(204);
    });

    it(`${name} with a field that does not exist is refused, inside the edge and at its own address`, async () => {
      const uri = await wholeEdge();
      const wrong = { ...modules[name].first, colour: "red" };
      expectRefused(await server.unchangedBy(uri, () => server.rest.put(`${uri}/${name}`, wrong)), unknownField("colour", "enabled"));
      const refusal = unknownField(`${name}.colour`, "enabled");
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, { [name]: wrong })), refusal);
      expectRefused(await server.rest.post("/edges/tls", { hostports: [hostport()], [name]: wrong }), refusal);
    });

    it(`${name} is enabled or not: nothing in between`, async () => {
      const uri = await wholeEdge();
      for (const enabled of ["true", 1, []]) {
        const put = () => server.rest.put(`${uri}/${name}`, { ...modules[name].first, enabled });
        expectRefused(await server.unchangedBy(uri, put), { status: 400, code: "TP_1001", field: "enabled" });
      }
    });

    it(`${name} is configured on edges that exist only`, async () => {
      const ghost = `/edges/tls/${unknownId("edgtls")}/${name}`;
      expectRefused(await server.rest.put(ghost, modules[name].first), notFound);
      expectRefused(await server.rest.get(ghost), notFound);
      expectRefused(await server.rest.delete(ghost), notFound);
    });

    it(`${name} takes GET, PUT and DELETE, nothing else`, async () => {
      const uri = `${await wholeEdge()}/${name}`;
      for (const method of ["POST", "PATCH"]) {
        const answer = await server.rest.request(method, uri, modules[name].first);
        expectRefused(answer, { status: 405, code: "TP_1400" });
        expect((answer.headers.get("allow") ?? "").split(/,\s*/)).to.include.members(["GET", "PUT", "DELETE"]);
      }
    });

    it(`${name} cannot be written with a body that is not a JSON object`, async () => {
      const uri = `${await wholeEdge()}/${name}`;
      for (const text of ["{", "[]", "null", '"on"'])
        expectRefused(await server.unchangedBy(uri, () => server.rest.put(uri, text)), { status: 400, code: "TP_1000" });
    });
  }

  it("an update that supplies no module leaves all five as they are", async () => {
    const uri = await wholeEdge();
    const before = await server.read(uri);
    const hostports = [hostport()];
    await server.rest.patch(uri, { description: "changed", hostports });
    expect(await server.read(uri)).to.deep.equal({ ...before, description: "changed", hostports });
  });

  it("all five modules can be configured at the same moment, and none is lost", async () => {
    const uri = await edge();
    const answers = await Promise.all(MODULES.map((name) => server.rest.put(`${uri}/${name}`, modules[name].first)));
    expect(answers.map(({ status }) => status)).to.deep.equal(MODULES.map(() => 200));
    const stored = await server.read(uri);
    for (const name of MODULES) expect(stored[name]).to.deep.equal(modules[name].firstAnswer);
  });

  it("a module that TLS edges do not have is no path", async () => {
    const uri = await edge();
    for (const name of ["oidc", "user_agent_filter", "nothing"]) {
      expectRefused(await server.rest.get(`${uri}/${name}`), noSuchPath);
      expectRefused(await server.rest.put(`${uri}/${name}`, {}), noSuchPath);
    }
  });
});
