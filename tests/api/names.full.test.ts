import { DEFAULT_PROJECT, NAME_HEADER } from "@tunnelplane/sdk/contract";
import { declared, ref, SetInTest } from "../changesets/support";
import { hostport, notFound, type Refusal, serverOfThisFile, stale, unique } from "../support/api/expect";
import { certificate } from "../support/api/fixtures";
import { expectRefusedBut } from "../support/api/refusedBut";
import { TYPES } from "../support/api/types";
import { onEveryDatabase, onOneDatabase, rowsIn, tracesIn } from "../support/databases";
import { exchange } from "../support/rawHttp";
import { refusedBeside } from "../support/refusal";
import type { Rest, RestAnswer } from "../support/rest";

type Json = RestAnswer["body"];
const called = (name: string) => ({ [NAME_HEADER]: encodeURIComponent(name) });
const NAME = "Zoë's edge, 100 % „ours“";
const BOT = {
  name: "a bot",
  path: "/bot_users",
  listKey: "bot_users",
  body: () => ({ name: unique("bot") }),
};
const EVERY_TYPE = [...TYPES, BOT];

onEveryDatabase("The name that a program gives an object", (start) => {
  const server = serverOfThisFile(start);
  const made = async (path: string, body: unknown, name: string, rest: Rest = server.rest): Promise<Json> => {
    const answer = await rest.post(path, body, called(name));
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const nameAt = async (uri: string, rest: Rest = server.rest): Promise<string | undefined> => {
    const answer = await rest.get(`${uri}?names=true`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.resource_name;
  };
  const expectDone = ({ status, text }: RestAnswer) => expect(status, text).to.equal(200);

  for (const { name, path, listKey, body } of EVERY_TYPE) {
    it(`${name} keeps it, and answers it beside its id where a read asks for names`, async () => {
      const object = await made(path, await body(server.rest), NAME);
      expect(object).not.to.have.property("resource_name");
      const plain = await server.read(object.uri);
      const named = await server.read(`${object.uri}?names=true`);
      expect(named).to.deep.equal({ ...plain, resource_name: NAME });
      expect(Object.keys(named).slice(0, 2)).to.deep.equal(["id", "resource_name"]);
      const other = await server.created(path, await body(server.rest));
      const list: Json[] = (await server.read(`${path}?names=true`))[listKey];
      const listed = (id: string) => list.find((one) => one.id === id);
      expect(listed(object.id)).to.have.property("resource_name", NAME);
      expect(listed(other.id)).to.include({ id: other.id }).and.not.have.property("resource_name");
      expect((await server.rest.get(path)).text).not.to.include("resource_name");
    });

    it(`${name} gets another one, or none, by a PATCH that makes no version and no event`, async () => {
      const { uri } = await made(path, await body(server.rest), "first");
      const etag = await server.etag(uri);
      const recorded = async () => [
        await server.query("select id from event order by 1"),
        await server.query("select sequence from audit_event order by 1"),
      ];
      const before = await recorded();
      for (const next of ["second", "", NAME]) {
        const answer = await server.rest.patch(uri, {}, called(next));
        expectDone(answer);
        expect(answer.headers.get("etag")).to.equal(etag);
        expect(answer.body).to.deep.equal(await server.read(uri));
        expect(await nameAt(uri)).to.equal(next || undefined);
      }
      const stored = await tracesIn(server);
      for (const headers of [{}, called(NAME)]) expectDone(await server.rest.patch(uri, {}, headers));
      expect(await tracesIn(server)).to.deep.equal(stored);
      expect(await recorded()).to.deep.equal(before);
      expect(await server.etag(uri)).to.equal(etag);
    });
  }

  it("goes along with a change of the object, and stays when a later one says nothing of it", async () => {
    const { uri } = await server.created("/ip_policies", {});
    expectDone(await server.rest.patch(uri, { description: "ours" }, called("office")));
    expectDone(await server.rest.patch(uri, { description: "of all" }));
    expect(await server.read(`${uri}?names=true`)).to.include({
      description: "of all",
      resource_name: "office",
    });
    const named = await server.query("select payload from event where payload like '%resource_name%'");
    expect(named, "events that say names").to.deep.equal([]);
  });

  it("is kept by no dry run, and by no change that a precondition refuses", async () => {
    const { uri } = await made("/ip_policies", {}, "office");
    expectDone(await server.rest.patch(`${uri}?dry_run=true`, {}, called("another")));
    const patch = (name: string, etag: string) =>
      server.rest.patch(uri, {}, { ...called(name), "if-match": etag });
    const etag = await server.etag(uri);
    await expectRefusedBut(
      () => patch("another", '"99"'),
      stale,
      () => patch("office", etag),
    );
    expect(await nameAt(uri)).to.equal("office");
  });

  it("of routes stands in the edge that shows them", async () => {
    const backend = await server.created("/backends/tunnel_group", { labels: { app: unique() } });
    const edge = await made("/edges/https", { hostports: [hostport()] }, "site");
    const route = { match: "/", match_type: "path_prefix", backend: { backend_id: backend.id } };
    await made(`/edges/https/${edge.id}/routes`, route, "all of it");
    for (const read of [
      await server.read(`${edge.uri}?names=true`),
      (await server.read("/edges/https?names=true")).https_edges.find(({ id }: Json) => id === edge.id),
    ]) {
      expect(read.resource_name).to.equal("site");
      expect(read.routes[0].resource_name).to.equal("all of it");
    }
    expect((await server.rest.get(edge.uri)).text).not.to.include("resource_name");
  });

  it("is answered whole although the client has the object's version", async () => {
    const { uri } = await made("/ip_policies", {}, "office");
    const known = { "if-none-match": await server.etag(uri) };
    expect((await server.rest.get(uri, known)).status).to.equal(304);
    const answer = await server.rest.get(`${uri}?names=true`, known);
    expect(answer.status).to.equal(200);
    expect(answer.body.resource_name).to.equal("office");
  });

  it("is that of the first request with an Idempotency-Key, whatever repetitions call the object", async () => {
    const once = { "idempotency-key": unique("key") };
    const first = await server.rest.post("/ip_policies", {}, { ...once, ...called("office") });
    for (const headers of [called("office"), {}, called("another")]) {
      const again = await server.rest.post("/ip_policies", {}, { ...once, ...headers });
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get("idempotent-replayed")).to.equal("true");
    }
    expect(await nameAt(first.body.uri)).to.equal("office");
  });

  it("may be given to the project default, which is there without being stored", async () => {
    const { uri } = await server.read(`/projects/${DEFAULT_PROJECT.id}`);
    expectDone(await server.rest.patch(uri, {}, called("where all began")));
    expect(await nameAt(uri)).to.equal("where all began");
    expectDone(await server.rest.patch(uri, {}, called("")));
    expect(await nameAt(uri)).to.equal(undefined);
  });

  it("exists for its project alone, and of a shared one for those who may read the object", async () => {
    const [own, shared] = await Promise.all(
      [false, true].map((isShared) =>
        server.created("/projects", { name: unique("team"), shared: isShared }),
      ),
    );
    const policies = [];
    for (const project of [own, shared])
      policies.push(await made("/ip_policies", {}, `of ${project.name}`, server.rest.inside(project.name)));
    const elsewhere = server.rest.inside("default");
    const [hidden, lent] = policies;
    await expectRefusedBut(
      [
        () => elsewhere.get(`${hidden.uri}?names=true`),
        () => elsewhere.patch(hidden.uri, {}, called("mine")),
      ],
      notFound,
      () => server.rest.inside(own.name).get(`${hidden.uri}?names=true`),
    );
    expect((await elsewhere.get("/ip_policies?names=true&shared=true")).text)
      .to.include(`of ${shared.name}`)
      .and.not.to.include(`of ${own.name}`);
    expect(await nameAt(lent.uri, elsewhere)).to.equal(`of ${shared.name}`);
    expect((await elsewhere.patch(lent.uri, {}, called("mine"))).status).to.equal(403);
    expect(await nameAt(lent.uri, server.rest.inside(shared.name))).to.equal(`of ${shared.name}`);
  });

  it("is given by those alone who may change the object", async () => {
    const { uri } = await made("/ip_policies", {}, "office");
    const { rest: viewer } = await server.member({ role: "viewer" });
    await expectRefusedBut(
      () => viewer.patch(uri, {}, called("mine")),
      { status: 403, code: "TP_1200" },
      () => viewer.patch(`${uri}?dry_run=true`, {}, called("mine")),
    );
    expect(await nameAt(uri)).to.equal("office");
  });

  it("is the key of an object in its change set: of a new one, an adopted one, and one that is replaced", async () => {
    const adopted = await server.created("/ip_policies", {});
    const set = new SetInTest(server.rest, unique("set"));
    const ca = certificate().pem;
    const objects = (key: string, hosts: string) => [
      declared("ip_policy", key, {}, adopted.id),
      declared("ip_policy_rule", "office", {
        ip_policy_id: ref(`ip_policy/${key}`),
        action: "allow",
        cidr: hosts,
      }),
      declared("certificate_authority", "clients", { ca_pem: ca }),
    ];
    const named = async () => {
      const rows = (await rowsIn(
        server.data,
        `select key, name from changeset_object join resource on resource.id = resource_id where changeset_id = (select id from changeset where name = '${set.name}') order by 1`,
      )) as { key: string; name: string }[];
      return rows.map(({ key, name }) => `${key} is called ${name}`);
    };
    await set.apply(objects("networks", "10.0.0.0/8"));
    const all = (key: string) =>
      ["clients", key, "office"].toSorted().map((one) => `${one} is called ${one}`);
    expect(await named()).to.deep.equal(all("networks"));
    expect(await nameAt(adopted.uri)).to.equal("networks");
    await set.apply(objects("inside", "10.0.0.0/8"));
    expect(await named()).to.deep.equal(all("inside"));
    const ids = await set.ids();
    const replaced = [
      ...objects("inside", "10.0.0.0/8").slice(0, 2),
      declared("certificate_authority", "clients", { ca_pem: certificate().pem }),
    ];
    expect(await set.apply(replaced)).to.deep.equal(["replace certificate_authority/clients"]);
    expect((await set.ids())["certificate_authority/clients"]).not.to.equal(
      ids["certificate_authority/clients"],
    );
    expect(await named()).to.deep.equal(all("inside"));
  });
});

onOneDatabase("The header with an object's name", (start) => {
  const server = serverOfThisFile(start);
  const refused = (...mentions: string[]): Refusal => ({
    status: 400,
    code: "TP_1008",
    mentions: [NAME_HEADER, ...mentions],
  });
  const raw = async (method: string, path: string, ...values: string[]): Promise<RestAnswer> => {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${new URL(server.url).host}`,
      ...Object.entries(server.headersWithout()).map(([name, value]) => `${name}: ${value}`),
      "Content-Type: application/json",
      "Content-Length: 2",
      ...values.map((value) => `${NAME_HEADER}: ${value}`),
    ];
    const answer = await exchange(server.url, `${lines.join("\r\n")}\r\n\r\n{}`);
    if (!answer) throw new Error("The server closed the connection without an answer");
    return answer;
  };

  it("takes 255 bytes as they are before they are encoded, and no more", async () => {
    for (const character of ["a", "é", "€", "😀"]) {
      const size = Buffer.byteLength(character);
      const fits = "x".repeat(255 % size) + character.repeat(Math.floor(255 / size));
      expect(Buffer.byteLength(fits)).to.equal(255);
      const { allowed } = await refusedBeside({
        refused: () => server.rest.post("/ip_policies", {}, called(`x${fits}`)),
        as: refused("255 bytes", "256"),
        allowed: () => server.rest.post("/ip_policies", {}, called(fits)),
      });
      expect((await server.read(`${allowed.body.uri}?names=true`)).resource_name).to.equal(fits);
    }
  });

  for (const [what, written] of [
    ["a broken percent code", "100%"],
    ["a percent code that is none", "%zz"],
    ["half of a character", "%C3"],
    ["a character in more bytes than it needs", "%C0%AF"],
    ["half of a pair of surrogates", "%ED%A0%80"],
    ["bytes beyond Unicode", "%F5%80%80%80"],
    ["a character that is not encoded", "caf\xe9"],
    ["a line break", "a%0Ab"],
    ["NUL", "a%00"],
    ["an escape for terminals", "%1B[31m"],
    ["DEL", "%7F"],
    ["a control character beyond ASCII", "%C2%9B"],
  ] as const)
    it(`is refused with ${what}, and the answer says what was expected`, async () => {
      const { uri } = await server.created("/ip_policies", {});
      const path = new URL(uri).pathname;
      await expectRefusedBut(
        [() => raw("POST", "/ip_policies", written), () => raw("PATCH", path, written)],
        refused("percent-encoded UTF-8"),
        () => raw("PATCH", path, "caf%C3%A9"),
      );
    });

  it("is refused if it is given twice", async () => {
    await expectRefusedBut(
      () => raw("POST", "/ip_policies", "one", "two"),
      refused("2 times"),
      () => raw("POST", "/ip_policies", "one, two"),
    );
  });

  it("is refused where a request names no object: modules, entries, reads, deletions, change sets", async () => {
    const { uri, id } = await server.created("/edges/tls", { hostports: [hostport()] });
    for (const [method, path, body] of [
      ["PUT", `${uri}/tls_termination`, { terminate_at: "edge" }],
      ["DELETE", `${uri}/backend`],
      ["GET", uri],
      ["GET", "/edges/tls"],
      ["DELETE", uri],
      ["POST", "/changesets", { set: "a", objects: [] }],
    ] as const)
      await expectRefusedBut(
        () => server.rest.request(method, path, body, called("app")),
        refused("leave it out"),
        () => server.rest.patch(uri, {}, called("app")),
      );
    expect((await server.read(uri)).id).to.equal(id);
  });
});
