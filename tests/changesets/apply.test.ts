import { apiOnEveryDatabase, hostport, unique } from "../support/api/expect";
import { tracesIn } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import { Rest } from "../support/rest";
import { declared, faultsIn, operationsIn, ref, SetInTest } from "./support";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada";

apiOnEveryDatabase("A change set", (server) => {
  const newSet = (rest: Rest = server.rest) => new SetInTest(rest, unique("set"));
  const site = (served = hostport()) => [
    declared("tls_edge", "app", {
      hostports: [served],
      backend: { backend_id: ref("weighted_backend/both") },
    }),
    declared("weighted_backend", "both", {
      backends: { "$key:tunnel_group_backend/web": 80, "$key:tunnel_group_backend/spare": 20 },
    }),
    declared("tunnel_group_backend", "web", { labels: { app: "web" } }),
    declared("tunnel_group_backend", "spare", { labels: { app: "spare" } }),
    declared("tunnel_credential", "agent", { acl: ["*"] }),
  ];

  it("creates what it declares, in any order, with references by key, and answers ids and tokens", async () => {
    const set = newSet();
    const answer = await set.send(site());
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.have.all.keys("set", "operations", "digest");
    const ids = await set.ids();
    const edge = await server.read(`/edges/tls/${ids["tls_edge/app"]}`);
    expect(edge.backend.backend.id).to.equal(ids["weighted_backend/both"]);
    const { backends } = await server.read(`/backends/weighted/${ids["weighted_backend/both"]}`);
    expect(backends).to.deep.equal({
      [ids["tunnel_group_backend/web"] as string]: 80,
      [ids["tunnel_group_backend/spare"] as string]: 20,
    });
    for (const { kind, key, id, op } of answer.body.operations) {
      expect(op).to.equal("create");
      expect(id).to.equal(ids[`${kind}/${key}`]);
    }
    const withToken = answer.body.operations.filter(({ token }: { token?: string }) => token !== undefined);
    expect(withToken.map(({ kind }: { kind: string }) => kind)).to.deep.equal(["tunnel_credential"]);
    expect(withToken[0].token).to.match(/^tpt_/);
    expect(await set.apply(site(edge.hostports[0]))).to.deep.equal([]);
  });

  it("is planned by a dry run, which keeps nothing, knows no ids and has the digest of the apply", async () => {
    const [set, objects] = [newSet(), site()];
    const before = await tracesIn(server);
    const plan = await set.plan(objects);
    expect(await tracesIn(server)).to.deep.equal(before);
    expect(plan.body.operations.map(({ id }: { id: null }) => id)).to.deep.equal([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(plan.text).not.to.contain("tpt_");
    const applied = await set.send(objects.toReversed(), { expect: plan.body.digest });
    expect(applied.status, applied.text).to.equal(200);
    expect(applied.body.digest).to.equal(plan.body.digest);
    expect(operationsIn(applied)).to.deep.equal(operationsIn(plan));
  });

  it("is refused by `expect` when anything moved since its plan, before other faults are reported", async () => {
    const [set, objects] = [newSet(), site()];
    await set.apply(objects);
    const changed = objects.map((one) =>
      one.key === "web" ? declared(one.kind, one.key, { labels: { app: "other" } }) : one,
    );
    const plan = await set.plan(changed);
    const ids = await set.ids();
    await server.rest.patch(`/backends/tunnel_group/${ids["tunnel_group_backend/spare"]}`, {
      description: "moved",
    });
    const before = await tracesIn(server);
    for (const request of [
      changed,
      [...changed, declared("tls_edge", "wrong", { hostports: ["no port"] })],
    ]) {
      const refused = await set.send(request, { expect: plan.body.digest });
      expect(refused.status).to.equal(412);
      expect(refused.body.error_code).to.equal("TP_1600");
    }
    expect(await tracesIn(server)).to.deep.equal(before);
  });

  it("refuses all faults at once, each with its key, field and cure, and leaves nothing", async () => {
    const set = newSet();
    const taken = await server.created("/edges/tls", { hostports: [hostport()] });
    const before = await tracesIn(server);
    const refused = await set.send([
      declared("tls_edge", "bad", { hostports: ["no port"], wrong: 1 }),
      declared("tls_edge", "taken", { hostports: taken.hostports }),
      declared("failover_backend", "lost", { backends: [ref("tunnel_group_backend/none")] }),
      declared("failover_backend", "a", { backends: [ref("failover_backend/b")] }),
      declared("failover_backend", "b", { backends: [ref("failover_backend/a")] }),
      declared("static_backend", "fine", { address: "10.0.0.1:80" }),
      { kind: "no_such_kind", key: "x" },
    ]);
    expect(refused.status).to.equal(400);
    expect(refused.body.error_code).to.equal(refused.body.faults[0].error_code);
    expect(faultsIn(refused)).to.deep.equal([
      ...["tls_edge/bad hostports[0] TP_1001", "tls_edge/bad wrong TP_1002"],
      ...["tls_edge/taken hostports[0] TP_1501", "failover_backend/lost backends[0] TP_1004"],
      ...["failover_backend/a backends[0] TP_1001", "objects[6] kind TP_1001"],
    ]);
    expect(refused.body.fault_count).to.equal(6);
    expect(refused.body.faults[4].msg).to.contain(
      "failover_backend/a → failover_backend/b → failover_backend/a",
    );
    expect(await tracesIn(server)).to.deep.equal(before);
  });

  it("lists at most 1,000 faults, and says how many there are", async () => {
    const refused = await newSet().send(
      Array.from({ length: 1_200 }, (_, index) => declared("tls_edge", `e${index}`, { hostports: ["x"] })),
    );
    expect(refused.body.faults).to.have.length(1_000);
    expect(refused.body.fault_count).to.equal(1_200);
  });

  it("puts what was declared and is left out back to its default, and leaves alone what was never declared", async () => {
    const [set, served] = [newSet(), hostport()];
    const edge = (fields: object) => [declared("tls_edge", "app", { hostports: [served], ...fields })];
    await set.apply(edge({ description: "declared", tls_termination: { min_version: "1.3" } }));
    const id = (await set.ids())["tls_edge/app"];
    await server.rest.patch(`/edges/tls/${id}`, { metadata: "by hand", mutual_tls: null });
    expect(await set.apply(edge({}))).to.deep.equal(["update tls_edge/app"]);
    const now = await server.read(`/edges/tls/${id}`);
    expect(now).to.deep.include({ description: "", metadata: "by hand", tls_termination: null });
  });

  it("gets a lost answer again, tokens included, and cannot use its key for another request", async () => {
    const [set, objects] = [newSet(), site()];
    const key = { "idempotency-key": unique("key") };
    const first = await set.send(objects, {}, key);
    const again = await set.send(objects, {}, key);
    expect(again.headers.get("idempotent-replayed")).to.equal("true");
    expect(again.body).to.deep.equal(first.body);
    expect((await set.send(objects.slice(1), {}, key)).status).to.equal(422);
  });

  it("in mode own deletes what left it, no more than allowed, and names what it would delete", async () => {
    const [set, objects] = [newSet(), site()];
    await set.apply(objects, { mode: "own" });
    const before = await tracesIn(server);
    const refused = await set.send(objects.slice(0, 4), { mode: "own" });
    expect(refused.status).to.equal(409);
    expect(faultsIn(refused)).to.deep.equal(["tunnel_credential/agent  TP_1503"]);
    expect(await tracesIn(server)).to.deep.equal(before);
    const ids = await set.ids();
    expect(await set.apply(objects.slice(0, 4), { mode: "own", max_deletes: 1 })).to.deep.equal([
      "delete tunnel_credential/agent",
    ]);
    expect((await server.rest.get(`/credentials/${ids["tunnel_credential/agent"]}`)).status).to.equal(404);
    expect(await set.apply([], { mode: "own", max_deletes: 4 })).to.have.length(4);
    expect(await set.ids()).to.deep.equal({});
  });

  it("in mode own refuses references to what it would delete", async () => {
    const [set, objects] = [newSet(), site()];
    await set.apply(objects);
    const without = objects.filter(({ key }) => key !== "both");
    const refused = await set.send(without, { mode: "own", max_deletes: 5 });
    expect(refused.status).to.equal(400);
    expect(faultsIn(refused)).to.deep.equal(["tls_edge/app backend.backend_id TP_1004"]);
    expect(await set.apply([without[0] as (typeof objects)[0]])).to.deep.equal([]);
  });

  it("refuses to delete objects that others use, or whose deletion would delete others, and names them", async () => {
    const set = newSet();
    await set.apply([
      declared("https_edge", "site", { hostports: [hostport()] }),
      declared("static_backend", "web", { address: "10.0.0.1:80" }),
    ]);
    const ids = await set.ids();
    const route = await server.created(`/edges/https/${ids["https_edge/site"]}/routes`, {
      match_type: "exact_path",
      match: "/",
    });
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      backend: { backend_id: ids["static_backend/web"] },
    });
    const refused = await set.send([], { mode: "own", max_deletes: 5 });
    expect(refused.status).to.equal(409);
    expect(faultsIn(refused).sort()).to.deep.equal([
      "https_edge/site  TP_1500",
      "static_backend/web  TP_1500",
    ]);
    expect(refused.body.msg).to.contain(route.id).and.to.contain(edge.id);
  });

  it("replaces an object whose field is set at creation only, and moves the references inside of the set", async () => {
    const set = newSet();
    const objects = (type: string) => [
      declared("ssh_certificate_authority", "people", { private_key_type: type }),
      declared("ssh_user_certificate", "ada", {
        ssh_certificate_authority_id: ref("ssh_certificate_authority/people"),
        public_key: KEY,
        principals: ["ada"],
      }),
    ];
    await set.apply(objects("ed25519"));
    const before = await set.ids();
    // The certificate follows although the request leaves it out.
    const answer = await set.send(objects("ecdsa").slice(0, 1));
    expect(operationsIn(answer)).to.deep.equal([
      "replace ssh_certificate_authority/people",
      "replace ssh_user_certificate/ada",
    ]);
    const now = await set.ids();
    const replaced = answer.body.operations.map(({ replaced_id }: { replaced_id: string }) => replaced_id);
    expect(replaced).to.have.members(Object.values(before));
    expect(
      (await server.read(`/ssh_user_certificates/${now["ssh_user_certificate/ada"]}`))
        .ssh_certificate_authority_id,
    ).to.equal(now["ssh_certificate_authority/people"]);
    for (const id of replaced.filter((one: string) => one.startsWith("sucrt")))
      expect((await server.rest.get(`/ssh_user_certificates/${id}`)).status).to.equal(404);
    // Somebody else's certificate keeps the authority from being replaced.
    await server.created("/ssh_user_certificates", {
      ssh_certificate_authority_id: now["ssh_certificate_authority/people"],
      public_key: KEY,
    });
    const refused = await set.send(objects("rsa"));
    expect(refused.status).to.equal(409);
    expect(faultsIn(refused)).to.deep.equal(["ssh_certificate_authority/people  TP_1500"]);
  });

  it("leaves an edge that is replaced its routes and what keeps callers out, as single requests do", async () => {
    const set = newSet();
    const edge = await server.created("/edges/https", { hostports: [hostport()] });
    const oidc = { issuer: "https://id.example.com", client_id: "app", client_secret: "secret" };
    const route = { edge_id: edge.id, match_type: "path_prefix", match: "/", oidc };
    await set.apply([declared("https_edge_route", "all", route)]);
    const [path, { hostports }] = [`/edges/https?replaces=${edge.id}`, edge];
    const replacement = await server.rest.post(path, { hostports });
    const empty = () => set.send([], { mode: "own", max_deletes: 1 });
    const changed = (more: object) =>
      set.send([declared("https_edge_route", "all", { ...route, description: "old", ...more })]);
    for (const opening of [empty, () => changed({ oidc: undefined }), () => changed({ match: "/other" })])
      await refusedBeside({
        refused: opening,
        as: (answer) => expect(faultsIn(answer)).to.deep.equal(["https_edge_route/all  TP_1506"]),
        allowed: () => changed({}),
      });
    await server.rest.delete(replacement.body.uri);
    expect((await empty()).status).to.equal(200);
  });

  it("swaps unique values among its objects", async () => {
    const [set, one, two] = [newSet(), hostport(), hostport()];
    const edges = (first: string, second: string) => [
      declared("tls_edge", "first", { hostports: [first] }),
      declared("tls_edge", "second", { hostports: [second] }),
    ];
    await set.apply(edges(one, two));
    expect(await set.apply(edges(two, one))).to.deep.equal([
      "update tls_edge/first",
      "update tls_edge/second",
    ]);
    const refused = await set.send(edges(one, one));
    expect(faultsIn(refused)).to.deep.equal(["tls_edge/second hostports[0] TP_1501"]);
  });

  it("adopts an object by its id, gives it another key, and leaves those of other sets", async () => {
    const [set, other] = [newSet(), newSet()];
    const { id } = await server.created("/ip_policies", { description: "by hand", metadata: "kept" });
    expect(await set.apply([declared("ip_policy", "office", { description: "declared" }, id)])).to.deep.equal(
      ["adopt ip_policy/office"],
    );
    expect(await server.read(`/ip_policies/${id}`)).to.deep.include({
      description: "declared",
      metadata: "kept",
    });
    await set.apply([declared("ip_policy", "home", { description: "declared" }, id)], { mode: "own" });
    expect(await set.ids()).to.deep.equal({ "ip_policy/home": id });
    const refused = await other.send([declared("ip_policy", "mine", {}, id)]);
    expect(refused.status).to.equal(409);
    expect(faultsIn(refused)).to.deep.equal(["ip_policy/mine id TP_1502"]);
  });

  it("shows a changed secret as a path alone, in answers, events and the audit log", async () => {
    const set = newSet();
    const edge = declared("https_edge", "site", { hostports: [hostport()] });
    const route = (secret: string) =>
      declared("https_edge_route", "all", {
        edge_id: ref("https_edge/site"),
        match_type: "path_prefix",
        match: "/",
        oidc: { issuer: "https://id.example.com", client_id: "web", client_secret: secret },
      });
    const first = await set.send([edge, route("first canary")]);
    const second = await set.send([edge, route("second canary")]);
    expect(second.body.operations[0].changes).to.deep.equal([{ path: "oidc.client_secret" }]);
    expect(first.text + second.text).not.to.contain("canary");
    expect(JSON.stringify(await tracesIn(server))).not.to.contain("canary");
  });

  it("writes an event and an audit row for each object, all under one operation id", async () => {
    const set = newSet();
    const { headers } = await set.send(site());
    const operation = headers.get("x-request-id");
    const rows = (await server.query(
      `select action, event_id from audit_event where operation_id = '${operation}'`,
    )) as { action: string; event_id: string }[];
    expect(rows.map(({ action }) => action).sort()).to.deep.equal([
      ...["backend_created", "backend_created", "backend_created", "tls_edge_created"],
      "tunnel_credential_created",
    ]);
    for (const { event_id } of rows)
      expect(await server.query(`select id from event where id = '${event_id}'`)).to.have.length(1);
  });

  it("belongs to the owner of its first apply, and keeps credentials of others hidden", async () => {
    const bot = await server.created("/bot_users", { name: "ci" });
    const { token } = await server.created("/api_keys", { owner_id: bot.id });
    const member = new Rest(server.url, token);
    const [own, foreign] = [newSet(member), newSet()];
    await foreign.apply(site());
    await own.apply([declared("ip_policy", "office")]);
    expect((await new SetInTest(member, foreign.name).send([])).status).to.equal(403);
    expect((await member.get(`/changesets/${foreign.name}`)).status).to.equal(404);
    expect((await member.delete(`/changesets/${foreign.name}`)).status).to.equal(404);
    expect(
      (await member.get("/changesets")).body.changesets.map(({ set }: { set: string }) => set),
    ).to.deep.equal([own.name]);
    const credential = (await foreign.ids())["tunnel_credential/agent"];
    expect(faultsIn(await own.send([declared("tunnel_credential", "taken", {}, credential)]))).to.deep.equal([
      "tunnel_credential/taken id TP_1004",
    ]);
    expect(faultsIn(await own.send([declared("bot_user", "bot", { name: "x" })]))).to.deep.equal([
      "bot_user/bot  TP_1200",
    ]);
    // An admin may use it, and what the admin owns in it is hidden from the member, who cannot delete it.
    await new SetInTest(server.rest, own.name).apply([declared("tunnel_credential", "admins")]);
    expect(await own.ids()).to.have.all.keys("ip_policy/office");
    await new SetInTest(server.rest, own.name).apply([declared("bot_user", "bot", { name: "of the admin" })]);
    expect(await own.apply([], { mode: "own", max_deletes: 5 })).to.deep.equal(["delete ip_policy/office"]);
    expect(await new SetInTest(server.rest, own.name).ids()).to.have.all.keys(
      "tunnel_credential/admins",
      "bot_user/bot",
    );
  });

  it("is listed page by page, and released without a deletion", async () => {
    const sets = [newSet(), newSet(), newSet()];
    for (const set of sets) await set.apply([declared("ip_policy", "office")]);
    const found: string[] = [];
    for (let next: string | null = `${server.url}/changesets?limit=1`; next !== null; ) {
      const { body } = await server.rest.get(next);
      found.push(...body.changesets.map(({ set }: { set: string }) => set));
      next = body.next_page_uri;
    }
    expect(found.slice(0, 3)).to.deep.equal(sets.map(({ name }) => name).reverse());
    const [set] = sets as [SetInTest];
    const id = (await set.ids())["ip_policy/office"] as string;
    expect((await server.rest.delete(`/changesets/${set.name}?dry_run=true`)).status).to.equal(204);
    expect((await server.rest.delete(`/changesets/${set.name}`)).status).to.equal(204);
    expect((await server.rest.get(`/changesets/${set.name}`)).status).to.equal(404);
    await server.read(`/ip_policies/${id}`);
    expect(await sets[1]?.apply([declared("ip_policy", "theirs", {}, id)])).to.deep.equal([
      "adopt ip_policy/theirs",
    ]);
  });

  it("takes 5,000 objects and bodies of more than 1 MiB, and refuses more objects, and says where a body is not valid JSON", async () => {
    const policies = (count: number, more = {}) =>
      Array.from({ length: count }, (_, index) => declared("ip_policy", `p${index}`, more));
    const set = newSet();
    expect(
      await set.apply(policies(5_000, { metadata: "x".repeat(500), description: 'a "quote" \\ and {[ ü' })),
    ).to.have.length(5_000);
    expect((await set.send(policies(5_001))).status).to.equal(400);
    const malformed = await server.rest.post(
      "/changesets",
      `{"set": "x", "objects": [{"kind": "ip_policy"}, {"kind": }]}`,
    );
    expect(malformed.status).to.equal(400);
    expect(malformed.body.error_code).to.equal("TP_1000");
    expect(malformed.body.msg).to.contain("objects[1]");
    expect(await set.apply([], { mode: "own", max_deletes: 5_000 })).to.have.length(5_000);
  });
});
