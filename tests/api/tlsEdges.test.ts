import { expect } from "chai";
import { expectRefused, hostport, serverOfThisFile, taken, unique } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";

const PATH = "/edges/tls";

onEveryDatabase("TLS edges", (start) => {
  const server = serverOfThisFile(start);
  const create = (hostports: unknown) => server.rest.post(PATH, { hostports });
  const edge = (...hostports: string[]) =>
    server.created(PATH, { hostports: hostports.length > 0 ? hostports : [hostport()] });

  it("a hostport is served by one edge only, in upper or lower case", async () => {
    const name = `${unique("Taken")}.Example.com`;
    const [{ id, hostports }, other] = [await edge(`${name}:443`), await edge()];
    expect(hostports).to.have.length(1);
    for (const again of [`${name}:443`, `${name.toLowerCase()}:443`, `${name.toUpperCase()}:443`]) {
      const both = [hostport(), again];
      expectRefused(await create(both), { ...taken("hostports[1]"), mentions: [id] });
      expectRefused(
        await server.unchangedBy(other.uri, () => server.rest.patch(other.uri, { hostports: both })),
        taken("hostports[1]"),
      );
    }
    expect((await create([`${name}:8443`])).status, "another port").to.equal(201);
    expect((await create([`*.${name}:443`])).status, "the domains below").to.equal(201);
  });

  it("if one hostport of several is refused, the others stay free", async () => {
    const [{ hostports }, free] = [await edge(), hostport()];
    expectRefused(await create([free, ...hostports]), taken("hostports[1]"));
    await edge(free);
  });

  it("a hostport is free again after it is removed from its edge or its edge is deleted", async () => {
    const [first, second] = [hostport(), hostport()];
    const { uri } = await edge(first, second);
    expect((await server.rest.patch(uri, { hostports: [second] })).body.hostports).to.deep.equal([second]);
    await edge(first);
    expectRefused(await create([second]), taken("hostports[0]"));
    await server.rest.delete(uri);
    await edge(second);
  });

  it("an edge keeps its own hostports in an update that repeats, reorders or respells them", async () => {
    const [first, second] = [hostport(), hostport()];
    const { uri } = await edge(first, second);
    for (const hostports of [[first, second], [second, first], [first.toUpperCase()]])
      expect((await server.rest.patch(uri, { hostports })).status).to.equal(200);
  });

  it("if many claim one hostport at the same time, one succeeds", async () => {
    const wanted = hostport();
    const rivals = await Promise.all(Array.from({ length: 8 }, () => edge()));
    const answers = await Promise.all([
      ...rivals.map(({ uri }) => server.rest.patch(uri, { hostports: [wanted] })),
      ...Array.from({ length: 8 }, () => create([wanted])),
    ]);
    const losers = answers.filter(({ status }) => status !== 200 && status !== 201);
    expect(losers).to.have.length(15);
    for (const loser of losers) expectRefused(loser, taken("hostports[0]"));
  });
});
