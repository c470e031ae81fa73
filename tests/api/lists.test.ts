import { apiOnEveryDatabase, badQuery, expectRefused, hostport, unknownId } from "../support/api/expect";
import { TYPES } from "../support/api/types";

type Listed = { readonly id: string };

apiOnEveryDatabase("Lists", (server) => {
  const credential = async (): Promise<string> => (await server.created("/credentials", {})).id;
  const credentials = async (count: number): Promise<string[]> => {
    const ids = [];
    for (let i = 0; i < count; i++) ids.push(await credential());
    return ids;
  };
  const idsOf = (page: Record<string, Listed[]>, key = "credentials"): string[] =>
    (page[key] ?? []).map(({ id }) => id);

  /** Follows the pages from the newest object to the oldest; `between` happens after each. */
  const walk = async (first: string, between?: () => Promise<unknown>): Promise<string[]> => {
    const seen: string[] = [];
    for (let next: string | null = first; next !== null; ) {
      const page = await server.read(next);
      seen.push(...idsOf(page));
      next = page.next_page_uri;
      await between?.();
    }
    return seen;
  };

  for (const { name, path, body, listKey } of TYPES)
    it(`${name} is listed before older ones, page by page`, async () => {
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.unshift((await server.created(path, await body(server.rest))).id);
      expect(idsOf(await server.read(path), listKey).slice(0, 5)).to.deep.equal(ids);
      const first = await server.read(`${path}?limit=2`);
      expect(idsOf(first, listKey)).to.deep.equal(ids.slice(0, 2));
      expect(idsOf(await server.read(first.next_page_uri), listKey)).to.deep.equal(ids.slice(2, 4));
    });

  it("of a gateway, which reads all projects, are as an admin's: of one type, page by page", async () => {
    const { rest: gateway } = await server.member({ role: "gateway" });
    const ALIKE = [
      ...["/ip_policies", "/ip_policy_rules", "/ip_restrictions", "/edges/tls", "/edges/tcp", "/edges/https"],
    ];
    const types = TYPES.filter((type) => ALIKE.includes(type.path));
    expect(types).to.have.length(ALIKE.length);
    for (const { path, listKey } of types) {
      const listed = await server.read(`${path}?limit=100`);
      expect((await gateway.get(`${path}?limit=100`)).body[listKey]).to.deep.equal(listed[listKey]);
      const [first, second, third] = idsOf(listed, listKey);
      const page = (await gateway.get(`${path}?limit=1&before_id=${first}`)).body;
      expect(idsOf(page, listKey)).to.deep.equal(second === undefined ? [] : [second]);
      expect(page.next_page_uri === null).to.equal(third === undefined);
    }
  });

  it("limit says how many objects a page has, up to 100, which is also the default", async () => {
    await credentials(101);
    for (const limit of [1, 7, 99, 100])
      expect(idsOf(await server.read(`/credentials?limit=${limit}`))).to.have.length(limit);
    expect(idsOf(await server.read("/credentials"))).to.have.length(100);
  });

  it("before_id gives the objects that are older than it, whether it still exists or not", async () => {
    const [oldest = "", middle = "", newest = ""] = await credentials(3);
    const before = async (id: string) => idsOf(await server.read(`/credentials?limit=2&before_id=${id}`));
    expect(await before(newest)).to.deep.equal([middle, oldest]);
    await server.rest.delete(`/credentials/${newest}`);
    expect(await before(newest)).to.deep.equal([middle, oldest]);
    expect((await before(middle))[0]).to.equal(oldest);
  });

  it("addresses in a list are absolute, and that of the next page repeats the limit", async () => {
    await credentials(4);
    const page = await server.read("/credentials?limit=3");
    expect(new URL(page.uri).pathname).to.equal("/credentials");
    expect(new URL(page.uri).origin).to.equal(server.url);
    const next = new URL(page.next_page_uri);
    expect(next.origin + next.pathname).to.equal(`${server.url}/credentials`);
    expect(Object.fromEntries(next.searchParams)).to.deep.equal({ limit: "3", before_id: idsOf(page)[2] });
  });

  it("the last page has no next one, even if it is full", async () => {
    for (const { id } of (await server.read("/ip_restrictions")).ip_restrictions)
      await server.rest.delete(`/ip_restrictions/${id}`);
    for (const { id } of (await server.read("/ip_policies")).ip_policies)
      await server.rest.delete(`/ip_policies/${id}`);
    for (let i = 0; i < 4; i++) await server.created("/ip_policies", {});
    expect((await server.read("/ip_policies")).next_page_uri).to.equal(null);
    expect((await server.read("/ip_policies?limit=4")).next_page_uri).to.equal(null);
    const second = await server.read((await server.read("/ip_policies?limit=2")).next_page_uri);
    expect(idsOf(second, "ip_policies")).to.have.length(2);
    expect(second.next_page_uri).to.equal(null);
  });

  it("a list without objects is an empty array", async () => {
    await credential();
    const oldest = (await walk("/credentials")).at(-1);
    const page = await server.read(`/credentials?before_id=${oldest}`);
    expect(page).to.include({ next_page_uri: null }).and.to.have.property("credentials").that.is.an("array")
      .that.is.empty;
  });

  it("a client that pages through a list while others create and delete sees each lasting object exactly once", async () => {
    const planned = await credentials(60);
    const staying = planned.filter((_, i) => i % 3 !== 0);
    const leaving = planned.filter((_, i) => i % 3 === 0);
    const meanwhile = async (): Promise<void> => {
      const leaves = leaving.pop();
      await Promise.all([credential(), credential(), leaves && server.rest.delete(`/credentials/${leaves}`)]);
    };
    const walks = await Promise.all([4, 5, 7].map((limit) => walk(`/credentials?limit=${limit}`, meanwhile)));
    for (const seen of walks) {
      expect(seen).to.include.members(staying);
      expect(new Set(seen).size).to.equal(seen.length);
    }
  });

  const filtered = async (path: string, query: object, key: string): Promise<string[]> => {
    const page = await server.read(`${path}?${new URLSearchParams({ ...query })}`);
    expect(page.next_page_uri).to.equal(null);
    return idsOf(page, key);
  };

  it("a filter by hostport finds the one edge of that kind, in upper or lower case", async () => {
    const own = hostport();
    const edge = await server.created("/edges/tls", { hostports: [hostport(), own], description: "found" });
    const found = (query: object) => filtered("/edges/tls", query, "tls_edges");
    expect(await found({ hostport: own.toUpperCase() })).to.deep.equal([edge.id]);
    expect(await found({ hostport: own, description: "found" })).to.deep.equal([edge.id]);
    expect(await found({ hostport: own, description: "other" })).to.deep.equal([]);
    expect(await found({ hostport: own, before_id: edge.id })).to.deep.equal([]);
    expect(await found({ hostport: "nobody.example.com:443" })).to.deep.equal([]);
    expect(await filtered("/edges/https", { hostport: own }, "https_edges")).to.deep.equal([]);
  });

  it("filters by description, metadata and owner find exact matches only, and page on", async () => {
    const named = async (description: string, metadata = "") =>
      (await server.created("/credentials", { description, metadata })).id;
    const [first, second] = [await named('exactly "this"', '{"a": 1}'), await named('exactly "this"')];
    await named('exactly "this" and more', 'exactly "this"');
    const found = (query: object) => filtered("/credentials", query, "credentials");
    expect(await found({ description: 'exactly "this"' })).to.deep.equal([second, first]);
    expect(await found({ description: 'exactly "this"', metadata: '{"a": 1}' })).to.deep.equal([first]);
    expect(await found({ description: "Exactly" })).to.deep.equal([]);
    const page = await server.read(
      `/credentials?limit=1&description=${encodeURIComponent('exactly "this"')}`,
    );
    expect(idsOf(page)).to.deep.equal([second]);
    expect(idsOf(await server.read(page.next_page_uri))).to.deep.equal([first]);
    const bot = await server.created("/bot_users", { name: "filtered" });
    const { id } = await server.created("/credentials", { owner_id: bot.id });
    expect(await found({ owner_id: bot.id })).to.deep.equal([id]);
    expect(await found({ owner_id: bot.id, description: "other" })).to.deep.equal([]);
    const emptied = await server.read("/credentials?description=&limit=100");
    expect(idsOf(emptied)).to.include(id).and.not.to.include(first);
  });

  it("a filter that nothing matches answers an empty list, also where there is nothing to look at", async () => {
    for (const owner of ["usr_nobody", "", "\0"])
      expect(await filtered("/credentials", { owner_id: owner }, "credentials")).to.deep.equal([]);
    const tail = { description: "", before_id: `cr_${"0".repeat(27)}` };
    expect(await filtered("/credentials", tail, "credentials")).to.deep.equal([]);
    expect(await filtered("/ssh_credentials", { description: "", metadata: "" }, "ssh_credentials")).to.be.an(
      "array",
    );
  });

  it("a limit that is not a whole number from 1 to 100, the id of another kind and a filter for another type are refused", async () => {
    const limits = "0 -1 101 1000000 1.5 ten NaN 0x10".split(" ").map((limit) => `limit=${limit}`);
    for (const query of limits)
      expectRefused(await server.rest.get(`/credentials?${query}`), {
        ...badQuery,
        mentions: ["limit", "100"],
      });
    for (const id of ["nonsense", unknownId("ipp")]) {
      const refusal = { ...badQuery, mentions: ["before_id", "cr_"] };
      expectRefused(await server.rest.get(`/credentials?before_id=${id}`), refusal);
    }
    const filters =
      "/credentials?hostport=a:1 /edges/tls?owner_id=usr_1 /edges/tls?name=x /bot_users?metadata=x";
    for (const path of filters.split(" ")) expectRefused(await server.rest.get(path), badQuery);
  });
});
