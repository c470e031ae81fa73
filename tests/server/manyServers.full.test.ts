import { expectRefused, hostport, inUse, missingReference, taken, unique } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";
import { Rest, type RestAnswer } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { TwoServers } from "../support/twoServers";

const EDGES = "/edges/tls";
const BACKENDS = "/backends/tunnel_group";
const RULES = "/ip_policy_rules";
const labels = { app: "shop" };

describe("Several servers on one PostgreSQL database", () => {
  const two = new TwoServers();
  const { created } = two;
  let one: Rest;
  let other: Rest;
  before(() => {
    ({ one, other } = two);
  });

  it("a change on one of them is visible on the other at once", async () => {
    for (const [writer, reader] of [
      [one, other],
      [other, one],
    ] as const) {
      const { id } = await created("/ip_policies", { description: "first" }, writer);
      expect((await reader.get(`/ip_policies/${id}`)).body.description).to.equal("first");
      await writer.patch(`/ip_policies/${id}`, { description: "second" });
      expect((await reader.get(`/ip_policies/${id}`)).body.description).to.equal("second");
      expect((await reader.get("/ip_policies?limit=1")).body.ip_policies[0].id).to.equal(id);
      await writer.delete(`/ip_policies/${id}`);
      expect((await reader.get(`/ip_policies/${id}`)).status).to.equal(404);
    }
  });

  it("a search on one of them finds what was changed on the other just before", async () => {
    for (let turn = 0; turn < 10; turn++)
      for (const [writer, reader] of [
        [one, other],
        [other, one],
      ] as const) {
        const [before, after] = [unique("plover"), unique("curlew")];
        const found = async (text: string) =>
          (await reader.get(`/search?q=${text}`)).body.results.map(({ id }: { id: string }) => id);
        const { id } = await created("/ip_policies", { description: before }, writer);
        expect(await found(before)).to.deep.equal([id]);
        await writer.patch(`/ip_policies/${id}`, { description: after });
        expect(await found(before)).to.deep.equal([]);
        expect(await found(after)).to.deep.equal([id]);
        await writer.delete(`/ip_policies/${id}`);
        expect(await found(after)).to.deep.equal([]);
      }
  });

  it("a project that is made on one of them may be named on the other at once", async () => {
    await other.get("/caller"); // It keeps the list of projects for a second.
    const name = "made-on-another";
    await one.post("/projects", { name });
    const answer = await other.get("/ip_policies", { "tunnelplane-project": name });
    expect(answer.status, answer.text).to.equal(200);
  });

  it("updates of different fields at the same moment are all kept", async () => {
    const { id } = await created(EDGES, { hostports: [hostport()] });
    const [port, path] = [hostport(), `${EDGES}/${id}`];
    const answers = await two.collide(
      id,
      () => one.patch(path, { description: "mine" }),
      () => other.patch(path, { metadata: "yours" }),
      () => one.patch(path, { hostports: [port] }),
      () => other.put(`${path}/tls_termination`, { min_version: "1.3" }),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const { body } = await one.get(path);
    expect(body).to.deep.include({ description: "mine", metadata: "yours", hostports: [port] });
    expect(body.tls_termination.min_version).to.equal("1.3");
  });

  it("a hostport that is posted to both at once is served by one edge", async () => {
    for (let round = 0; round < 20; round++) {
      const hostports = [hostport(), hostport(), hostport()];
      const answers = await Promise.all([
        one.post(EDGES, { hostports }),
        other.post(EDGES, { hostports: hostports.toReversed() }),
        one.post(EDGES, { hostports: hostports.slice(1) }),
        other.post(EDGES, { hostports: hostports.slice(1) }),
      ]);
      const losers = answers.filter(({ status }) => status !== 201);
      expect(losers).to.have.length(3);
      for (const loser of losers) expectRefused(loser, taken(loser.body.details.field));
    }
  });

  it("if one deletes a backend while the other creates an edge with it, exactly one of the two is refused", async () => {
    for (const deletedFirst of [true, false]) {
      const { id } = await created(BACKENDS, { labels });
      const remove = () => one.delete(`${BACKENDS}/${id}`);
      const refer = () => other.post(EDGES, { hostports: [hostport()], backend: { backend_id: id } });
      if (deletedFirst) {
        const [deleted, refused] = (await two.collide(id, remove, refer)) as [RestAnswer, RestAnswer];
        expect(deleted.status).to.equal(204);
        expectRefused(refused, missingReference("backend.backend_id", id));
      } else {
        const [edge, refused] = (await two.collide(id, refer, remove)) as [RestAnswer, RestAnswer];
        expect(edge.status, edge.text).to.equal(201);
        expectRefused(refused, inUse(edge.body.id));
      }
    }
  });

  it("an IP policy that is deleted on one while the other changes its rules is deleted with all of them", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await created("/ip_policies", {});
      const rule = await created(RULES, { ip_policy_id: id, cidr: "10.0.0.0/8", action: "allow" });
      const [deleted] = await Promise.all([
        one.delete(`/ip_policies/${id}`),
        other.patch(`${RULES}/${rule.id}`, { cidr: "192.0.2.0/24" }),
        other.post(RULES, { ip_policy_id: id, cidr: "198.51.100.0/24", action: "deny" }),
      ]);
      expect(deleted.status, deleted.text).to.equal(204);
    }
    expect((await one.get(RULES)).body.ip_policy_rules).to.deep.equal([]);
  });

  it("an edge shows its current routes, even if they are created, changed and deleted on both at once", async () => {
    const edge = await created("/edges/https", { hostports: [hostport()] });
    const routes = `/edges/https/${edge.id}/routes`;
    const make = (rest: Rest, match: string) => created(routes, { match_type: "path_prefix", match }, rest);
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => make(index % 2 ? one : other, `/${index}`)),
    );
    const answers = await Promise.all([
      ...made
        .slice(0, 8)
        .map(({ id }, index) =>
          (index % 2 ? one : other).patch(`${routes}/${id}`, { description: "changed" }),
        ),
      ...made.slice(8, 16).map(({ id }, index) => (index % 2 ? one : other).delete(`${routes}/${id}`)),
      one.patch(`/edges/https/${edge.id}`, { description: "changed" }),
      make(other, "/one-more").then(() => other.get(routes)),
    ]);
    for (const answer of answers) expect(answer.status, answer.text).to.be.oneOf([200, 204]);
    const { body } = await one.get(`/edges/https/${edge.id}`);
    const listed = (await other.get(`${routes}?limit=100`)).body.routes;
    expect(body.description).to.equal("changed");
    expect(listed).to.have.length(17);
    const inServer = (uri: string) => new URL(uri).pathname;
    expect(body.routes.map((route: { uri: string }) => inServer(route.uri))).to.deep.equal(
      listed.map((route: { uri: string }) => inServer(route.uri)),
    );
    expect(
      body.routes.filter(({ description }: { description: string }) => description === "changed"),
    ).to.have.length(8);
  });
});

const env = { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined };
const keysOf = (servers: readonly ServerProcess[]) =>
  servers.flatMap(({ printed }) => printed.match(/tpk_[\w-]{43}/g) ?? []);

onEveryDatabase("Servers that start at the same time", (start, database) => {
  it("all start on an empty one, create a single admin with one API key, and share everything", async () => {
    const data = await database.create();
    const servers = await Promise.all(Array.from({ length: 4 }, () => start({ data, env })));
    const keys = keysOf(servers);
    expect(keys).to.have.length(1);
    const rests = servers.map(({ url }) => new Rest(url, keys[0] as string));
    const ids = await Promise.all(rests.map(async (rest) => (await rest.post("/credentials", {})).body));
    expect(new Set(ids.map(({ owner_id }) => owner_id)).size).to.equal(1);
    const callers = await Promise.all(rests.map(async (rest) => (await rest.get("/caller")).body));
    expect(new Set(callers.map(({ server_id }) => server_id)).size).to.equal(1);
    for (const [index, rest] of rests.entries()) {
      const { credentials } = (await rest.get("/credentials")).body;
      expect(credentials).to.have.length(servers.length);
      for (const { uri } of credentials) expect(new URL(uri).origin).to.equal(servers[index]?.url);
    }
  });
});
