import { expect } from "chai";
import { hostport, missingReference, notFound, serverOfThisFile, unique } from "../../support/api/expect";
import { TYPES } from "../../support/api/types";
import { execute, onEveryDatabase } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";

onEveryDatabase("Objects of another project", (start) => {
  const server = serverOfThisFile(start);

  /** Puts objects into another project, as if it had made them. */
  const moveAway = (...ids: string[]) =>
    execute(
      server.data,
      ids.map((id) => `update resource set project_id = 'proj_other' where id = '${id}'`).join("; "),
    );

  it("do not exist, whatever their kind: by id, in lists, for changes and for references", async () => {
    // Projects and memberships belong to the account, whose admins see all of them.
    for (const type of TYPES.filter(({ prefix }) => prefix !== "proj" && prefix !== "mbr")) {
      const body = await type.body(server.rest);
      const own = await server.created(type.path, body);
      const other = await server.created(type.path, await type.body(server.rest));
      const { body: before } = await server.rest.get(`${type.path}?limit=1`);
      expect(before[type.listKey][0].id, type.name).to.equal(other.id);
      await moveAway(other.id);
      const uri = new URL(other.uri).pathname;
      const ask = (method: string, path: string) => () =>
        server.rest.request(method, path, method === "PATCH" ? {} : undefined);
      await refusedBeside({
        refused: ["GET", "PATCH", "DELETE"].map((method) => ask(method, uri)),
        as: notFound,
        allowed: ask("PATCH", new URL(own.uri).pathname),
      });
      const { body: list } = await server.rest.get(type.path);
      expect(list[type.listKey].map(({ id }: { id: string }) => id))
        .to.include(own.id)
        .and.not.to.include(other.id);
    }
  });

  it("cannot be referred to, and what refers to them stays unknown", async () => {
    const policy = await server.created("/ip_policies", {});
    const rule = await server.created("/ip_policy_rules", {
      ip_policy_id: policy.id,
      cidr: "192.0.2.0/24",
      action: "allow",
    });
    await moveAway(policy.id, rule.id);
    const own = await server.created("/ip_policies", {});
    const refer = (query: string, id: string) => () =>
      server.rest.post(`/edges/tls${query}`, {
        hostports: [hostport()],
        ip_restriction: { ip_policy_ids: [id] },
      });
    await refusedBeside({
      refused: ["", "?dry_run=true"].map((query) => refer(query, policy.id)),
      as: missingReference("ip_restriction.ip_policy_ids[0]"),
      allowed: refer("", own.id),
    });
    expect((await server.read(`/references?object_id=${policy.id}`)).references).to.deep.equal([]);
  });

  it("are in no change set, and cannot be adopted by one", async () => {
    const set = unique("set");
    const objects = [{ kind: "ip_policy", key: "a" }];
    const { body } = await server.rest.post("/changesets", { set, objects });
    const [{ id }] = body.operations;
    await moveAway(id);
    expect((await server.read(`/changesets/${set}`)).objects).to.deep.equal([]);
    const adopted = await server.rest.post("/changesets", {
      set: unique("set"),
      objects: [{ ...objects[0], id }],
    });
    expect(adopted.body.faults[0]).to.include({ error_code: "TP_1004", field: "id" });
  });

  it("show of a unique value only that another project has it", async () => {
    const name = hostport();
    const edge = await server.created("/edges/tls", { hostports: [name] });
    await moveAway(edge.id);
    const { refused } = await refusedBeside({
      refused: ["/edges/tls", "/edges/https?dry_run=true"].map(
        (path) => () => server.rest.post(path, { hostports: [name] }),
      ),
      as: { status: 409, code: "TP_1501" },
      allowed: () => server.rest.post("/edges/tls", { hostports: [hostport()] }),
    });
    for (const { body, text } of refused) {
      expect(body.msg).to.equal("hostports[0] is taken in another project; choose another");
      expect(text).not.to.contain(edge.id);
    }
    expect((await server.read(`/edges/tls?hostport=${name}`)).tls_edges).to.deep.equal([]);
  });

  it("are in no exposure, decision, finding or guarantee", async () => {
    const name = hostport();
    const edge = await server.created("/edges/https", { hostports: [name] });
    const route = await server.created(`/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: "/",
    });
    const address = `/exposure?address=${encodeURIComponent(name)}`;
    expect((await server.read(address)).exposure).to.have.length(1);
    const [host] = name.split(":");
    const guarantee = await server.created("/guarantees", {
      expect: "refused",
      addresses: [`${unique("w")}.${host}:443/x`],
    });
    await moveAway(edge.id, route.id);
    expect((await server.read(address)).exposure).to.deep.equal([]);
    const all = (await server.rest.get("/exposure")).text;
    expect(all).not.to.contain(name);
    const decided = await server.rest.post("/exposure/decisions", {
      requests: [{ address: name, path: "/" }],
    });
    expect(decided.text).not.to.contain(edge.id).and.not.to.contain(route.id);
    await moveAway(guarantee.id);
    const unknown = guarantee.addresses[0].replace(/\/.*/, "");
    const mine = await server.created("/edges/https", { hostports: [unknown] });
    const open = await server.rest.post(`/edges/https/${mine.id}/routes?findings=true&dry_run=true`, {
      match_type: "path_prefix",
      match: "/",
    });
    expect(open.status, open.text).to.equal(201);
    expect(open.text).not.to.contain(guarantee.id).and.not.to.contain(edge.id);
  });
});
