import { expect } from "chai";
import { badQuery, expectRefused, hostport, type Json, serverOfThisFile } from "../support/api/expect";
import { destination } from "../support/api/fixtures";
import { onEveryDatabase } from "../support/databases";
import { Rest } from "../support/rest";

onEveryDatabase("References to an object", (start) => {
  const server = serverOfThisFile(start);

  it("are listed with their fields, page by page", async () => {
    const policy = await server.created("/ip_policies", {});
    const edges: string[] = [];
    for (let left = 0; left < 3; left++) {
      const { id } = await server.created("/edges/tls", {
        hostports: [hostport()],
        ip_restriction: { ip_policy_ids: [policy.id] },
      });
      edges.push(id);
    }
    const first = await server.read(`/references?object_id=${policy.id}&limit=2`);
    const second = await server.read(first.next_page_uri);
    const all = [...first.references, ...second.references];
    expect(all.map(({ id }: Json) => id)).to.deep.equal(edges.toReversed());
    expect(all[0]).to.deep.equal({
      id: edges[2],
      uri: await server.uriOf(`/edges/tls/${edges[2]}`),
      kind: "tls_edge",
      fields: ["ip_restriction.ip_policy_ids[0]"],
    });
    expect(second.next_page_uri).to.equal(null);
  });

  it("are none for an object that nobody refers to, and need the id of an object", async () => {
    const policy = await server.created("/ip_policies", {});
    expect((await server.read(`/references?object_id=${policy.id}`)).references).to.deep.equal([]);
    expectRefused(await server.rest.get("/references"), badQuery);
    expectRefused(await server.rest.get("/references?object_id=nothing"), badQuery);
  });

  it("are left out where the caller may not see them", async () => {
    const bot = await server.created("/bot_users", { name: "ada" });
    const { token } = await server.created("/api_keys", { owner_id: bot.id });
    const target = await server.created("/event_destinations", destination());
    const credential = await server.created("/credentials", {});
    await server.created("/event_subscriptions", {
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids: [target.id],
    });
    const member = new Rest(server.url, token);
    expect((await server.read(`/references?object_id=${target.id}`)).references).to.have.lengthOf(1);
    expect((await member.get(`/references?object_id=${target.id}`)).body.references).to.deep.equal([]);
    expect((await member.get(`/references?object_id=${credential.owner_id}`)).status).to.equal(400);
    const other = await server.created("/credentials", { owner_id: bot.id });
    const owned = (await member.get(`/references?object_id=${bot.id}`)).body.references.map(
      ({ id }: Json) => id,
    );
    expect(owned).to.include(other.id);
  });
});
