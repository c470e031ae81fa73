import { apiOnEveryDatabase, hostport, unique } from "../support/api/expect";
import { type Declared, declared, faultsIn, operationsIn, ref, SetInTest } from "./support";

const ID = /\b[a-z]+_[0-9A-Za-z]{24,}\b/;

apiOnEveryDatabase("The faults of a change set", (server) => {
  const newSet = () => new SetInTest(server.rest, unique("set"));
  const send = (body: object) => server.rest.post("/changesets", body);
  const wrong = [declared("tls_edge", "bad", { hostports: ["no port"] }), { kind: "no_such_kind", key: "x" }];
  const faultsOfWrong = ["tls_edge/bad hostports[0] TP_1001", "objects[1] kind TP_1001"];

  it("are those of the request itself and those of its objects, together", async () => {
    for (const [request, ...faults] of [
      [{ set: "prod", mode: "x" }, " mode TP_1001"],
      [{ set: "d d" }, " set TP_1001"],
      [{}, " set TP_1001"],
      [{ set: "prod", max_deletes: -1 }, " max_deletes TP_1001"],
      [{ set: "prod", expect: 5 }, " expect TP_1001"],
      [{ set: "prod", other: 1 }, " other TP_1002"],
      [{ set: "prod", other: "\ud800" }, " other TP_1001", " other TP_1002"],
    ] as const) {
      const refused = await send({ objects: wrong, ...request });
      expect(refused.status, refused.text).to.equal(400);
      expect(faultsIn(refused)).to.deep.equal([...faults, ...faultsOfWrong]);
      expect(refused.body.fault_count).to.equal(refused.body.faults.length);
    }
  });

  it("are reported in the same form where the objects cannot be read", async () => {
    const objects = Array.from({ length: 5_001 }, (_, index) => declared("ip_policy", `p${index}`));
    for (const request of [{}, { objects: 5 }, { objects }, { objects: objects.map(() => 5) }]) {
      const refused = await send({ set: "prod", mode: "own", ...request });
      expect(refused.status).to.equal(400);
      expect(faultsIn(refused)).to.deep.equal([" objects TP_1001"]);
      expect(refused.body.fault_count).to.equal(1);
    }
  });

  it("count backends outside of the set by their depth: a thousand side by side are fine, a deeper chain is not", async () => {
    const outside = newSet();
    const side = Array.from({ length: 1_100 }, (_, index) =>
      declared("failover_backend", `side${index}`, { backends: [] }),
    );
    const chain = Array.from({ length: 1_002 }, (_, index) =>
      declared("failover_backend", `deep${index}`, {
        backends: index === 0 ? [] : [ref(`failover_backend/deep${index - 1}`)],
      }),
    );
    await outside.apply([...side, ...chain]);
    const ids = await outside.ids();
    const using = (name: string, indexes: number[]) =>
      declared("failover_backend", `uses-${name}${indexes[0]}`, {
        backends: indexes.map((index) => ids[`failover_backend/${name}${index}`]),
      });
    const all = side.map((_, index) => index);
    await newSet().apply([using("side", all.slice(0, 600)), using("side", all.slice(600))]);
    const deep = await newSet().send([using("deep", [1_001])]);
    expect(faultsIn(deep)).to.deep.equal(["failover_backend/uses-deep1001  TP_1001"]);
    expect(deep.body.msg).to.contain("nested more than 1000 deep");
  });

  it("do not include zero values that clients send for fields that they leave out", async () => {
    for (const zero of [null, "", 0]) {
      const [policy] = [{ kind: "ip_policy", key: "p", id: zero, fields: zero }];
      const answer = await send({
        set: unique("set"),
        mode: zero,
        expect: zero,
        max_deletes: zero,
        objects: [policy],
      });
      expect(answer.status, answer.text).to.equal(200);
      expect(operationsIn(answer)).to.deep.equal(["create ip_policy/p"]);
    }
  });

  it("come after `expect`: a request with another plan is 412, whatever is wrong with it", async () => {
    const [set, served] = [newSet(), hostport()];
    const edge = declared("tls_edge", "app", { hostports: [served] });
    const { digest } = (await set.plan([edge])).body;
    const added = { kind: "no_such_kind", key: "x" };
    for (const request of [
      { objects: [edge, added] },
      { objects: [edge], mode: "x" },
      { objects: [edge], other: 1 },
    ]) {
      const refused = await send({ set: set.name, expect: digest, ...request });
      expect(refused.status, refused.text).to.equal(412);
    }
    // Nothing of the set moved, and yet it could not be carried out any more.
    await server.created("/edges/tls", { hostports: [served] });
    expect((await set.send([edge], { expect: digest })).status).to.equal(412);
  });

  it("include more deletions than allowed, also where `expect` names the plan that deletes them", async () => {
    const set = newSet();
    await set.apply([declared("ip_policy", "p")]);
    const { digest } = (await set.plan([], { mode: "own", max_deletes: 1 })).body;
    const refused = await set.send([], { mode: "own", expect: digest });
    expect(refused.status).to.equal(409);
    expect(refused.body.faults[0].msg).to.contain("one object in all").and.to.contain("allows 0");
    expect(await set.apply([], { mode: "own", expect: digest, max_deletes: 1 })).to.deep.equal([
      "delete ip_policy/p",
    ]);
  });

  it("name references as they were written, and by no made-up id", async () => {
    const refused = await newSet().send([
      declared("static_backend", "a", { address: "10.0.0.1:80" }),
      declared("weighted_backend", "both", {
        backends: { "$key:static_backend/a": 10_001, "$key:static_backend/no": -1 },
      }),
      declared("ip_policy", "p"),
      declared("tls_edge", "app", { hostports: [hostport()], backend: { backend_id: ref("ip_policy/p") } }),
    ]);
    expect(faultsIn(refused)).to.deep.equal([
      'weighted_backend/both backends["$key:static_backend/no"] TP_1004',
      'weighted_backend/both backends["$key:static_backend/a"] TP_1001',
      'weighted_backend/both backends["$key:static_backend/no"] TP_1001',
      "tls_edge/app backend.backend_id TP_1005",
    ]);
    const { operation_id, ...details } = refused.body.details;
    expect(JSON.stringify({ ...refused.body, details })).not.to.match(ID);
    expect(refused.body.faults[0].msg).to.contain("add it to the request");
    expect(refused.body.faults[3].msg).to.contain('is {"$key": "ip_policy/p"}: expected the id of a');
  });

  it("are one for each reference that names no object", async () => {
    for (const backend_id of [
      { $key: "" },
      { $key: 5 },
      { $key: "static_backend" },
      { $key: "static_backend/a", more: 1 },
    ]) {
      const refused = await newSet().send([
        declared("tls_edge", "app", { hostports: [hostport()], backend: { backend_id } }),
      ]);
      expect(faultsIn(refused)).to.deep.equal(["tls_edge/app backend.backend_id TP_1001"]);
      expect(refused.body.faults[0].msg).to.contain('{"$key": "<kind>/<key>"}');
    }
    const refused = await newSet().send([declared("weighted_backend", "both", { backends: { "$key:": 1 } })]);
    expect(refused.body.fault_count, refused.text).to.equal(1);
    expect(refused.body.faults[0].msg).to.contain('"$key:<kind>/<key>"');
  });

  it("name an object with a value that no field may hold, and no object that refers to it", async () => {
    const set = newSet();
    const policy = (fields: string) => `{"kind": "ip_policy", "key": "p", "fields": ${fields}}`;
    const rule = JSON.stringify(
      declared("ip_policy_rule", "r", {
        ip_policy_id: ref("ip_policy/p"),
        cidr: "10.0.0.0/8",
        action: "allow",
      }),
    );
    const body = (fields: string) =>
      `{"set": "${set.name}", "mode": "own", "objects": [${rule}, ${policy(fields)}]}`;
    expect((await server.rest.post("/changesets", body("{}"))).status).to.equal(200);
    for (const [fields, fault] of [
      ['{"description": "\\ud800"}', "ip_policy/p description TP_1001"],
      ['{"__proto__": 1}', "ip_policy/p __proto__ TP_1002"],
    ] as const)
      expect(faultsIn(await server.rest.post("/changesets", body(fields)))).to.deep.equal([fault]);
    const odd = await server.rest.post("/changesets", {
      set: set.name,
      objects: [
        { kind: { toString: 1 }, key: "p" },
        { kind: ["ip_policy"], key: "p" },
      ],
    });
    expect(faultsIn(odd)).to.deep.equal(["objects[0] kind TP_1001", "objects[1] kind TP_1001"]);
  });

  it("say that a set has at most 5,000 objects, however many requests made them", async () => {
    const set = newSet();
    const policies = (prefix: string, count: number): Declared[] =>
      Array.from({ length: count }, (_, index) => declared("ip_policy", `${prefix}${index}`));
    await set.apply(policies("a", 5_000));
    const refused = await set.send([...policies("b", 1), ...wrong]);
    expect(faultsIn(refused)).to.deep.equal([
      " objects TP_1001",
      "tls_edge/bad hostports[0] TP_1001",
      "objects[2] kind TP_1001",
    ]);
    expect(refused.body.faults[0].msg).to.contain("at most 5000").and.to.contain("another set");
    await set.apply([], { mode: "own", max_deletes: 5_000 });
  });
});
