import { EVENT_TYPES } from "@tunnelplane/sdk/contract";
import { expectRefused, invalid, type Json, notFound, serverOfThisFile, taken } from "../support/api/expect";
import { creds, destination, role, targets } from "../support/api/fixtures";
import { onEveryDatabase } from "../support/databases";

onEveryDatabase("Where events go", (start) => {
  const server = serverOfThisFile(start);

  describe("Event destinations", () => {
    const PATH = "/event_destinations";
    const NO_TARGET = Object.fromEntries(Object.keys(targets()).map((kind) => [kind, null]));
    const AUTHS = {
      role: { auth: role, answer: { ...role, creds: null } },
      creds: { auth: creds, answer: { role: null, ...creds } },
    };

    it("are answered completely, with their secrets and null for unused targets, also when another kind takes the place of one", async () => {
      const changed = await server.created(PATH, destination());
      for (const kind of Object.keys(targets()) as (keyof ReturnType<typeof targets>)[])
        for (const { auth, answer } of Object.values(AUTHS)) {
          const target = targets(auth)[kind];
          const expected = { ...NO_TARGET, [kind]: "auth" in target ? { ...target, auth: answer } : target };
          const made = await server.created(PATH, destination({ [kind]: target }));
          const patched = await server.rest.patch(changed.uri, { target: { [kind]: target } });
          expect(patched.status, patched.text).to.equal(200);
          const again = await server.created(PATH, destination(made.target));
          const listed = (await server.read(PATH)).event_destinations[0];
          const read = [await server.read(made.uri), await server.read(changed.uri)];
          for (const shown of [made, patched.body, again, listed, ...read])
            expect(shown.target).to.deep.equal(expected);
        }
    });
  });

  describe("Event subscriptions", () => {
    const PATH = "/event_subscriptions";
    const [CREATED, UPDATED, DELETED] = [
      "ip_policy_created.v0",
      "ip_policy_updated.v0",
      "ip_policy_deleted.v0",
    ] as const;
    const sourcesOf = (...types: unknown[]) => types.map((type) => ({ type }));
    const destinationRef = async (): Promise<{ id: string; uri: string }> => {
      const { id, uri } = await server.created("/event_destinations", destination());
      return { id, uri };
    };
    const body = async (more: Json = {}): Promise<Json> => ({
      sources: sourcesOf(CREATED),
      destination_ids: [(await destinationRef()).id],
      ...more,
    });
    const subscription = async (more: Json = {}) => server.created(PATH, await body(more));
    const sourcesAt = (uri: string, ...types: string[]) =>
      types.map((type) => ({ type, uri: `${uri}/sources/${type}` }));

    it("sources are answered with the address of each", async () => {
      const { uri, sources } = await subscription({ sources: sourcesOf(CREATED, DELETED) });
      expect(sources).to.have.deep.members(sourcesAt(uri, CREATED, DELETED));
      expect((await server.read(uri)).sources).to.deep.equal(sources);
      for (const source of sources) expect(await server.read(source.uri)).to.deep.equal(source);
    });

    it("an update of sources replaces them all, and leaves the destinations", async () => {
      const { uri, destinations } = await subscription({ sources: sourcesOf(CREATED, UPDATED) });
      const answer = await server.rest.patch(uri, { sources: sourcesOf(UPDATED, DELETED) });
      expect(answer.body.sources).to.have.deep.members(sourcesAt(uri, UPDATED, DELETED));
      expect(answer.body.destinations).to.deep.equal(destinations);
      expectRefused(await server.rest.get(`${uri}/sources/${CREATED}`), notFound);
    });

    it("destinations are answered as references, and an update replaces them all and leaves the sources", async () => {
      const [one, two, three] = [await destinationRef(), await destinationRef(), await destinationRef()];
      const { uri, destinations, sources } = await subscription({ destination_ids: [one.id, two.id] });
      expect(destinations).to.deep.equal([one, two]);
      const answer = await server.rest.patch(uri, { destination_ids: [three.id] });
      expect(answer.body).to.deep.include({ destinations: [three], sources });
      expect(await server.read(uri)).to.deep.equal(answer.body);
    });

    it("a source can be added, listed, read and deleted at its own address", async () => {
      const { uri, id, ...before } = await subscription();
      const [one, two] = sourcesAt(uri, CREATED, DELETED);
      expect(await server.created(`${uri}/sources`, { type: DELETED })).to.deep.equal(two);
      expect(await server.read(`${uri}/sources/${DELETED}`)).to.deep.equal(two);
      const list = await server.read(`${uri}/sources`);
      expect(list).to.include({ uri: `${uri}/sources`, next_page_uri: null });
      expect(list.sources).to.have.deep.members([one, two]);
      const { sources, ...others } = await server.read(uri);
      expect(sources).to.have.deep.members([one, two]);
      expect({ ...others, sources: before.sources }).to.deep.equal({ uri, id, ...before });
      const deleted = await server.rest.delete(`${uri}/sources/${CREATED}`);
      expect([deleted.status, deleted.text]).to.deep.equal([204, ""]);
      expectRefused(await server.rest.get(`${uri}/sources/${CREATED}`), notFound);
      expect((await server.read(`${uri}/sources`)).sources).to.deep.equal([two]);
      expect((await server.read(uri)).sources).to.deep.equal([two]);
    });

    it("a source is added once, and is there for its own subscription alone, as long as that is", async () => {
      const { uri } = await subscription();
      const again = () => server.rest.post(`${uri}/sources`, { type: CREATED });
      await server.unchangedBy(uri, again, taken("type"));
      const unknown = () => server.rest.post(`${uri}/sources`, { type: "nothing_created.v0" });
      await server.unchangedBy(uri, unknown, invalid("type"));
      await subscription({ sources: sourcesOf(DELETED) });
      const others = `${uri}/sources/${DELETED}`;
      expectRefused(await server.rest.get(others), notFound);
      await server.unchangedBy(uri, () => server.rest.delete(others), notFound);
      await server.rest.delete(uri);
      expectRefused(await server.rest.get(`${uri}/sources`), notFound);
      expectRefused(await server.rest.post(`${uri}/sources`, { type: DELETED }), notFound);
      expectRefused(await server.rest.delete(`${uri}/sources/${CREATED}`), notFound);
    });

    it("no source is lost if many are added at the same time", async () => {
      const many = EVENT_TYPES.slice(0, 45); // the server works on 64 requests of a caller at once
      const { uri } = await subscription({ sources: sourcesOf(many[0]) });
      const answers = await Promise.all(
        many.slice(1).map((type) => server.rest.post(`${uri}/sources`, { type })),
      );
      for (const { status, text } of answers) expect(status, text).to.equal(201);
      expect((await server.read(uri)).sources).to.have.deep.members(sourcesAt(uri, ...many));
    });
  });
});
