import { expect } from "chai";
import { expectRefused, hostport, inUse, invalid, serverOfThisFile } from "../support/api/expect";
import { onOneDatabase } from "../support/databases";

onOneDatabase("Tunnel-group backends", (start) => {
  const server = serverOfThisFile(start);
  const PATH = "/backends/tunnel_group";

  it("labels are stored as sent, also in scripts beyond ASCII", async () => {
    const labels = { app: "shop", "team/name": "Bezahlung – 支払い", constructor: "x" };
    const { uri } = await server.created(PATH, { labels });
    expect((await server.read(uri)).labels).to.deep.equal(labels);
  });

  it("an update of labels replaces them all", async () => {
    const { uri } = await server.created(PATH, { labels: { app: "shop", team: "payments" } });
    await server.rest.patch(uri, { labels: { app: "till" } });
    expect((await server.read(uri)).labels).to.deep.equal({ app: "till" });
    await server.rest.patch(uri, { description: "labels stay" });
    expect((await server.read(uri)).labels).to.deep.equal({ app: "till" });
  });

  it("a label with an equals sign is refused, in its key and in its value", async () => {
    const { uri } = await server.created(PATH, { labels: { app: "shop" } });
    for (const labels of [{ "a=b": "c" }, { a: "b=c" }, { a: "=" }]) {
      expectRefused(await server.rest.post(PATH, { labels }), invalid(undefined, "=", "labels"));
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.patch(uri, { labels })),
        invalid(undefined, "="),
      );
    }
  });

  it("labels that are not a map of strings are refused", async () => {
    for (const labels of ["app=shop", 5, ["app"]])
      expectRefused(await server.rest.post(PATH, { labels }), invalid("labels"));
    for (const value of [5, true, ["shop"], { name: "shop" }])
      expectRefused(await server.rest.post(PATH, { labels: { app: value } }), invalid("labels.app"));
  });

  it("a backend that an edge uses is not deleted until the edge uses another", async () => {
    const create = () => server.created(PATH, { labels: { app: "shop" } });
    const [first, second] = [await create(), await create()];
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      backend: { backend_id: first.id },
    });
    expectRefused(await server.unchangedBy(first.uri, () => server.rest.delete(first.uri)), inUse(edge.id));
    await server.rest.put(`${edge.uri}/backend`, { backend_id: second.id });
    expect((await server.rest.delete(first.uri)).status).to.equal(204);
    expectRefused(await server.rest.delete(second.uri), inUse(edge.id));
  });

  it("the refusal to delete a backend that many edges use names a few of them", async () => {
    const { id, uri } = await server.created(PATH, { labels: { app: "shop" } });
    const users = [];
    for (let count = 0; count < 7; count++) {
      users.push(
        (await server.created("/edges/tls", { hostports: [hostport()], backend: { backend_id: id } }))
          .id as string,
      );
    }
    const refused = await server.unchangedBy(uri, () => server.rest.delete(uri));
    expectRefused(refused, inUse("and others"));
    expect(users.filter((user) => refused.text.includes(user))).to.have.length(5);
  });
});
