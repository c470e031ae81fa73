import { SetInTest } from "../changesets/support";
import { expectRefused, serverOfThisFile, unique } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";

onEveryDatabase("TCP edges", (start) => {
  const server = serverOfThisFile(() =>
    start({ args: ["--tcp-address", "tcp.example.com", "--tcp-ports", "21000-21099"] }),
  );
  const PATH = "/edges/tcp";
  let last = 21_000;
  const next = () => ++last;
  const refused = async (path: string, hostports: string[], status: number, ...mentions: string[]) =>
    expectRefused(await server.rest.post(path, { hostports }), {
      status,
      code: status === 409 ? "TP_1501" : "TP_1001",
      mentions,
    });

  it("serve domain names and IP addresses, and no wildcards", async () => {
    const [one, two, three] = [next(), next(), next()];
    const hostports = [`db.example.com:${one}`, `203.0.113.7:${two}`, `[2001:db8::1]:${three}`];
    expect((await server.created(PATH, { hostports })).hostports).to.deep.equal(hostports);
    await refused(PATH, [`*.example.com:${next()}`], 400, "wildcard", "hostports[0]");
    await refused(PATH, ["db.example.com"], 400, "<host>:<port>");
  });

  it("may give one port two names, because it is one edge's either way", async () => {
    const port = next();
    const hostports = [`db.example.com:${port}`, `203.0.113.7:${port}`];
    expect((await server.created(PATH, { hostports })).hostports).to.deep.equal(hostports);
  });

  it("have ports of the server's range alone", async () => {
    await refused(PATH, ["db.example.com:443"], 400, "21000", "21099", "--tcp-ports", "/reserved_addrs");
    const edge = await server.created(PATH, { hostports: [`db.example.com:${next()}`] });
    expectRefused(await server.rest.patch(edge.uri, { hostports: ["db.example.com:5432"] }), {
      status: 400,
      code: "TP_1001",
      mentions: ["5432"],
    });
  });

  it("share a port with no other edge, whichever comes first", async () => {
    const [one, two, three] = [next(), next(), next()];
    await server.created(PATH, { hostports: [`db.example.com:${one}`] });
    await refused(PATH, [`other.example.com:${one}`], 409, String(one));
    for (const path of ["/edges/tls", "/edges/https"])
      await refused(path, [`${unique("app")}.example.com:${one}`], 409, "TCP edge");
    await server.created("/edges/tls", { hostports: [`${unique("app")}.example.com:${two}`] });
    await server.created("/edges/https", { hostports: [`${unique("app")}.example.com:${three}`] });
    for (const port of [two, three]) await refused(PATH, [`db.example.com:${port}`], 409, String(port));
  });

  it("give a port back when they are deleted or moved", async () => {
    const [one, two] = [next(), next()];
    const edge = await server.created(PATH, { hostports: [`db.example.com:${one}`] });
    const moved = await server.rest.patch(edge.uri, { hostports: [`db.example.com:${two}`] });
    expect(moved.status, moved.text).to.equal(200);
    await server.created("/edges/tls", { hostports: [`${unique("app")}.example.com:${one}`] });
    expect((await server.rest.delete(edge.uri)).status).to.equal(204);
    await server.created(PATH, { hostports: [`db.example.com:${two}`] });
  });

  it("take a port over in one change set that gives it up elsewhere", async () => {
    const port = next();
    const set = new SetInTest(server.rest, unique("set"));
    const app = { hostports: [`${unique("app")}.example.com:${port}`] };
    const db = { kind: "tcp_edge", key: "db", fields: { hostports: [`db.example.com:${port}`] } };
    await set.apply([{ kind: "tls_edge", key: "app", fields: app }]);
    const both = await set.send([{ kind: "tls_edge", key: "app", fields: app }, db]);
    expect(both.status, both.text).to.equal(409);
    expect(await set.apply([db], { mode: "own", max_deletes: 1 })).to.have.members([
      "create tcp_edge/db",
      "delete tls_edge/app",
    ]);
  });

  it("of which only one gets a port that two ask for at once, whatever their kinds", async () => {
    for (let round = 0; round < 10; round++) {
      const port = next();
      const answers = await Promise.all([
        server.rest.post(PATH, { hostports: [`db.example.com:${port}`] }),
        server.rest.post("/edges/tls", { hostports: [`${unique("app")}.example.com:${port}`] }),
        server.rest.post(PATH, { hostports: [`other.example.com:${port}`] }),
      ]);
      const [made, lost] = [201, 409].map((wanted) => answers.filter(({ status }) => status === wanted));
      expect([made?.length, lost?.length], answers.map(({ text }) => text).join()).to.deep.equal([1, 2]);
    }
  });

  it("may have the address that their own project reserved, and others may not", async () => {
    const { addr } = await server.created("/reserved_addrs", {});
    await server.created(PATH, { hostports: [addr] });
    const other = await server.created("/reserved_addrs", {});
    const shop = await server.created("/projects", { name: unique("shop").toLowerCase() });
    const there = { "tunnelplane-project": shop.name };
    expectRefused(await server.rest.post(PATH, { hostports: [other.addr] }, there), {
      status: 409,
      code: "TP_1501",
      mentions: ["another project"],
    });
    expect((await server.rest.post("/reserved_addrs", {})).body.addr).not.to.equal(addr);
  });
});
