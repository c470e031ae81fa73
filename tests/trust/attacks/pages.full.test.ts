import { apiOnEveryDatabase, hostport, invalid } from "../../support/api/expect";
import { refusedBeside } from "../../support/refusal";
import { largeBackend, largeRoute } from "./largeObjects";

const MIB = 1024 * 1024;
const PAGE_BYTES = 8 * MIB;

apiOnEveryDatabase("Pages of large objects", (server) => {
  /** Pages through a list, and checks the size of each page. */
  const walk = async (path: string, key: string): Promise<{ id?: string; event_id?: string }[]> => {
    const seen = [];
    for (let next: string | null = path; next; ) {
      const page = await server.rest.get(next);
      expect(page.status, page.text.slice(0, 200)).to.equal(200);
      expect(Buffer.byteLength(page.text)).to.be.at.most(PAGE_BYTES);
      seen.push(...page.body[key]);
      next = page.body.next_page_uri;
      if (next)
        expect(new URL(next).searchParams.get("limit")).to.equal(
          new URL(path, server.url).searchParams.get("limit"),
        );
    }
    return seen;
  };

  it("hold at most 8 MiB, go on where they end, and show each object once", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 20; made++)
      ids.unshift((await server.created("/backends/http_response", largeBackend)).id);
    for (const limit of [100, 20, 10, 9]) {
      const seen = await walk(`/backends/http_response?limit=${limit}`, "backends");
      expect(seen.map(({ id }) => id)).to.deep.equal(ids);
    }
    const first = await server.read("/backends/http_response?limit=3");
    expect(first.backends).to.have.length(3);
    const last = await server.read(`/backends/http_response?limit=2&before_id=${ids.at(-3)}`);
    expect(last).to.include({ next_page_uri: null });
    const events = await walk("/events?limit=100", "events");
    expect(new Set(events.map(({ event_id }) => event_id)).size)
      .to.equal(events.length)
      .and.to.be.at.least(20);
  });

  it("of edges do so too: the routes of an edge are limited, and are written without the others", async () => {
    const edge = await server.created("/edges/https", { hostports: [hostport()] });
    const routes = [];
    for (let count = 0; count < 4; count++)
      routes.unshift(await server.created(`${edge.uri}/routes`, largeRoute(`/${count}`)));
    const etag = await server.etag(edge.uri);
    const another = await server.created("/edges/https", { hostports: [hostport()] });
    const add = (uri: string) => server.rest.post(`${uri}/routes?dry_run=true`, largeRoute("/further"));
    await refusedBeside({
      refused: () => server.unchangedBy(edge.uri, () => add(edge.uri)),
      as: { ...invalid(), mentions: [edge.id, String(4 * MIB)] },
      allowed: () => add(another.uri),
    });
    expect((await server.rest.delete(another.uri)).status).to.equal(204);
    const { uri } = routes[1];
    expect((await server.rest.patch(uri, { description: "longer" })).status).to.equal(200);
    expect(await server.etag(edge.uri)).not.to.equal(etag);
    routes[1] = await server.read(uri);
    expect((await server.read(edge.uri)).routes).to.deep.equal(routes);
    const patched = await server.rest.patch(edge.uri, { description: "mine" });
    expect(patched.body).to.deep.equal({ ...edge, description: "mine", routes });
    expect((await server.rest.delete(uri)).status).to.equal(204);
    routes.splice(1, 1);
    expect((await server.read(edge.uri)).routes).to.deep.equal(routes);
    for (let other = 0; other < 3; other++) {
      const { uri: another } = await server.created("/edges/https", { hostports: [hostport()] });
      for (let count = 0; count < 3; count++)
        await server.created(`${another}/routes`, largeRoute(`/${count}`));
    }
    const seen = (await walk("/edges/https?limit=100", "https_edges")) as { id: string; routes: unknown[] }[];
    expect(seen.map(({ routes: own }) => own.length)).to.deep.equal([3, 3, 3, 3]);
    expect(seen.at(-1)?.routes).to.deep.equal(routes);
  });
});
